"""What the view is made of, as Lua takes it."""

from __future__ import annotations

from acp_nvim.nvim.plain import bar, packed, plain
from acp_nvim.session.state import SessionState
from acp_nvim.view.block import Conceal, Highlight, Line, VirtualText
from acp_nvim.view.op import Replace
from acp_nvim.view.question.comparison import Comparison, Side
from acp_nvim.view.status import winbar

IDLE = SessionState("tutor", "/w", id="s1", status="idle")


def test_the_parts_of_the_bar_are_plain_data() -> None:
    assert bar(winbar(IDLE, title="Tutor 1.0", now=0)) == [
        {"group": "AcpWinbarState", "text": "idle", "need": 0, "right": False, "grows": False},
        {
            **{"group": "AcpWinbarAgent", "text": "Tutor 1.0", "need": 1, "right": False},
            **{"short": "tutor", "grows": False},
        },
    ]


def test_a_frame_has_the_kinds_of_marks_once() -> None:
    bold, rule = Highlight(0, 1, "Bold"), VirtualText(2, (("x", "G"),))
    lines = (Line("ab", (bold, Conceal(1, 2))), Line("cd", (Highlight(1, 2, "Bold"), rule)))
    virtual = {"virt_text": [["x", "G"]], "virt_text_pos": "inline"}
    assert packed(Replace(3, 4, lines)) == [
        *(3, 4, ["ab", "cd"]),
        [0, 0, 1, 1, 0, 1, 2, 2, 1, 1, 2, 1, 1, 2, -1, 3],
        [{"hl_group": "Bold"}, {"conceal": ""}, virtual],
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
