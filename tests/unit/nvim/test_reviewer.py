"""How the marks of a review travel to `lua/acp/review/marks.lua`."""

from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.nvim.reviewer import MOST_SIGNS, NvimReviewer
from acp_nvim.view.op import PORTION
from acp_nvim.view.review.marks import Drawing, LinesMark, RowMark
from acp_nvim.view.review.overview import Overview, overview
from tests.support.files.reviews import review


class Lua:
    """Takes calls, and answers each with `result`."""

    def __init__(self, result: Any = None) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.result = result

    async def __call__(self, *call: Any) -> Any:
        self.calls.append(call)
        return self.result


async def test_a_long_hunk_is_one_mark_and_some_signs() -> None:
    lua = Lua({"ok": True})
    mark = RowMark(3, rows=9000, line_group="AcpReviewAdd", note="new")
    assert await NvimReviewer(lua).draw("/p/a.py", 7, Drawing((mark,), ((3, 9003),))) == "ok"
    function, path, tick, marks, hunks, look = lua.calls[0]
    assert (function, path, tick, hunks) == ("acp.review.marks.draw", "/p/a.py", 7, [[3, 9003]])
    signs, colour, note = marks
    assert (signs[0], signs[3], signs[2]["sign_text"]) == (3, MOST_SIGNS, "┃")
    assert (colour[0], colour[3], colour[2]["end_row"]) == (3, 1, 9003)
    assert note[2]["virt_text"] == [[" new", "AcpReviewSign"]]
    assert note[4] == [[["new", "AcpReviewSign"]]]
    assert look == {"width": 0, "tabstop": 8, "cells": ""}


async def test_it_says_why_nothing_was_drawn() -> None:
    for outcome in ("stale", "gone"):
        assert await NvimReviewer(Lua({outcome: True})).draw("/p/a.py", 7, Drawing()) == outcome


async def test_lines_are_fitted_for_the_windows_that_there_are() -> None:
    look = {"width": 4, "tabstop": 2, "cells": "single"}
    calls: list[Any] = []

    async def lua(name: str, *call: Any) -> Any:
        calls.append((name, *call))
        return {"ok": True} if call[4:] in ((look,), ()) else {"look": look}

    reviewer = NvimReviewer(lua)
    mark = LinesMark(0, above=True, lines=((("\tabcdef", "AcpReviewDelete"),),))
    assert await reviewer.draw("/p/a.py", 7, Drawing((mark,))) == "ok"
    (row, column, options, count) = calls[-1][3][0]
    rows = [[["  ab", "AcpReviewDelete"]], [["cdef", "AcpReviewDelete"]]]
    assert (row, column, count, options["virt_lines"]) == (0, 0, 1, rows)
    assert await reviewer.draw("/p/b.py", 7, Drawing((mark,))) == "ok"
    assert await reviewer.draw("/p/b.py", 7, Drawing((RowMark(1),))) == "ok"
    assert [len(call) for call in calls] == [6, 6, 6, 5]


@pytest.mark.parametrize(("count", "asked"), [(10, 2), (3000, 1)])
async def test_how_wide_very_many_texts_are_is_guessed(count: int, asked: int) -> None:
    calls: list[str] = []
    look = {"width": 6, "tabstop": 8, "cells": "single"}

    async def lua(name: str, *call: Any) -> Any:
        calls.append(name)
        if name == "acp.review.marks.draw":
            return {"ok": True} if call[4] == look else {"look": look}
        return [[list(text), [2 for _ in text]] for text in call[0]]

    lines = tuple(((f"中文中文{number}", "AcpReviewDelete"),) for number in range(count))
    drawing = Drawing((LinesMark(0, above=True, lines=lines),))
    assert await NvimReviewer(lua).draw("/p/a.py", 7, drawing) == "ok"
    draw = "acp.review.marks.draw"
    assert calls == [draw, *["acp.ui.cells.measure"] * asked, draw]


async def test_files_without_hunks_are_left_out() -> None:
    lua = Lua()
    reviews = review("/p/a.py", "a\n", "a\n"), review("/p/b.py", "a\n", "b\n")
    await NvimReviewer(lua).files(reviews)
    files = [{"path": "/p/b.py", "rows": [0]}]
    assert lua.calls == [("acp.review.marks.files", files, False)]
    await NvimReviewer(lua).files(reviews, ["/p/a.py", "/p/b.py"], on=True)
    files.append({"path": "/p/a.py", "rows": []})
    assert lua.calls[1] == ("acp.review.marks.files", files, True)


def of_many_files() -> Overview:
    return overview([(f"{at}.py", review(f"/p/{at}.py", "a\n", "b\n"), ["b"]) for at in range(500)])


async def test_an_overview_comes_in_portions_each_with_its_hunks() -> None:
    lua, whole = Lua(True), of_many_files()
    await NvimReviewer(lua).overview(4, whole)
    calls = [(op, hunks) for _, buffer, op, hunks in lua.calls if buffer == 4]
    assert len(calls) > 1
    assert all(len(op[2]) + 2 * len(op[3]) <= PORTION for op, _ in calls)
    assert [line for op, _ in calls for line in op[2]] == [line.text for line in whole.lines]
    assert [hunk["key"] for _, hunks in calls for hunk in hunks] == [it.key for it in whole.hunks]
    for op, hunks in calls:
        assert all(op[0] <= hunk["row"] < op[0] + len(op[2]) for hunk in hunks)
    assert [op[0] for op, _ in calls] == [0, *(op[1] for op, _ in calls[:-1])]
    assert calls[-1][0][1] == -1


async def test_an_overview_that_was_closed_is_drawn_no_further() -> None:
    lua = Lua(False)
    await NvimReviewer(lua).overview(4, of_many_files())
    assert len(lua.calls) == 1
