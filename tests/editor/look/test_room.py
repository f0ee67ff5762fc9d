"""Opening and closing our windows: the user's windows share the room as they did before."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim
from tests.support.screen.grid import Screen

WIDTHS = "vim.tbl_map(vim.api.nvim_win_get_width, {...})"
HEIGHTS = "vim.tbl_map(vim.api.nvim_win_get_height, {...})"


def windows(nvim: Neovim) -> list[int]:
    return list(nvim.lua("return vim.api.nvim_tabpage_list_wins(0)"))


def sizes(nvim: Neovim, of: list[int], what: str = WIDTHS) -> list[int]:
    return list(nvim.lua(f"return {what}", *of))


def chat(nvim: Neovim, do: str) -> None:
    nvim.lua(f"require('acp.chat.window').chat('{do}')")


@pytest.mark.parametrize("equal", ["equalalways", "noequalalways"])
@pytest.mark.parametrize(
    ("columns", "side", "splits"),
    [
        (100, "right", "vsplit"),
        (160, "right", "vsplit | vsplit"),
        (220, "right", "vsplit | split"),
        (160, "left", "vsplit"),
    ],
)
def test_windows_side_by_side_share_what_the_chat_leaves(
    spy: BridgeSpy, nvim: Neovim, columns: int, side: str, splits: str, equal: str
) -> None:
    nvim.command(f"set columns={columns} {equal} | {splits} | wincmd =")
    nvim.lua("vim.g.acp = vim.tbl_extend('force', vim.g.acp, { ui = { layout = ... } })", side)
    own = windows(nvim)
    before, heights = sizes(nvim, own), sizes(nvim, own, HEIGHTS)
    spy.open_session()
    after = sizes(nvim, own)
    assert max(after) - min(after) <= 2
    assert sizes(nvim, own, HEIGHTS) == heights
    chat(nvim, "close")
    assert all(abs(old - new) <= 1 for old, new in zip(before, sizes(nvim, own), strict=True))


def test_what_the_user_has_made_wide_stays_wide(spy: BridgeSpy, nvim: Neovim) -> None:
    nvim.command("set columns=200 | vsplit | vertical resize 150")
    wide, narrow = windows(nvim)
    spy.open_session()
    assert sizes(nvim, [wide, narrow]) == [89, 29]  # of 118, beside a chat of 80
    chat(nvim, "close")
    assert sizes(nvim, [wide, narrow]) == [150, 49]


def test_a_window_of_fixed_width_keeps_it(spy: BridgeSpy, nvim: Neovim) -> None:
    nvim.command("set columns=160 | vsplit | vsplit | vertical resize 30 | set winfixwidth")
    tree, *files = windows(nvim)
    nvim.command("wincmd =")
    spy.open_session()
    assert sizes(nvim, [tree]) == [30]
    left, right = sizes(nvim, files)
    assert abs(left - right) <= 1
    chat(nvim, "close")
    assert sizes(nvim, [tree]) == [30]


def test_a_row_below_takes_of_all(spy: BridgeSpy, nvim: Neovim) -> None:
    nvim.command("set lines=50 | split | split | wincmd =")
    nvim.lua("vim.g.acp = vim.tbl_extend('force', vim.g.acp, { ui = { layout = 'bottom' } })")
    own = windows(nvim)
    spy.open_session()
    after = sizes(nvim, own, HEIGHTS)
    assert max(after) - min(after) <= 1


def test_the_list_of_sessions_takes_of_all(spy: BridgeSpy, nvim: Neovim) -> None:
    nvim.command("set lines=50 | split | split | wincmd =")
    own = windows(nvim)
    nvim.command("Acp sessions")
    after = sizes(nvim, own, HEIGHTS)
    assert max(after) - min(after) <= 1


@pytest.fixture
def double(nvim: Neovim) -> None:
    if not nvim.lua("return vim.fn.exists('+winborder') == 1"):
        pytest.skip("this Neovim has no 'winborder'")
    nvim.command("set winborder=double")


@pytest.mark.usefixtures("double")
def test_floats_have_the_border_that_the_user_wants(spy: BridgeSpy, nvim: Neovim) -> None:
    def corner() -> Any:
        return nvim.lua(
            """for _, window in ipairs(vim.api.nvim_list_wins()) do
              local config = vim.api.nvim_win_get_config(window)
              if config.relative ~= '' then return config.border[1] end
            end"""
        )

    nvim.command(f"edit {nvim.cwd}/a.py | Acp comment")
    assert corner() == "╔"
    nvim.input("<Esc>q")
    nvim.command("Acp why")
    spy.answer({"ops": [[0, -1, ["nobody"], []]]})
    assert nvim.wait(corner) == "╔"
    nvim.input("q")
    spy.open_session()
    nvim.input("g?")
    assert corner() == "╔"
    nvim.input("q")
    chat(nvim, "close")
    nvim.lua("vim.g.acp = vim.tbl_extend('force', vim.g.acp, { ui = { layout = 'float' } })")
    with Screen(nvim, columns=100, rows=30) as screen:
        spy.open_session("gemini")
        screen.wait(lambda picture: sum("╔" in row for row in picture.text()) == 2)
