"""Acts of the user that the editor does not take yet, for the user is in the middle of something.

A command of ours may be given while the next one is typed already: the act waits for its end.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from acp_nvim.editor import Busy
from acp_nvim.errors import FileProblem, UserError
from acp_nvim.files.encoding import NotRead
from acp_nvim.files.put import stays
from acp_nvim.files.sync import DiskSync

T = TypeVar("T")

PASSING = frozenset({"the command line", "a command", "a question", "a question of acp.nvim"})
"""What whoever gives a command of ours may be in the middle of by that."""
PATIENCE = 10.0
"""Seconds for which an act waits for the end of it."""
AGAIN = 1.0
"""So often it is tried again, should Neovim have missed the end."""


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
