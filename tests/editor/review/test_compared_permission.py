"""The files of a permission side by side, with its options below."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.comparison import OLD, opened_file, spec, windows
from tests.support.fakes.spy import ALLOWED, REJECTED, BridgeSpy
from tests.support.nvim import Neovim


@pytest.fixture
def path(nvim: Neovim) -> Path:
    """Write a file, and open it."""
    return opened_file(nvim)


@pytest.fixture
def chat(spy: BridgeSpy) -> int:
    """Open a session; the cursor is in its prompt."""
    return spy.open_session()[0]


def compared(
    nvim: Neovim, spy: BridgeSpy, chat: int, path: Path, count: int = 1, answer: Any = None
) -> int:
    """Open a menu, and the files that it is about; return the window from which the user came."""
    window = int(nvim.eval("win_getid()"))
    spy.open_ask(chat, comparable=count)
    nvim.input("<Tab>d")
    spy.answer(answer or spec(path))
    assert len(windows(nvim)) == 3, "the options stand below at once"
    return window


def test_the_options_stand_below_the_files(
    nvim: Neovim, path: Path, spy: BridgeSpy, chat: int
) -> None:
    compared(nvim, spy, chat, path)
    assert spy.told("compare") == [{"ask": "ask-1", "index": 0}]
    assert nvim.eval("expand('%:t')") == "a.py (as proposed)"
    below = "return vim.fn.getwininfo(vim.fn.win_getid(3))[1]"
    info = nvim.lua(below)
    assert nvim.lines(info["bufnr"])[info["topline"] - 1 :] == [
        "✓ 1. Allow once",
        "✗ 2. Reject once",
    ]
    assert [info["height"], info["winbar"], info["topline"]] == [2, 1, 1]


@pytest.mark.parametrize("count", [26, 30, 60])
def test_equal_lines_are_level(
    nvim: Neovim, path: Path, spy: BridgeSpy, chat: int, count: int
) -> None:
    """Also with a folded beginning, and with the options below."""
    nvim.lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('a.py'), ..., -1, true, {})", count)
    nvim.command("call win_execute(bufwinid('a.py'), 'normal! G')")
    comparison = spec(path)
    comparison["right"]["lines"] = [*OLD[:19], "more", "and more", *OLD[20:count]]
    compared(nvim, spy, chat, path, answer=comparison)
    left, right = nvim.lua("return vim.api.nvim_tabpage_list_wins(0)")[:2]
    places = ((left, 22), (right, 23), (left, 18), (right, 18))
    rows = [nvim.eval(f"screenpos({window}, {line}, 1).row") for window, line in places]
    assert rows[0] == rows[1] > rows[2] == rows[3] > 0


@pytest.mark.parametrize("keys", ["2", "<C-w>j2", "<C-w>jG<CR>", "D2", ":Acp permit<CR>2"])
def test_it_is_answered_from_there(
    nvim: Neovim, path: Path, spy: BridgeSpy, chat: int, keys: str
) -> None:
    window = compared(nvim, spy, chat, path)
    nvim.wait(lambda: len(windows(nvim)) == 3)
    nvim.input(keys)
    assert spy.told("respond") == [REJECTED]
    assert nvim.eval("win_getid()") == window
    spy.close_ask()
    nvim.wait(lambda: nvim.eval("tabpagenr('$')") == 1)
    assert nvim.eval("win_getid()") == window
    assert not any(is_diff for _, is_diff in windows(nvim))


@pytest.mark.parametrize("keys", ["q", "<Esc>", "<C-w>jq", ":q<CR>", ":tabclose<CR>"])
def test_it_is_left_pending(nvim: Neovim, path: Path, spy: BridgeSpy, chat: int, keys: str) -> None:
    window = compared(nvim, spy, chat, path)
    nvim.wait(lambda: len(windows(nvim)) == 3)
    nvim.input(keys)
    nvim.wait(lambda: nvim.eval("tabpagenr('$')") == 1)
    assert nvim.eval("win_getid()") == window
    assert spy.told("respond") == []
    nvim.input("<Tab>1")
    assert spy.told("respond") == [ALLOWED]


def test_it_goes_with_the_request(nvim: Neovim, path: Path, spy: BridgeSpy, chat: int) -> None:
    window = compared(nvim, spy, chat, path)
    spy.close_ask()
    assert nvim.eval("[tabpagenr('$'), win_getid()]") == [1, window]


def test_it_goes_with_the_request_while_the_user_is_elsewhere(
    nvim: Neovim, path: Path, spy: BridgeSpy, chat: int
) -> None:
    compared(nvim, spy, chat, path)
    nvim.command("tabfirst | wincmd t")
    window = nvim.eval("win_getid()")
    nvim.wait(lambda: bool(spy.told("ask_window")))
    spy.close_ask()
    assert nvim.eval("[tabpagenr('$'), win_getid()]") == [1, window]


def test_it_goes_once_neovim_lets_it(nvim: Neovim, path: Path, spy: BridgeSpy, chat: int) -> None:
    window = compared(nvim, spy, chat, path)
    nvim.input(":<C-f>")
    spy.close_ask()
    assert nvim.eval("getcmdwintype()") == ":"
    nvim.input(":q<CR>")
    nvim.wait(lambda: nvim.eval("tabpagenr('$')") == 1)
    assert nvim.eval("win_getid()") == window
    assert not any(is_diff for _, is_diff in windows(nvim))


def goes(nvim: Neovim) -> None:
    """Take the request back, as the host would."""
    nvim.lua("require('acp.ask.window').show(nil)")


def goes_later(nvim: Neovim) -> None:
    """Take the request back while its comparison has to stay; return when it was tried again."""
    nvim.lua(
        """local defer = vim.defer_fn
        _G.tries = 0
        vim.defer_fn = function(...) _G.tries = _G.tries + 1 return defer(...) end"""
    )
    goes(nvim)
    nvim.wait("_G.tries > 1")


def is_over(nvim: Neovim) -> bool:
    return bool(nvim.lua("return require('acp.ui.compare').find('ask-1') == nil"))


def prompt_of(nvim: Neovim) -> list[str]:
    return nvim.lines(nvim.eval("bufnr('^acp-prompt:')"))


OPENINGS = [
    ":new<CR>",
    ":vnew<CR>",
    "<C-w>n",
    ":botright new<CR>",
    ":split<CR>:enew<CR>",
    "<C-w>j:new<CR>",
    "<C-w>h<C-w>v:enew<CR>",
    ":tabfirst<CR>gt:new<CR>",
]


@pytest.mark.parametrize("keys", OPENINGS)
def test_whoever_types_in_another_window_goes_on_there(
    nvim: Neovim, path: Path, spy: BridgeSpy, chat: int, keys: str
) -> None:
    compared(nvim, spy, chat, path)
    nvim.input(f"{keys}ione <CR>two ")
    window = nvim.eval("win_getid()")
    assert nvim.mode()["mode"] == "i"
    goes(nvim)
    assert is_over(nvim)
    assert nvim.mode()["mode"] == "i"
    nvim.input("three<Left><Left>")
    assert [nvim.eval("win_getid()"), nvim.lines()] == [window, ["one ", "two three"]]
    assert nvim.eval("[tabpagenr('$'), winnr('$'), col('.')]") == [2, 1, 8]
    assert prompt_of(nvim) == [""]


@pytest.mark.parametrize("mode", ["", "v", "V", "R", ":"], ids=["n", "v", "V", "R", "c"])
def test_whoever_is_in_another_window_stays_there_in_his_mode(
    nvim: Neovim, path: Path, spy: BridgeSpy, chat: int, mode: str
) -> None:
    compared(nvim, spy, chat, path)
    nvim.input(f":new<CR>ione two<Esc>0{mode}")
    before = [nvim.eval("win_getid()"), nvim.mode(), nvim.eval("getpos('.')")]
    goes(nvim)
    assert is_over(nvim)
    assert [nvim.eval("win_getid()"), nvim.mode(), nvim.eval("getpos('.')")] == before


def test_whoever_types_in_a_split_of_the_live_file_goes_on_there(
    nvim: Neovim, path: Path, spy: BridgeSpy, chat: int
) -> None:
    compared(nvim, spy, chat, path)
    nvim.input("<C-w>h:split<CR>ggOhello ")
    window = nvim.eval("win_getid()")
    goes(nvim)
    nvim.input("world")
    assert [nvim.eval("win_getid()"), nvim.lines()[0]] == [window, "hello world"]
    assert windows(nvim) == [["a.py", False]]


@pytest.mark.parametrize("keys", ["<C-w>l", "<C-w>b", "<C-w>bD"], ids=["side", "menu", "details"])
def test_windows_of_the_user_stay_when_he_is_in_one_of_ours(
    nvim: Neovim, path: Path, spy: BridgeSpy, chat: int, keys: str
) -> None:
    window = compared(nvim, spy, chat, path)
    nvim.input(f":topleft new mine.txt<CR>imine<Esc><C-w>j{keys}")
    goes(nvim)
    assert nvim.eval("[win_getid(), tabpagenr('$')]") == [window, 2]
    assert nvim.mode()["mode"] == "n"
    nvim.input("gt")
    assert windows(nvim) == [["mine.txt", False]]
    assert nvim.lines() == ["mine"]


def test_whoever_types_a_command_in_one_of_ours_ends_it_first(
    nvim: Neovim, path: Path, spy: BridgeSpy, chat: int
) -> None:
    window = compared(nvim, spy, chat, path)
    nvim.input(":let g:where = win_")
    here = nvim.eval("win_getid()")
    goes(nvim)
    nvim.input("getid()<CR>")
    assert nvim.eval("g:where") == here
    nvim.wait(lambda: nvim.eval("tabpagenr('$')") == 1)
    assert nvim.eval("win_getid()") == window


def test_whoever_types_in_a_float_above_it_ends_that_first(
    nvim: Neovim, path: Path, spy: BridgeSpy, chat: int
) -> None:
    window = compared(nvim, spy, chat, path)
    nvim.lua(
        """local buffer = vim.api.nvim_create_buf(false, true)
        local config = { relative = 'editor', row = 1, col = 1, width = 20, height = 2 }
        _G.float = vim.api.nvim_open_win(buffer, true, config)"""
    )
    nvim.input("ihello ")
    goes_later(nvim)
    nvim.input("world")
    assert nvim.lines() == ["hello world"]
    nvim.input("<Esc>:q<CR>")
    nvim.wait(lambda: nvim.eval("tabpagenr('$')") == 1)
    assert nvim.eval("win_getid()") == window
    assert prompt_of(nvim) == [""]


def test_whoever_types_in_the_command_line_window_goes_on_there(
    nvim: Neovim, path: Path, spy: BridgeSpy, chat: int
) -> None:
    """Until it is left: then in the window from which it was opened."""
    compared(nvim, spy, chat, path)
    nvim.input(":new<CR>")
    window = nvim.eval("win_getid()")
    nvim.input("q:ilet g:typed = 'hello ")
    goes_later(nvim)
    nvim.input("world'")
    assert nvim.mode()["mode"] == "i"
    assert nvim.eval("[getcmdwintype(), getline('.')]") == [":", "let g:typed = 'hello world'"]
    nvim.input("<CR>")
    nvim.wait(lambda: is_over(nvim))
    assert nvim.eval("g:typed") == "hello world"
    assert nvim.eval("[win_getid(), winnr('$'), tabpagenr('$')]") == [window, 1, 2]
    assert prompt_of(nvim) == [""]


def test_the_command_line_window_may_be_a_window_like_any_other(
    nvim: Neovim, path: Path, spy: BridgeSpy, chat: int
) -> None:
    """Neovim 0.13 refuses nothing while it is open, so it is we who have to wait."""
    window = compared(nvim, spy, chat, path)
    nvim.lua(
        """vim.cmd('botright new')
        local own, gettype = vim.api.nvim_get_current_win(), vim.fn.win_gettype
        vim.bo.buftype = 'nofile'
        vim.fn.win_gettype = function(window)
          local is_own = vim.api.nvim_get_current_win() == own and (window or 0) == 0
          return is_own and 'command' or gettype(window or 0)
        end"""
    )
    nvim.input("iecho ")
    goes_later(nvim)
    nvim.input("1")
    assert [nvim.mode()["mode"], nvim.lines(), is_over(nvim)] == ["i", ["echo 1"], False]
    nvim.input("<Esc>:q<CR>")
    nvim.wait(lambda: nvim.eval("tabpagenr('$')") == 1)
    assert nvim.eval("win_getid()") == window


def test_the_menu_goes_along_and_comes_back(
    nvim: Neovim, path: Path, spy: BridgeSpy, chat: int
) -> None:
    compared(nvim, spy, chat, path)
    nvim.wait(lambda: len(windows(nvim)) == 3)
    nvim.command("tabfirst")
    nvim.wait(lambda: len(spy.told("ask_window")) == 2)
    assert nvim.api.nvim_win_get_config(spy.told("ask_window")[1]["winid"])["relative"] == "editor"
    nvim.input("gt")
    nvim.wait(lambda: len(windows(nvim)) == 3)
    nvim.command("wincmd t | wincmd l")
    nvim.input("1")
    assert spy.told("respond") == [ALLOWED]


def test_the_next_file_takes_the_place_of_the_first(
    nvim: Neovim, path: Path, spy: BridgeSpy, chat: int
) -> None:
    window = compared(nvim, spy, chat, path, count=2)
    nvim.input("d")
    assert spy.told("compare")[1] == {"ask": "ask-1", "index": 1}
    spy.answer(spec(None))
    assert nvim.eval("tabpagenr('$')") == 2
    nvim.wait(lambda: len(windows(nvim)) == 3)
    nvim.input("2")
    assert nvim.eval("win_getid()") == window


def test_an_only_file_has_no_next(nvim: Neovim, path: Path, spy: BridgeSpy, chat: int) -> None:
    compared(nvim, spy, chat, path)
    nvim.input("d")
    assert len(spy.told("compare")) == 1
    assert "that is all of it" in nvim.messages()


@pytest.mark.parametrize("keys", ["q", "1", "<C-w>w", "v"])
def test_whoever_has_moved_on_stays_there(
    nvim: Neovim, path: Path, spy: BridgeSpy, chat: int, keys: str
) -> None:
    spy.open_ask(chat, comparable=1)
    nvim.input(f"<Tab>d{keys}")
    window, mode = nvim.eval("win_getid()"), nvim.mode()
    spy.answer(spec(path))
    assert [nvim.eval("win_getid()"), nvim.mode()] == [window, mode]
    assert nvim.eval("tabpagenr('$')") == 1


def test_a_request_that_is_over_compares_nothing(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    spy.open_ask(chat, comparable=1)
    nvim.input("<Tab>d")
    spy.answer(None)
    assert "nothing to compare" in nvim.messages()
    nvim.input("d")
    spy.close_ask()
    spy.answer(None)
    assert nvim.eval("tabpagenr('$')") == 1


def test_details_are_there_besides(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    spy.open_ask(chat, comparable=1)
    nvim.input("<Tab>D")
    spy.answer({"ops": [[0, -1, ["the whole command"], []]]})
    assert nvim.lines()[0] == "the whole command"
    assert spy.told("compare") == []
