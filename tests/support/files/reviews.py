"""Reviews made of two texts, and a Neovim that shows them by the port that the host uses."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from acp_nvim.editor import Drawn
from acp_nvim.history.author import Author
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.hunks import diff
from acp_nvim.nvim.reviewer import NvimReviewer
from acp_nvim.view.review.lists import QuickfixList
from acp_nvim.view.review.marks import Drawing, FileReview, drawing
from tests.support.nvim import Neovim

CALL = "local module, name = ...; return require(module)[name](select(3, ...))"


def author(turn: int = 1, *, prompt: str = "Fix it") -> Author:
    return Author("gemini", "session-1", turn, began=float(turn), prompt=prompt)


def review(
    path: Path | str, old: str, new: str, authors: tuple[Author, ...] = (author(),)
) -> FileReview:
    """Return all that differs as pending hunks of these authors."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    changes: list[ReviewHunk] = []
    shift = 0
    for hunk in diff(before, after):
        gone = tuple(before[hunk.first : hunk.last])
        changes.append(ReviewHunk(hunk.first + shift, hunk.lines, gone, authors=authors))
        shift += len(hunk.lines) - len(gone)
    return FileReview(str(path), len(after), tuple(changes))


class ReviewingNeovim:
    """Draws on a Neovim as the host would."""

    def __init__(self, nvim: Neovim) -> None:
        self._nvim = nvim
        self._port = NvimReviewer(self._lua)

    async def _lua(self, function: str, *arguments: Any) -> Any:
        module, _, name = function.rpartition(".")
        return self._nvim.lua(CALL, module, name, *arguments)

    def tick(self, path: Path | str) -> int:
        """Return the changedtick of the buffer with that file, 0 if there is none."""
        found = self._nvim.lua(
            "local it = require('acp.files.buffers').find(...) return it and vim.b[it].changedtick",
            str(path),
        )
        return int(found or 0)

    def draw(self, shown: FileReview, *, tick: int | None = None) -> Drawn:
        """Draw the pending hunks of a file."""
        return self.put(shown.path, drawing(shown), tick=tick)

    def put(self, path: Path | str, drawn: Drawing, *, tick: int | None = None) -> Drawn:
        """Draw anything."""
        now = self.tick(path) if tick is None else tick
        return asyncio.run(self._port.draw(str(path), now, drawn))

    def files(self, *reviews: FileReview) -> None:
        """Tell which files have hunks."""
        asyncio.run(self._port.files(reviews))

    def lists(self, lists: Sequence[QuickfixList], *, make: bool = True) -> None:
        """Update the quickfix lists."""
        asyncio.run(self._port.update_lists(lists, make=make))

    def go(self, path: Path | str, line: int) -> None:
        """Show a place."""
        asyncio.run(self._port.go(str(path), line))

    def begin(self, *reviews: FileReview) -> None:
        """Draw all files that are loaded, and tell of all."""
        self.files(*reviews)
        for each in reviews:
            self.draw(each)
