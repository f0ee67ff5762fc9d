"""Lines that the user has meant: agents and the user may change what is above them meanwhile."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias, TypeVar

from msgspec import Struct

from acp_nvim.editor import HeldRows, LiveBuffer
from acp_nvim.errors import UserError
from acp_nvim.files.live import LiveFile
from acp_nvim.view.review.marks import FileReview

L = TypeVar("L", LiveFile, LiveFile | None)

ATTEMPTS = 5
"""How often an act begins anew because the user types meanwhile."""


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


async def placed(
    rows: Rows,
    look: Callable[[], Awaitable[L]],
    review: Callable[[LiveFile | None], Awaitable[FileReview]],
) -> tuple[L, range | None]:
    """Look at a file, and return it and where the rows are in it. Raises `UserError`."""
    for _ in range(ATTEMPTS):
        live = await look()
        if rows is None or isinstance(rows, range):
            return live, rows
        if not isinstance(rows, Place):
            return live, rows(await review(live))
        at = await rows.at(None if live is None else live.buffer)
        if at is not None:
            return live, at
    raise keeps_changing("the file")


def keeps_changing(path: str) -> UserError:
    """Return what to say where an act has begun anew too often."""
    return UserError(f"{path} keeps changing: try again")
