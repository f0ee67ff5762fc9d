"""What was found on disk is only supposed to be an agent's doing: who is surer to have done it."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import time_ns

from acp_nvim.ledger.delta import Author, SessionKey, TurnKey


def surest(*authors: Author | None) -> Author | None:
    """Return the first that has named the file, else the first that there is."""
    known = [it for it in authors if it is not None]
    named = (it for it in known if it.how == "named")
    return next(named, None) or next(iter(known), None)


class EndedTurns:
    """Knows the last turn of each session that is over: a look at the disk comes later, and finds
    what others did since, too. `now`: nanoseconds since 1970."""

    def __init__(self, now: Callable[[], int] = time_ns) -> None:
        self.now = now
        self._ended: dict[SessionKey, tuple[TurnKey, int]] = {}

    def end(self, author: Author) -> None:
        """The author's turn is over now."""
        self._ended[author.session_key] = (author.turn_key, self.now())

    def is_over(self, author: Author) -> bool:
        """Return whether the author's turn has ended."""
        return self._ended.get(author.session_key, (None, 0))[0] == author.turn_key

    def may_be_of(self, author: Author | None, path: str) -> bool:
        """Return whether the file as it is may be what that turn has made of it.

        A tool call that names the file may work after its turn. Of one that is gone nothing is
        known, nor by a clock that is ahead of ours.
        """
        if author is None or author.how == "named":
            return True
        turn, ended = self._ended.get(author.session_key, (None, 0))
        if turn != author.turn_key:
            return True
        try:
            changed = os.lstat(path).st_ctime_ns
        except OSError:
            return True
        return not ended < changed <= self.now()
