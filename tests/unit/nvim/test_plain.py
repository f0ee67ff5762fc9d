"""What the view is made of, as Lua takes it."""

from __future__ import annotations

from dataclasses import replace

from acp_nvim.nvim.plain import plain, statusline
from acp_nvim.session.state import SessionState
from acp_nvim.view.block import Highlight, Line
from acp_nvim.view.op import Replace
from acp_nvim.view.question.comparison import Comparison, Side
from acp_nvim.view.status import winbar

IDLE = SessionState("tutor", "/w", id="s1", status="idle")


def test_the_winbar_is_a_statusline_that_is_cut_at_its_end() -> None:
    assert statusline(winbar(IDLE, title="Tutor 1.0", now=0)) == (
        " %#AcpWinbarAgent#Tutor 1.0%#AcpWinbar# · %#AcpWinbarState#idle%#AcpWinbar# %<"
    )


def test_text_is_no_statusline_item() -> None:
    evil = "%{system('x')}%#Error# 100%"
    bar = statusline(winbar(replace(IDLE, title=evil), title=evil, now=0)).removesuffix("%<")
    parts = bar.split("%#Acp")
    text = parts[0] + "".join(part.split("#", 1)[1] for part in parts[1:])
    assert "%%{system" in text
    assert "%%#Error#" in text
    assert "%" not in text.replace("%%", "")


def test_groups_are_of_bytes() -> None:
    line = Line("ü é%", (Highlight(3, 5, "A"),))
    assert statusline(line) == "ü %#A#é%%%<"


def test_ops_and_comparisons_in_an_answer_are_made_plain() -> None:
    op = Replace(0, -1, (Line("a", (Highlight(0, 1, "G"),)),))
    assert plain({"ops": [op], "row": 1}) == {
        "ops": [[0, -1, ["a"], [[0, 0, {"end_col": 1, "hl_group": "G"}]]]],
        "row": 1,
    }
    assert plain(Comparison(Side("a", ("b",)), Side("c", path="/c"))) == {
        "left": {"name": "a", "lines": ("b",)},
        "right": {"name": "c", "lines": (), "path": "/c"},
        "title": "",
        "focus": "right",
    }
    assert plain(None) is None
