"""When an act of the user's is carried out, and on which lines: they go on meanwhile.

Agents and the user may change what is above the lines that were meant. And a command of ours may be
given while the next one is typed already: the act waits for its end.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias, TypeVar

import anyio
from msgspec import Struct

from acp_nvim.editor import Busy, HeldRows, LiveBuffer
from acp_nvim.errors import FileProblem, UserError
from acp_nvim.files.encoding import NotRead
from acp_nvim.files.sync import DiskSync
from acp_nvim.files.write import stays
from acp_nvim.view.review.marks import FileReview

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
