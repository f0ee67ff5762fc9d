"""What the view is made of, as Lua takes it."""

from __future__ import annotations

from acp_nvim.nvim.plain import bar, plain
from acp_nvim.session.state import SessionState
from acp_nvim.view.block import Highlight, Line
from acp_nvim.view.op import Replace
from acp_nvim.view.question.comparison import Comparison, Side
from acp_nvim.view.status import winbar

IDLE = SessionState("tutor", "/w", id="s1", status="idle")


def test_the_parts_of_the_bar_are_plain_data() -> None:
    assert bar(winbar(IDLE, title="Tutor 1.0", now=0)) == [
        {"group": "AcpWinbarState", "text": "idle", "need": 0, "right": False, "grows": False},
        {"group": "AcpWinbarAgent", "text": "Tutor 1.0", "need": 1, "right": False, "grows": False},
    ]


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
        "seen": "",
    }
    assert plain(None) is None
