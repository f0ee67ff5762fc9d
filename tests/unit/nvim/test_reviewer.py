"""How the marks of a review travel to `lua/acp/review/marks.lua`."""

from __future__ import annotations

from typing import Any

from acp_nvim.nvim.reviewer import MOST_SIGNS, NvimReviewer
from acp_nvim.view.review.marks import Drawing, RowMark
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
    function, path, tick, marks, hunks = lua.calls[0]
    assert (function, path, tick, hunks) == ("acp.review.marks.draw", "/p/a.py", 7, [[3, 9003]])
    signs, colour, note = marks
    assert (signs[0], signs[3], signs[2]["sign_text"]) == (3, MOST_SIGNS, "┃")
    assert (colour[0], colour[3], colour[2]["end_row"]) == (3, 1, 9003)
    assert note[2]["virt_text"] == [[" new", "AcpReviewSign"]]


async def test_it_says_why_nothing_was_drawn() -> None:
    for outcome in ("stale", "gone"):
        assert await NvimReviewer(Lua({outcome: True})).draw("/p/a.py", 7, Drawing()) == outcome


async def test_files_without_hunks_are_left_out() -> None:
    lua = Lua()
    reviews = review("/p/a.py", "a\n", "a\n"), review("/p/b.py", "a\n", "b\n")
    await NvimReviewer(lua).files(reviews)
    files = [{"path": "/p/b.py", "rows": [0]}]
    assert lua.calls == [("acp.review.marks.files", files, False)]
    await NvimReviewer(lua).files(reviews, ["/p/a.py", "/p/b.py"], on=True)
    files.append({"path": "/p/a.py", "rows": []})
    assert lua.calls[1] == ("acp.review.marks.files", files, True)
