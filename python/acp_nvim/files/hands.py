"""Edits that wait until the user's hands are off the buffer: how long, and who is told.

Neovim refuses an edit in the middle of the user's command (`Busy`), and says when that is over.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.editor import Busy
from acp_nvim.errors import FileProblem
from acp_nvim.files.encoding import NotRead
from acp_nvim.files.event import EditsGoOn, EditWaits, Emit, NotFollowed
from acp_nvim.history.author import Author, SessionKey

T = TypeVar("T")

KEY = "the editor waits for a key"


class Patience(Struct, frozen=True):
    """Seconds. `limit`: after which an agent's write is refused. `silent`: for which the user is
    told nothing; so often it is tried again, too, should Neovim have missed the end of a mode."""

    limit: float = 60.0
    silent: float = 1.0


class Waiting(Struct, frozen=True):
    """Whose edit it is, what the user is in the middle of by now, and since when it waits."""

    session: SessionKey | None
    doing: str
    since: float


class StillBusy(FileProblem):
    """An agent's write has waited in vain."""

    def __init__(self, path: str, why: str, told: str) -> None:
        super().__init__(f"{path} was not written: {why}", told)


class Hands:
    """Knows which files wait, and tells the user once of each when it takes a while."""

    def __init__(self, emit: Emit, patience: Patience | None = None) -> None:
        self.patience = patience or Patience()
        self._emit = emit
        self._waiting: dict[str, Waiting] = {}
        self._told: dict[str, EditWaits] = {}
        self._stays: set[str] = set()
        self._freed = anyio.Event()
        self._writes: list[tuple[SessionKey, anyio.CancelScope]] = []

    @property
    def freed(self) -> anyio.Event:
        """What is set when a command of the user's is over next."""
        return self._freed

    def free(self) -> None:
        """A command of the user's is over: let all who wait try again."""
        self._freed.set()
        self._freed = anyio.Event()

    def cancel(self, session: SessionKey) -> None:
        """Let no write of that session wait any more."""
        for whose, scope in self._writes:
            if whose == session:
                scope.cancel()

    def waits(self, path: str, session: SessionKey | None, busy: Busy) -> None:
        """An edit of that file must wait."""
        known = self._waiting.get(path) or Waiting(session, busy.doing, anyio.current_time())
        self._waiting[path] = replace(known, doing=busy.doing)

    def over(self, path: str) -> None:
        """No edit of that file waits any more."""
        self._waiting.pop(path, None)
        told = self._told.pop(path, None)
        if told is not None and told not in self._told.values():
            self._emit(EditsGoOn(told))

    def stays(self, path: str, problem: FileProblem | None, author: Author | None) -> None:
        """A buffer cannot have what the disk has: say so once, until that is over (`problem`)."""
        if not isinstance(problem, NotRead):
            self._stays.discard(path)
        elif path not in self._stays:
            self._stays.add(path)
            self._emit(NotFollowed(path, str(problem), author))

    def tell(self) -> None:
        """Tell of what has waited for a while, once, all of a session together."""
        latest = anyio.current_time() - self.patience.silent
        due: dict[tuple[SessionKey | None, str], list[str]] = {}
        for path, it in self._waiting.items():
            if path not in self._told and it.since <= latest:
                due.setdefault((it.session, it.doing), []).append(path)
        for (session, doing), paths in due.items():
            told = EditWaits(session, tuple(paths), doing)
            self._told.update(dict.fromkeys(paths, told))
            self._emit(told)

    async def patiently(
        self, session: SessionKey, path: str, write: Callable[[], Awaitable[T]]
    ) -> T:
        """Write as soon as the user's hands are off the file. Raises `StillBusy` at the limit, or
        when the session's turn is cancelled; a write that has begun is not interrupted if it
        shields itself."""
        busy: Busy | None = None
        with anyio.move_on_after(self.patience.limit) as scope:
            self._writes.append((session, scope))
            try:
                while True:
                    freed = self._freed
                    try:
                        return await write()
                    except Busy as found:
                        busy = found
                    self.waits(path, session, busy)
                    self.tell()
                    with anyio.move_on_after(self.patience.silent):
                        await freed.wait()
            finally:
                self._writes.remove((session, scope))
                self.over(path)
        if anyio.current_time() < scope.deadline:
            raise StillBusy(path, "the turn was cancelled", "you have cancelled the turn")
        raise _given_up(path, busy)


def _given_up(path: str, busy: Busy | None) -> StillBusy:
    if busy is None:
        return StillBusy(path, f"{KEY}: try again", f"{KEY}: the agent was told so")
    told = f"you were in the middle of a command ({busy.doing}): the agent was told so"
    return StillBusy(path, f"{busy}: try again", told)
