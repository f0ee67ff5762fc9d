"""What turns have changed that nobody can take back, so that it is named where the rest is.

Known as long as the host runs; the chat has told it when it was found.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from acp_nvim.ledger.delta import TurnKey
from acp_nvim.session.origin import Stretch

MOST_TURNS = 100
NAMED = 3


class Lost:
    """Files that were changed, and of which nobody knows what they held, by turn."""

    def __init__(self) -> None:
        self._paths: dict[TurnKey, dict[str, None]] = {}

    def note(self, turn: TurnKey, paths: Iterable[str]) -> None:
        """Take note of files that the turn has changed."""
        self._paths.setdefault(turn, {}).update(dict.fromkeys(paths))
        while len(self._paths) > MOST_TURNS:
            del self._paths[next(iter(self._paths))]

    def told(
        self,
        *stretches: Stretch,
        known: Container[str] = (),
    ) -> tuple[str, ...]:
        """Return the sentence that names those of turns in these stretches; none if there are none.
        `known`: of which the books know something, so that it is tried."""
        sessions = {it.key: it for it in stretches}
        found = (
            path
            for (*whose, turn, _began), changed in self._paths.items()
            for path in changed
            if (stretch := sessions.get((whose[0], whose[1]))) is not None and stretch.has(turn)
            if path not in known
        )
        paths = [*dict.fromkeys(found)]
        if not paths:
            return ()
        more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
        names = ", ".join(paths[:NAMED])
        return (f"cannot be undone: {names}{more}",)
