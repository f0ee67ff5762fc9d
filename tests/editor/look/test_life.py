"""The row that says that a turn runs."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim
from tests.support.screen.grid import Picture, Screen

RUNNING: dict[str, Any] = {
    "agent": "tutor",
    "state": "running",
    "turn": 1,
    "doing": "Read cache.py",
}


def row(nvim: Neovim, chat: int) -> tuple[int, str] | None:
    """Return where the row is, and what it says."""
    marks = nvim.lua(
        """local namespace = vim.api.nvim_create_namespace('acp_life')
        return vim.api.nvim_buf_get_extmarks(..., namespace, 0, -1, { details = true })""",
        chat,
    )
    if not marks:
        return None
    [(_, line, _, details)] = marks
    return line, "".join(text for text, _ in details["virt_text"])


def said(nvim: Neovim, chat: int) -> str:
    found = row(nvim, chat)
    return found[1] if found else ""


def test_the_last_row_says_what_runs_and_how_to_end_it(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    spy.frame(chat, [0, 1, ["fix it", ""], []], status=RUNNING)
    found = row(nvim, chat)
    assert found
    assert found[0] == 1
    assert re.fullmatch(r". Read cache.py · 0:\d\d · :Acp cancel", found[1])
    assert nvim.lines(chat) == ["fix it", ""]
    spy.frame(chat, [1, 2, ["", "well", ""], []])
    moved = row(nvim, chat)
    assert moved
    assert moved[0] == 3


def test_it_moves_and_goes_with_the_turn(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    spy.frame(chat, status=RUNNING)
    first = said(nvim, chat)
    nvim.wait(lambda: said(nvim, chat) != first)
    spy.frame(chat, status=RUNNING | {"doing": "writing"})
    assert " writing · 0:0" in said(nvim, chat)
    spy.frame(chat, status={"agent": "tutor", "state": "idle", "turn": 1})
    assert row(nvim, chat) is None


def test_it_stands_still_while_the_user_is_waited_for(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    spy.frame(chat, status=RUNNING | {"doing": "waiting for you", "pending": 1})
    assert re.fullmatch(r"◐ waiting for you · 0:\d\d", said(nvim, chat))
    first = said(nvim, chat)
    nvim.wait(lambda: said(nvim, chat) != first)
    assert said(nvim, chat).startswith("◐ waiting for you · 0:")


def test_it_goes_with_the_host(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    spy.frame(chat, status=RUNNING)
    spy.end_host()
    assert row(nvim, chat) is None


@pytest.mark.parametrize("width", [30, 40, 80])
def test_a_long_title_leaves_room_for_the_rest(nvim: Neovim, spy: BridgeSpy, width: int) -> None:
    chat, _ = spy.open_session()
    nvim.lua(
        """local chat, width = ...
        vim.o.columns = 120
        vim.api.nvim_win_set_width(require('acp.ui.layout').window_of(chat), width)""",
        chat,
        width,
    )
    spy.frame(chat, status=RUNNING | {"doing": "Run " + "x" * 200})
    text = said(nvim, chat)
    assert re.search(r"… · 0:\d\d · :Acp cancel$", text)
    assert len(text) == width - len("▌ ") - 1


def test_a_call_that_runs_turns_and_nothing_else_does(nvim: Neovim, spy: BridgeSpy) -> None:
    with Screen(nvim) as screen:
        chat, _ = spy.open_session()
        running = {"sign_text": "◐", "sign_hl_group": "AcpToolRunning"}
        done = {"sign_text": "✓", "sign_hl_group": "AcpToolDone"}
        marks = [[0, 0, running], [1, 0, done]]
        spy.frame(chat, [0, 1, ["Run the tests", "Read it", ""], marks], status=RUNNING)

        def icon(picture: Picture) -> str:
            row = next(row for row in picture.text() if "Run the tests" in row)
            return row[row.index("Run the tests") - 2]

        screen.wait_for("✓ Read it")
        first = icon(screen.wait(lambda now: icon(now) in "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"))
        screen.wait(lambda now: icon(now) != first)
        spy.frame(chat, status={"agent": "tutor", "state": "idle", "turn": 1})
        screen.wait(lambda now: icon(now) == "◐")


def test_no_sign_turns_while_the_user_is_waited_for(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    mark = [0, 0, {"sign_text": "◐", "sign_hl_group": "AcpToolRunning"}]
    spy.frame(chat, [0, 1, ["Run the tests", ""], [mark]], status=RUNNING)

    def sign() -> str:
        code = """local namespace = vim.api.nvim_create_namespace('acp')
        local marks = vim.api.nvim_buf_get_extmarks(..., namespace, 0, -1, { details = true })
        return vim.trim(marks[1][4].sign_text)"""
        return str(nvim.lua(code, chat))

    nvim.wait(lambda: sign() != "◐")
    spy.frame(chat, status=RUNNING | {"doing": "waiting for you", "pending": 1})
    assert sign() == "◐"
    first = said(nvim, chat)
    nvim.wait(lambda: said(nvim, chat) != first)  # its row, once a second
    assert sign() == "◐"
    spy.frame(chat, status=RUNNING)
    nvim.wait(lambda: sign() != "◐")
