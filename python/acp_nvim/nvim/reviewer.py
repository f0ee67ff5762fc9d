"""The marks, lists and motions of a review, by `lua/acp/review/`: the port `Reviewer`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any

from msgspec import convert
from msgspec.structs import asdict

from acp_nvim.aside import aside
from acp_nvim.editor import Drawn, HeldRows, Reviewer
from acp_nvim.nvim.plain import op
from acp_nvim.nvim.questions import ROUNDS, measured
from acp_nvim.view.op import Replace, portions
from acp_nvim.view.question.rows import Cells
from acp_nvim.view.review.fit import Look, fitted
from acp_nvim.view.review.lists import QuickfixList, stops
from acp_nvim.view.review.marks import (
    Chunks,
    Drawing,
    FileReview,
    LinesMark,
    Mark,
    PartMark,
    RowMark,
)
from acp_nvim.view.review.overview import Overview

PRIORITY = 9
"""Signs above those of version control, below those of diagnostics; colours below tree-sitter's."""
MOST_SIGNS = 2_000
"""So many lines of one hunk have a sign: each is a mark of its own, which takes time."""
LARGE = 50_000
"""Characters of virtual lines that are not fitted at once."""
MOST_MEASURED = 20_000
"""Characters whose cells Neovim is asked for, some 10 ms of it; how wide more are is guessed."""
TRIES = 3
"""So often a drawing is fitted anew, whose windows are others each time."""
PART_PRIORITY = 90
"""Of what has changed in a line: above the colour of the line, below tree-sitter's."""


class NvimReviewer(Reviewer):
    """Calls Lua by name, as `await lua("acp.review.motion.go_calmly", path, line)`."""

    def __init__(self, lua: Callable[..., Awaitable[Any]]) -> None:
        self._lua = lua
        self._cells = Cells()
        self._look = Look()
        """The windows of the file that was drawn last, as they were."""

    async def draw(self, path: str, tick: int, drawing: Drawing) -> Drawn:
        """See `editor.Reviewer`."""
        hunks = [list(hunk) for hunk in drawing.hunks]
        for _ in range(TRIES):
            marks, *look = await self._fitted(drawing.marks)
            outcome = await self._lua("acp.review.marks.draw", path, tick, marks, hunks, *look)
            if "look" not in outcome:
                return "stale" if "stale" in outcome else "gone" if "gone" in outcome else "ok"
            self._look = convert(outcome["look"], Look)
        return "stale"

    async def _fitted(self, marks: Sequence[Mark]) -> tuple[Any, ...]:
        """Return the marks, and if virtual lines of theirs were broken, for which windows."""
        lines = [it for it in marks if isinstance(it, LinesMark)]
        size = sum(len(text) for it in lines for line in it.lines for text, _ in line)
        self._cells.use(self._look.cells)
        for _ in range(ROUNDS):
            work = partial(_plain, marks, self._cells, self._look)
            plain = await aside(work) if size > LARGE else work()
            if sum(map(len, self._cells.missing)) > MOST_MEASURED:
                self._cells.missing.clear()
            if not await measured(self._lua, self._cells):
                break
        is_fitted = lines or any(isinstance(it, RowMark) and it.note for it in marks)
        return (plain, asdict(self._look)) if is_fitted else (plain,)

    async def update_lists(self, lists: Sequence[QuickfixList], *, make: bool = False) -> None:
        """See `editor.Reviewer`."""
        await self._lua("acp.review.lists.update", [_plain_list(each) for each in lists], make)

    async def files(
        self, reviews: Sequence[FileReview], commented: Sequence[str] = (), *, on: bool = False
    ) -> bool:
        """See `editor.Reviewer`."""
        rows = dict(stops(reviews))
        rows |= {path: () for path in commented if path not in rows}
        found = [{"path": path, "rows": list(its)} for path, its in rows.items()]
        return bool(await self._lua("acp.review.marks.files", found, on))

    async def overview(self, buffer: int, whole: Overview) -> None:
        """See `editor.Reviewer`."""
        first = hunk = 0
        for portion in portions([Replace(0, -1, whole.lines)]):
            lines = tuple(chain.from_iterable(piece.lines for piece in portion))
            last = first + len(lines)
            end = bisect_left(whole.hunks, last, key=attrgetter("row"))
            hunks = [asdict(it) | {"offsets": list(it.offsets)} for it in whole.hunks[hunk:end]]
            drawn = op(Replace(first, -1 if last == len(whole.lines) else last, lines))
            if not await self._lua("acp.review.overview.draw", buffer, drawn, hunks):
                return
            first, hunk = last, end

    async def held(self, buffer: int, mark: int) -> HeldRows | None:
        """See `editor.Reviewer`."""
        at = await self._lua("acp.review.place.rows", buffer, mark)
        if at is None:
            return None
        return HeldRows(at["tick"], range(at["first"], at["last"]) if "first" in at else None)

    async def open_list(self) -> None:
        """See `editor.Reviewer`."""
        await self._lua("acp.review.lists.open")

    async def go(self, path: str, line: int) -> None:
        """See `editor.Reviewer`."""
        await self._lua("acp.review.motion.go_calmly", path, line)


def _plain(marks: Sequence[Mark], cells: Cells, look: Look) -> list[Any]:
    return [plain for mark in marks for plain in _parts(mark, cells, look)]


def _parts(mark: Mark, cells: Cells, look: Look) -> Iterator[list[Any]]:
    """Yield [row, column, extmark options, on how many rows]; behind a note what stands above the
    row where there is no room for it."""
    match mark:
        case RowMark(row, rows, sign, group, line_group, note):
            options = {"sign_text": sign, "sign_hl_group": group, "priority": PRIORITY}
            yield [row, 0, options, min(rows, MOST_SIGNS)]
            if line_group:
                yield [row, 0, _whole_lines(row + rows, line_group), 1]
            if note:
                words = {"virt_text": [[" " + note, group]], "virt_text_pos": "eol"}
                yield [row, 0, words, 1, _lines([((note, group),)], cells, look)]
        case PartMark(row, start, end, group):
            yield [row, start, {"end_col": end, "hl_group": group, "priority": PART_PRIORITY}, 1]
        case LinesMark(row, above, lines):
            plain = _lines(lines, cells, look)
            yield [row, 0, {"virt_lines": plain, "virt_lines_above": above}, 1]


def _lines(lines: Sequence[Chunks], cells: Cells, look: Look) -> list[list[list[str]]]:
    return [[list(chunk) for chunk in line] for line in fitted(lines, cells, look)]


def _whole_lines(end: int, group: str) -> dict[str, Any]:
    """Return a colour up to the row `end`, to the edge of the window.

    Not `line_hl_group`: Neovim draws that over all colours of the text.
    """
    place = {"end_row": end, "end_col": 0, "hl_eol": True}
    return {**place, "hl_group": group, "priority": PRIORITY}


def _plain_list(each: QuickfixList) -> dict[str, Any]:
    items = [
        {
            "filename": item.path,
            "lnum": item.first,
            "end_lnum": item.last,
            "text": item.text,
            "type": item.kind,
            "user_data": {
                "path": item.path,
                "key": item.key,
                "line": item.first,
                "last": item.last,
            },
        }
        for item in each.items
    ]
    return {"key": each.key, "title": each.title, "items": items}
