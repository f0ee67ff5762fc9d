"""The review on screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

from acp_nvim.view.review.lists import QuickfixList
from acp_nvim.view.review.marks import Drawing, FileReview
from acp_nvim.view.review.overview import Overview

Drawn: TypeAlias = Literal["ok", "stale", "gone"]


class HeldRows(Struct, frozen=True):
    """Where lines are that the user has meant, at a changedtick of their buffer.

    `rows` are 0-based; None: the lines are gone.
    """

    tick: int
    rows: range | None


class Reviewer(Protocol):
    """Shows what agents have changed: marks in buffers, quickfix lists, places to go to."""

    async def draw(self, path: str, tick: int, drawing: Drawing) -> Drawn:
        """Replace all marks of the loaded buffer of that resolved path.

        "stale": its changedtick is another, so nothing was done; "gone": there is no such buffer.
        """

    async def make_lists(self, lists: Sequence[QuickfixList]) -> None:
        """Bring the quickfix lists up to date, the oldest turn first; what is left out is emptied.

        By the user's command only: lists that are not there are made, and the last is shown as the
        current one.
        """

    async def files(
        self,
        reviews: Sequence[FileReview],
        commented: Sequence[str] = (),
        *,
        lists: Sequence[QuickfixList] = (),
        on: bool = False,
    ) -> None:
        """Tell in which order motions go from file to file, and which files to ask to be drawn:
        those, and the `commented` ones; bring the `lists` up to date that are there. `on`: all of
        the review is shown, so that it has keys."""

    async def overview(self, buffer: int, whole: Overview) -> None:
        """Draw all changes in that buffer of `:Acp diff`, some rows at a time, until it is gone."""

    async def held(self, buffer: int, mark: int) -> HeldRows | None:
        """Return where lines are that Lua holds on to; None: their buffer is gone."""

    async def open_list(self) -> None:
        """Open a window with the current list; by the user's command only."""

    async def go(self, path: str, line: int) -> None:
        """Show the 1-based line in a window for files; by the user's command only."""
