"""The permission menu: no focus, no mode, keys, and a life exactly as long as the request."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim


@pytest.fixture
def chat(spy: BridgeSpy) -> int:
    """Open a session; the cursor is in its prompt."""
    return spy.open_session()[0]


def config(nvim: Neovim, window: int) -> dict[str, Any]:
    return nvim.api.nvim_win_get_config(window)


def focus(nvim: Neovim, *ask_id: str) -> None:
    nvim.lua("require('acp.ask.menus').focus_ask(...)", *ask_id)


def close(nvim: Neovim, ask_id: str = "ask-1") -> None:
    nvim.lua("require('acp.ask.menus').close_ask(...)", ask_id)


def here(nvim: Neovim) -> int:
    return int(nvim.eval("win_getid()"))


@pytest.mark.parametrize(
    ("keys", "mode"),
    [("i", "i"), ("ia<Esc>v", "v"), ("d", "no"), (":echo 1", "c"), ("/a", "c"), ("R", "R")],
)
def test_it_opens_without_focus_and_changes_no_mode(
    nvim: Neovim, spy: BridgeSpy, chat: int, keys: str, mode: str
) -> None:
    nvim.input(keys)
    window, jumps = here(nvim), nvim.eval("getjumplist()")
    asked = spy.open_ask(chat)
    assert nvim.mode() == {"mode": mode, "blocking": False}
    assert here(nvim) == window
    assert nvim.eval("getjumplist()") == jumps
    assert nvim.lines(asked["bufnr"])[0] == "make test"
    assert config(nvim, asked["winid"])["focusable"]
    assert spy.told("ask_window") == []
    close(nvim)
    assert nvim.mode() == {"mode": mode, "blocking": False}
    assert here(nvim) == window


def test_it_lies_at_the_bottom_of_its_chat(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    asked = spy.open_ask(chat)
    place = config(nvim, asked["winid"])
    info = nvim.lua("return vim.fn.getwininfo(require('acp.ui.layout').window_of(...))[1]", chat)
    bottom = info["winrow"] - 1 + info["winbar"] + info["height"]
    assert place["row"] + place["height"] + 2 == bottom
    assert place["col"] + place["width"] + 2 <= nvim.eval("&columns")


def test_without_its_chat_it_is_in_the_corner_where_the_cursor_is_not(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    nvim.lua("require('acp.chat.window').chat('close')")
    asked = spy.open_ask(chat)
    assert config(nvim, asked["winid"])["row"] == 0
    close(nvim)
    nvim.lua("vim.fn.setline(1, ('x'):rep(95))")
    nvim.input("$")
    asked = spy.open_ask(chat)
    assert config(nvim, asked["winid"])["row"] > 10


def test_a_number_chooses_and_goes_back(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    spy.open_ask(chat)
    window = here(nvim)
    nvim.input("<Tab>")
    assert here(nvim) != window
    nvim.input("2")
    assert spy.told("respond") == [{"ask": "ask-1", "option": "reject"}]
    assert here(nvim) == window


def test_return_chooses_only_on_an_option(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    spy.open_ask(chat)
    nvim.input("<Tab>")
    assert nvim.eval("[line('.'), &cursorline]") == [3, 1]
    nvim.input("gg<CR>")
    assert spy.told("respond") == []
    assert nvim.eval("&cursorline") == 0
    nvim.input("jjj")
    assert nvim.eval("&cursorline") == 1
    nvim.input("<CR>")
    assert spy.told("respond") == [{"ask": "ask-1", "option": "reject"}]


@pytest.mark.parametrize("key", ["q", "<Esc>"])
def test_leaving_keeps_it_pending(nvim: Neovim, spy: BridgeSpy, chat: int, key: str) -> None:
    asked = spy.open_ask(chat)
    window = here(nvim)
    nvim.input(f"<Tab>{key}")
    assert here(nvim) == window
    assert nvim.api.nvim_win_is_valid(asked["winid"])
    assert spy.told("respond") == []


def test_details_in_a_larger_float(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    asked = spy.open_ask(chat)
    nvim.input("<Tab>d")
    assert nvim.lines() == ["the whole command"]
    assert config(nvim, here(nvim))["width"] == 80
    nvim.input("q")
    assert here(nvim) == asked["winid"]
    nvim.input("d1")
    assert spy.told("respond") == [{"ask": "ask-1", "option": "allow"}]
    assert len(nvim.lua("return vim.api.nvim_list_wins()")) == 4


def test_closing_it_takes_its_details_too(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    asked = spy.open_ask(chat)
    window = here(nvim)
    nvim.input("<Tab>d")
    close(nvim)
    assert here(nvim) == window
    assert len(nvim.lua("return vim.api.nvim_list_wins()")) == 3
    assert not nvim.api.nvim_buf_is_valid(asked["bufnr"])
    close(nvim)


@pytest.mark.parametrize("command", ["quit", "only"])
def test_what_the_user_closes_comes_back(
    nvim: Neovim, spy: BridgeSpy, chat: int, command: str
) -> None:
    asked = spy.open_ask(chat)
    if command == "quit":
        nvim.input("<Tab>")
    nvim.command(command)
    nvim.wait(lambda: bool(spy.told("ask_window")))
    (again,) = spy.told("ask_window")
    assert again["ask"] == "ask-1"
    assert again["bufnr"] == asked["bufnr"]
    assert again["winid"] != asked["winid"]
    assert nvim.api.nvim_win_is_valid(again["winid"])
    assert here(nvim) != again["winid"]


def test_a_wiped_menu_is_made_again(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    asked = spy.open_ask(chat)
    nvim.command(f"bwipeout {asked['bufnr']}")
    nvim.wait(lambda: bool(spy.told("ask_window")))
    (again,) = spy.told("ask_window")
    assert nvim.lines(again["bufnr"])[0] == "make test"
    focus(nvim)
    nvim.input("1")
    assert spy.told("respond") == [{"ask": "ask-1", "option": "allow"}]


def test_it_comes_along_to_another_tabpage(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    spy.open_ask(chat)
    nvim.command("tabnew")
    nvim.wait(lambda: bool(spy.told("ask_window")))
    (again,) = spy.told("ask_window")
    tab = nvim.api.nvim_win_get_tabpage(again["winid"])
    assert tab == nvim.api.nvim_get_current_tabpage()
    assert len(nvim.lua("return vim.api.nvim_list_wins()")) == 5
    close(nvim)
    assert len(nvim.lua("return vim.api.nvim_list_wins()")) == 4


def test_several_cascade_and_the_oldest_is_first(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    first = spy.open_ask(chat)
    second = spy.open_ask(chat, "ask-2")
    one, two = config(nvim, first["winid"]), config(nvim, second["winid"])
    assert one["zindex"] > two["zindex"]
    assert (one["row"], one["col"]) != (two["row"], two["col"])
    focus(nvim)
    assert here(nvim) == first["winid"]
    focus(nvim, "ask-2")
    assert here(nvim) == second["winid"]
    close(nvim)
    assert config(nvim, second["winid"])["row"] == one["row"]


def test_opening_twice_is_opening_once(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    assert spy.open_ask(chat) == spy.open_ask(chat)


def test_it_follows_the_size_of_the_editor(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    asked = spy.open_ask(chat)
    nvim.command("set columns=60 lines=20")
    nvim.wait(
        lambda: config(nvim, asked["winid"])["col"] + config(nvim, asked["winid"])["width"] < 60
    )
    assert config(nvim, asked["winid"])["row"] < 20


def test_where_neovim_refuses_it_opens_soon_after(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    nvim.lua(
        """local chat = ...
        _G.locked = function()
          _G.first = require('acp.ask.menus').open_ask({
            id = 'late', chat = chat, title = 't', footer = 'f',
            ops = { { 0, 1, { 'x', 'yes' }, {} } }, option_rows = { 1 }, options = { 'y' },
            detail_ops = {}, detail_filetype = '',
          })
          return ''
        end
        vim.keymap.set('n', '<F2>', 'v:lua.locked()', { expr = true })""",
        chat,
    )
    nvim.input("<F2>")
    assert nvim.lua("return _G.first.winid") == 0
    nvim.wait(lambda: bool(spy.told("ask_window")))
    (opened,) = spy.told("ask_window")
    assert nvim.lines(opened["bufnr"]) == ["x", "yes"]


def test_it_does_not_keep_neovim_from_quitting(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    nvim.lua("require('acp.chat.window').chat('close')")
    spy.open_ask(chat)
    nvim.rpc.notify("nvim_command", "quit")
    assert nvim.exit_code() == 0


@pytest.mark.parametrize("border", ["", "single", "none", "double"])
def test_borders(nvim: Neovim, spy: BridgeSpy, chat: int, border: str) -> None:
    if not nvim.eval("exists('+winborder')"):
        pytest.skip("'winborder' came with Neovim 0.11")
    nvim.command(f"set winborder={border}")
    asked = spy.open_ask(chat)
    assert config(nvim, asked["winid"])["title"] == [[" Run the tests ", "AcpFloatTitle"]]


def test_going_from_menu_to_menu_leads_back_to_the_text(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    spy.open_ask(chat)
    spy.open_ask(chat, "ask-2")
    window = here(nvim)
    focus(nvim)
    focus(nvim, "ask-2")
    close(nvim, "ask-2")
    assert here(nvim) == window


def test_in_the_command_line_window(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    nvim.input("q:")
    window = here(nvim)
    asked = spy.open_ask(chat)
    assert here(nvim) == window
    assert nvim.api.nvim_win_is_valid(asked["winid"])
    close(nvim)
    assert not nvim.api.nvim_win_is_valid(asked["winid"])
    assert nvim.eval("getcmdwintype()") == ":"
    nvim.input(":q<CR>")
    nvim.wait(lambda: not nvim.api.nvim_buf_is_valid(asked["bufnr"]))


def test_nothing_turns_while_it_is_open(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    spy.open_ask(chat)
    nvim.lua(
        """local set = vim.api.nvim_win_set_config
        _G.count = 0
        vim.api.nvim_win_set_config = function(...) _G.count = _G.count + 1; set(...) end
        vim.cmd('set columns=90')
        vim.wait(100)"""
    )
    assert nvim.lua("return _G.count") < 5


def test_the_menu_of_a_narrow_chat_keeps_off_the_window_in_which_the_user_works(
    nvim: Neovim, spy: BridgeSpy
) -> None:
    nvim.lua("vim.o.columns = 80")
    file = here(nvim)
    chat, _ = spy.open_session()
    nvim.api.nvim_set_current_win(file)
    asked = spy.open_ask(chat)
    column = nvim.lua("return vim.fn.win_screenpos(vim.fn.bufwinid(...))[2]", chat)
    config = nvim.api.nvim_win_get_config(asked["winid"])
    assert config["col"] >= column - 1
    nvim.input("<C-w>l")
    nvim.wait(lambda: nvim.api.nvim_win_get_config(asked["winid"])["width"] > config["width"])


def test_all_options_are_to_be_seen_where_the_text_does_not_fit(
    nvim: Neovim, spy: BridgeSpy
) -> None:
    nvim.lua("vim.o.lines = 16")
    chat, _ = spy.open_session()
    lines = [*(f"line {number}" for number in range(40)), "1. Yes", "2. No", "3. Never"]
    more = {"ops": [[0, 1, lines, []]], "option_rows": [40, 41, 42], "options": ["y", "n", "x"]}
    asked = spy.open_ask(chat, **more)
    shown = "return {vim.fn.line('w0', ...), vim.fn.line('w$', ...), vim.fn.line('.', ...)}"
    assert nvim.lua(shown, asked["winid"])[1:] == [43, 41]


def test_the_key_after_the_command_is_for_the_menu_already(nvim: Neovim, spy: BridgeSpy) -> None:
    file = here(nvim)
    chat, _ = spy.open_session()
    nvim.api.nvim_set_current_win(file)
    spy.open_ask(chat)
    spy.open_ask(chat, "ask-2")
    nvim.input(":Acp permit<CR>2")
    assert spy.told("respond") == [{"ask": "ask-1", "option": "reject"}]
    assert spy.told("permit") == []
    assert nvim.api.nvim_get_mode()["mode"] == "n"
