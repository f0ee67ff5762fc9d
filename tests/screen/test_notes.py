"""What the user sees of the notes that go along with a prompt."""

from __future__ import annotations

import pytest

from acp_nvim.nvim.plain import op
from acp_nvim.view.diff.change import diff_lines
from acp_nvim.view.op import Replace
from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim
from tests.support.screen.grid import Screen

NOTES = [
    {"key": "rejected", "label": "rejected: 2 files", "size": "+8 −6"},
    {"key": "changed", "label": "changed: util.py", "size": "+4 −3"},
]
TEXT = "The user has rejected:\n\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1 @@\n kept\n-gone\n"


@pytest.mark.parametrize(
    ("columns", "bar"),
    [
        (80, "<CR> sends · <C-x> removes"),
        (100, "<CR> sends · <C-x> removes · K shows"),
        (160, "<CR> sends to tutor · <C-x> removes · K shows"),
    ],
)
def test_the_notes_fit_the_prompt_s_window(
    nvim: Neovim, spy: BridgeSpy, columns: int, bar: str
) -> None:
    with Screen(nvim, columns=columns, rows=30) as screen:
        chat, _ = spy.open_session()
        nvim.lua("require('acp.prompt.attachment').note(...)", chat, NOTES)
        picture = screen.wait_for("2 changed: util.py · +4 −3")
        row, column = screen.find("rejected") or (0, 0)
        assert picture.rows[row][column].attributes.foreground != picture.foreground
        screen.wait(lambda picture: picture.cursor[0] == row - 1)
        top = picture.text()[row - 2]
        assert top.endswith(f" {bar}")


def test_what_they_say_is_shown_in_colours(nvim: Neovim, spy: BridgeSpy) -> None:
    with Screen(nvim, columns=120, rows=30) as screen:
        chat, _ = spy.open_session()
        nvim.lua("require('acp.prompt.attachment').note(...)", chat, NOTES)
        nvim.input("K")
        spy.answer({"ops": [op(Replace(0, -1, diff_lines(TEXT)))]})
        screen.wait_for("What the agent will be told")
        picture = screen.wait_for("-gone")

        def groups(text: str) -> tuple[str, ...]:
            row, column = screen.find(text) or (0, 0)
            return picture.rows[row][column].groups

        assert "DiffDelete" in groups("-gone")
        assert "Directory" in groups("--- a/x.py")
        assert "DiffDelete" not in groups("The user has")
