"""When an act of the user's is carried out, and on which lines: they go on meanwhile.

Agents and the user may change what is above the lines that were meant. And a command of ours may be
given while the next one is typed already: the act waits for its end.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Final, TypeAlias, TypeVar

import anyio
from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.aside import aside_if_large
from acp_nvim.editor import Busy, Files, HeldRows, LiveBuffer
from acp_nvim.errors import FileProblem, UserError
from acp_nvim.files.baselines.snapshot import UNKNOWN
from acp_nvim.files.encoding import NotRead, decoded, guess
from acp_nvim.files.event import Emit, FilePut
from acp_nvim.files.live import LiveFile
from acp_nvim.files.sync import DiskSync
from acp_nvim.files.write import left_by_put, put, stays
from acp_nvim.history.attributes import UNKNOWN_ATTRIBUTES, FileAttributes
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.review.log import EditLog
from acp_nvim.view.review.marks import FileReview

L = TypeVar("L", LiveFile, LiveFile | None)
T = TypeVar("T")

ATTEMPTS: Final = 5
"""How often an act begins anew because the user types meanwhile."""
PASSING: Final = frozenset(
    {"the command line", "a command", "a question", "a question of acp.nvim"}
)
"""What whoever gives a command of ours may be in the middle of by that."""
PATIENCE: Final = 10.0
"""Seconds for which an act waits for the end of it."""
AGAIN: Final = 1.0
"""So often it is tried again, should Neovim have missed the end."""


class Place(Struct, frozen=True):
    """Rows of a file, 0-based, as the user has meant them in that `buffer`.

    `held` tells where they are by now.
    """

    rows: range
    buffer: int
    held: Callable[[], Awaitable[HeldRows | None]]

    async def at(self, buffer: LiveBuffer | None) -> range | None:
        """Return the rows in what was seen of the file, None: that is over.

        In another buffer they are where they were. Raises `UserError` if the lines are gone.
        """
        is_there = buffer is not None and buffer.number == self.buffer
        found = await self.held() if is_there else None
        if found is None or buffer is None:
            return self.rows
        if found.tick != buffer.changedtick:
            return None
        if found.rows is None:
            raise UserError("these lines have changed meanwhile: look again")
        return found.rows


Find: TypeAlias = Callable[[FileReview], range]
"""Finds rows by what there is in a file; raises `UserError`."""
Rows: TypeAlias = range | Place | Find | None
"""Which rows of a file are meant, None: all."""


def keeps_changing(path: str) -> UserError:
    """Return what to say where an act has begun anew too often."""
    return UserError(f"{path} keeps changing: try again")


class Held(UserError):
    """A file is as it was: the user is in the middle of something in it."""

    def __init__(self, path: str, busy: Busy) -> None:
        name, doing = os.path.basename(path), busy.doing
        super().__init__(f"{name} is as it was: first end what you are in the middle of ({doing})")
        self.passes = doing in PASSING


def why_not(path: str, problem: FileProblem) -> str:
    """Return why the editor has not taken what an agent has changed, in a sentence."""
    if isinstance(problem, Busy):
        return str(Held(path, problem))
    return str(stays(path, problem) if isinstance(problem, NotRead) else problem)


async def when_free(sync: DiskSync, act: Callable[[], Awaitable[T]]) -> T:
    """Act while no one else changes files, once the user's command line is over.

    Raises `Held` for what does not pass, or not soon; the act has changed nothing then.
    """
    deadline = anyio.current_time() + PATIENCE
    while True:
        freed = sync.hands.freed
        try:
            async with sync.exclusive():
                return await act()
        except Held as held:
            if not held.passes or anyio.current_time() >= deadline:
                raise
        with anyio.move_on_after(AGAIN):
            await freed.wait()


class Acting:
    """What all acts have in common: they look at a file, and then make it hold another text."""

    def __init__(self, log: EditLog, files: Files, sync: DiskSync, emit: Emit) -> None:
        self.log = log
        self.files = files
        self.sync = sync
        self.emit = emit
        self.looked: dict[str, tuple[int, int, str]] = {}
        """By path, the buffer and its changedtick and encoding when the log had its text last; of
        a file without one 0, 0 and its stamp."""

    async def reviewed(self, path: str, live: LiveFile | None, *, kept: bool = False) -> FileReview:
        """Return the hunks of a file as the log has them; `kept`: also those that were kept."""
        if live is None:
            return FileReview(path, 0)
        hunks = await self.log.find(path, ("pending", "kept") if kept else ("pending",))
        return await aside_if_large(partial(_as_read, live, hunks), live.read_text)

    async def placed(
        self, path: str, rows: Rows, look: Callable[[str], Awaitable[L]]
    ) -> tuple[L, range | None]:
        """Look at the file so, and return it and where the rows are in it. Raises `UserError`."""
        for _ in range(ATTEMPTS):
            live = await look(path)
            if rows is None or isinstance(rows, range):
                return live, rows
            if not isinstance(rows, Place):
                return live, rows(await self.reviewed(path, live))
            at = await rows.at(None if live is None else live.buffer)
            if at is not None:
                return live, at
        raise keeps_changing(path)

    async def seen_now(self, path: str) -> LiveFile | None:
        """Do as `fold_in` does, for who changes nothing; None for a file that holds no text."""
        try:
            return await self.fold_in(path, changing=False)
        except UserError:
            return None

    async def fold_in(self, path: str, *, changing: bool = True) -> LiveFile:
        """Fold in what the disk and the user have done since; return the file as it is now.

        The caller holds `exclusive`: a change half taken note of would be taken for the user's.
        Raises `UserError`, as `load` does.
        """
        live = await self.load(path, changing=changing)
        self.log.weigh(path, live.exact)
        await self.log.look(path, live.exact, live.encoding)
        at = live.buffer
        self.looked[path] = (
            (0, 0, live.stamp) if at is None else (at.number, at.changedtick, at.encoding)
        )
        return live

    async def load(self, path: str, *, changing: bool) -> LiveFile:
        """Return the file with what the disk has new. Raises `UserError` if it is no text, or if it
        is to be changed and the user is in the middle of a command in it."""
        synced = await self.sync.sync(path)
        if changing and isinstance(synced.problem, Busy):
            raise Held(path, synced.problem)
        if changing and isinstance(synced.problem, NotRead):
            raise UserError(str(stays(path, synced.problem)))
        live = synced.live
        if live.buffer is None and live.problem is not None:
            raise UserError(str(live.problem)) from live.problem
        return live

    async def make(
        self,
        live: LiveFile,
        text: str | None,
        attributes: FileAttributes = UNKNOWN_ATTRIBUTES,
        *,
        settled: bool = False,
        saves: bool = False,
        is_done: bool = False,
    ) -> bool:
        """Make the file hold that text, once a kill cannot make it undone that it is to; see `put`.
        `is_done`: it does. False: it has changed meanwhile. Raises `UserError`."""
        await self.log.noted()
        left = UNKNOWN if is_done else left_by_put(live, text, saves=saves)
        try:
            if not is_done and not await put(
                self.files, live, text, attributes, settled=settled, saves=saves
            ):
                return False
        except Busy as busy:
            raise Held(live.path, busy) from busy
        except FileProblem as problem:
            raise UserError(str(problem)) from problem
        self.sync.decided(live.path, left)
        before, after = live.read(live.exact), live.read(text)
        self.emit(FilePut(live.path, before, after, is_saved=left is not UNKNOWN))
        return True


def _as_read(live: LiveFile, found: Iterable[ReviewHunk]) -> FileReview:
    """Return the hunks as they are read, in their order: the history has exact lines."""
    encoding = live.encoding or guess(live.exact or "")
    hunks = sorted(found, key=lambda it: (it.first, it.last))
    return FileReview(live.path, live.rows, tuple(_read(it, encoding) for it in hunks))


def _read(hunk: ReviewHunk, encoding: str) -> ReviewHunk:
    """Return a hunk with its lines as they are read."""
    added, removed = (
        tuple(decoded(line, encoding) for line in lines) for lines in (hunk.added, hunk.removed)
    )
    return replace(hunk, added=added, removed=removed)
