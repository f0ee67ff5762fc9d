"""The window of the questions: no focus, no mode, keys, and a life exactly as long as one waits."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from acp_nvim.view.block import Highlight, Line
from acp_nvim.view.question.menu import FormRow
from acp_nvim.view.question.rows import ALONE
from acp_nvim.view.styled import after, before
from tests.support.fakes.spy import ALLOWED, REJECTED, BridgeSpy, part, question
from tests.support.nvim import Neovim


@pytest.fixture
def chat(spy: BridgeSpy) -> int:
    """Open a session; the cursor is in its prompt."""
    return spy.open_session()[0]


def config(nvim: Neovim, window: int) -> dict[str, Any]:
    return nvim.api.nvim_win_get_config(window)


def here(nvim: Neovim) -> int:
    return int(nvim.eval("win_getid()"))


def windows(nvim: Neovim) -> int:
    return len(nvim.api.nvim_list_wins())


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
    assert nvim.lines(asked["bufnr"])[:2] == ["Run the tests", "make test"]
    assert config(nvim, asked["winid"])["focusable"]
    assert spy.told("ask_window") == []
    spy.close_ask()
    assert nvim.mode() == {"mode": mode, "blocking": False}
    assert here(nvim) == window


def test_it_lies_at_the_bottom_of_its_chat(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    asked = spy.open_ask(chat)
    place = config(nvim, asked["winid"])
    info = nvim.lua("return vim.fn.getwininfo(require('acp.ui.layout').window_of(...))[1]", chat)
    bottom = info["winrow"] - 1 + info["winbar"] + info["height"]
    assert place["row"] + place["height"] + 2 == bottom
    assert place["col"] + place["width"] + 2 <= nvim.eval("&columns")


def test_a_number_chooses_and_goes_back(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    spy.open_ask(chat)
    window = here(nvim)
    nvim.input("<Tab>")
    assert here(nvim) != window
    nvim.input("2")
    assert spy.told("respond") == [REJECTED]
    assert here(nvim) == window


def test_return_chooses_only_on_an_option(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    spy.open_ask(chat)
    nvim.input("<Tab>")
    assert nvim.eval("[line('.'), &cursorline]") == [4, 1]
    nvim.input("gg<CR>")
    assert spy.told("respond") == []
    assert nvim.eval("&cursorline") == 0
    nvim.input("jjjj")
    assert nvim.eval("&cursorline") == 1
    nvim.input("<CR>")
    assert spy.told("respond") == [REJECTED]


@pytest.mark.parametrize("key", ["q", "<Esc>"])
def test_leaving_folds_it_to_one_row(nvim: Neovim, spy: BridgeSpy, chat: int, key: str) -> None:
    asked = spy.open_ask(chat)
    window = here(nvim)
    nvim.input(f"<Tab>{key}")
    assert here(nvim) == window
    assert config(nvim, asked["winid"])["height"] == 1
    assert nvim.lines(asked["bufnr"]) == ["? Run the tests · <Tab> "]
    nvim.input("<Tab>")
    assert here(nvim) == asked["winid"]
    assert nvim.lines(asked["bufnr"])[1] == "make test"
    assert spy.told("respond") == []
    nvim.input("q")
    spy.open_ask(chat, seen="another")
    assert nvim.lines(asked["bufnr"])[1] == "make test", "what has changed is shown"


def test_a_folded_one_opens_where_the_cursor_goes_there(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    asked = spy.open_ask(chat)
    nvim.input("<Tab>q")
    nvim.api.nvim_set_current_win(asked["winid"])
    nvim.wait(lambda: len(nvim.lines(asked["bufnr"])) > 1)
    spy.wait(1000)
    nvim.input("1")
    assert spy.told("respond") == [ALLOWED]


@pytest.mark.parametrize("key", ["d", "D"])
def test_all_of_it_in_a_larger_float(nvim: Neovim, spy: BridgeSpy, chat: int, key: str) -> None:
    asked = spy.open_ask(chat)
    nvim.input(f"<Tab>{key}")
    assert spy.told("ask_whole") == [{"ask": "ask-1"}]
    shown = ["the whole command", "", "✓ 1. Allow once", "✗ 2. Reject once"]
    whole = {"ops": [[0, -1, shown, []]], "options": 2}
    spy.answer(whole)
    assert nvim.lines() == shown
    assert config(nvim, here(nvim))["width"] == 80
    nvim.input("q")
    assert here(nvim) == asked["winid"]
    nvim.input(key)
    spy.answer(whole)
    nvim.input("jj<CR>")
    assert spy.told("respond") == [ALLOWED]
    assert windows(nvim) == 4


def test_closing_it_takes_its_details_too(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    asked = spy.open_ask(chat)
    window = here(nvim)
    nvim.input("<Tab>d")
    spy.answer({"ops": [[0, -1, ["the whole command"], []]], "options": 2})
    spy.close_ask()
    assert here(nvim) == window
    assert windows(nvim) == 3
    assert nvim.eval(f"win_findbuf({asked['bufnr']})") == []
    spy.close_ask()


def test_all_have_one_buffer_whose_keys_are_as_the_user_wants_them(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    buffers, keys = set(), []
    for wanted in (True, True, False, True):
        nvim.lua("require('acp').setup({ default_keys = ... })", wanted)
        buffer = spy.open_ask(chat)["bufnr"]
        buffers.add(buffer)
        keys.append(len(nvim.api.nvim_buf_get_keymap(buffer, "n")))
        spy.close_ask()
    assert len(buffers) == 1
    assert keys[0] == keys[1] == keys[3] > keys[2] == 0


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
    assert again["bufnr"] == asked["bufnr"]
    assert again["winid"] != asked["winid"]
    assert nvim.api.nvim_win_is_valid(again["winid"])
    assert here(nvim) != again["winid"]


def test_a_wiped_one_is_made_again(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    asked = spy.open_ask(chat)
    nvim.command(f"bwipeout {asked['bufnr']}")
    nvim.wait(lambda: bool(spy.told("ask_window")))
    (again,) = spy.told("ask_window")
    assert nvim.lines(again["bufnr"])[1] == "make test"
    nvim.input("<Tab>1")
    assert spy.told("respond") == [ALLOWED]


def test_it_comes_along_to_another_tabpage(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    spy.open_ask(chat)
    nvim.command("tabnew")
    nvim.wait(lambda: bool(spy.told("ask_window")))
    (again,) = spy.told("ask_window")
    tab = nvim.api.nvim_win_get_tabpage(again["winid"])
    assert tab == nvim.api.nvim_get_current_tabpage()
    assert windows(nvim) == 5
    spy.close_ask()
    assert windows(nvim) == 4


def test_several_are_one_window_and_its_title_says_which(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    first = spy.open_ask(chat, count=2)
    assert config(nvim, first["winid"])["title"][0][0] == " 1 of 2 · tutor asks "
    nvim.input("<Tab>]q")
    assert spy.told("ask_go") == [{"step": 1}]
    nvim.input("1")
    assert spy.told("respond") == [], "the other one is on its way"
    second = spy.open_ask(chat, "ask-2", number=2, count=2)
    assert second == first
    assert config(nvim, first["winid"])["title"][0][0] == " 2 of 2 · tutor asks "
    assert windows(nvim) == 4
    nvim.input("[q")
    assert spy.told("ask_go")[1] == {"step": -1}


def test_a_thousand_make_one_window_and_leave_its_buffer_only(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    asks = [question(f"ask-{number}", chat=chat, count=1000) for number in range(1000)]
    shown = [spy.arguments(ask) for ask in asks]
    nvim.lua("for _, it in ipairs(...) do require('acp.ask.window').show(unpack(it)) end", shown)
    assert windows(nvim) == 4
    buffers = len(nvim.api.nvim_list_bufs())
    spy.close_ask()
    assert windows(nvim) == 3
    assert len(nvim.api.nvim_list_bufs()) == buffers


def test_where_neovim_refuses_it_opens_soon_after(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    nvim.lua(
        """local ask, fit = ...
        _G.locked = function()
          _G.first = require('acp.ask.window').show(ask, fit)
          return ''
        end
        vim.keymap.set('n', '<F2>', 'v:lua.locked()', { expr = true })""",
        *spy.arguments(question(chat=chat)),
    )
    nvim.input("<F2>")
    assert nvim.lua("return _G.first.winid") == 0
    nvim.wait(lambda: bool(spy.told("ask_window")))
    (opened,) = spy.told("ask_window")
    assert nvim.lines(opened["bufnr"])[1] == "make test"


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
    assert config(nvim, asked["winid"])["title"] == [[" tutor asks ", "AcpFloatTitle"]]


def test_in_the_command_line_window(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    nvim.input("q:")
    window = here(nvim)
    asked = spy.open_ask(chat)
    assert here(nvim) == window
    assert nvim.api.nvim_win_is_valid(asked["winid"])
    spy.close_ask()
    assert not nvim.api.nvim_win_is_valid(asked["winid"])
    assert nvim.eval("getcmdwintype()") == ":"
    nvim.input(":q<CR>")
    nvim.wait("vim.fn.getcmdwintype() == ''")
    assert nvim.eval(f"win_findbuf({asked['bufnr']})") == []


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


def test_that_of_a_narrow_chat_keeps_off_the_window_in_which_the_user_works(
    nvim: Neovim, spy: BridgeSpy
) -> None:
    nvim.lua("vim.o.columns = 80")
    file = here(nvim)
    chat, _ = spy.open_session()
    nvim.api.nvim_set_current_win(file)
    asked = spy.open_ask(chat, body=part("word " * 40))
    column = nvim.lua("return vim.fn.win_screenpos(vim.fn.bufwinid(...))[2]", chat)
    found = config(nvim, asked["winid"])
    assert found["col"] >= column - 1
    nvim.input("<C-w>l")
    nvim.wait(lambda: config(nvim, asked["winid"])["width"] > found["width"])


def test_the_key_after_the_command_is_for_it_already(nvim: Neovim, spy: BridgeSpy) -> None:
    file = here(nvim)
    chat, _ = spy.open_session()
    nvim.api.nvim_set_current_win(file)
    spy.open_ask(chat)
    nvim.input(":Acp permit<CR>2")
    assert spy.told("respond") == [REJECTED]
    assert nvim.api.nvim_get_mode()["mode"] == "n"


FOOTERS = {
    "": " <Tab> goes here · :Acp permit 1-2 ",
    "i": " <Esc><Tab> goes here · :Acp permit 1-2 ",
    "<C-w>h": " :Acp permit 1-2 answers ",
    "<Tab>": " 1-2 · D all · q fold ",
}


@pytest.mark.parametrize("keys", FOOTERS)
def test_the_footer_says_what_works_from_here(
    nvim: Neovim, spy: BridgeSpy, chat: int, keys: str
) -> None:
    asked = spy.open_ask(chat, body=part("a command of some length, so that it is wide enough"))
    nvim.input(keys)
    nvim.wait(lambda: config(nvim, asked["winid"])["footer"][0][0] == FOOTERS[keys])


# --- an answer is for what was shown

PLUG = "execute 'normal' \"\\<Plug>(acp-allow)\""
OUTSIDE = ALLOWED | {"inside": False}


@pytest.mark.parametrize("keys", ["1", "<CR>"])
def test_what_has_just_come_takes_no_key(
    nvim: Neovim, spy: BridgeSpy, chat: int, keys: str
) -> None:
    spy.open_ask(chat)
    nvim.input("<Tab>")
    spy.open_ask(chat, "ask-2", seen="other")
    spy.wait(-501)
    nvim.input(keys)
    assert spy.told("respond") == []
    assert "nothing was answered" in nvim.messages()
    spy.wait(501)
    nvim.input(keys)
    assert spy.told("respond") == [ALLOWED | {"ask": "ask-2", "seen": "other"}]


def test_what_has_changed_under_the_hand_takes_no_key(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    spy.open_ask(chat)
    nvim.input("<Tab>")
    spy.open_ask(chat, seen="other")
    spy.wait(-600)
    nvim.input("1")
    assert spy.told("respond") == []
    spy.wait(600)
    nvim.input("1")
    assert spy.told("respond") == [ALLOWED | {"seen": "other"}]


@pytest.mark.parametrize("command", ["Acp permit 1", PLUG])
def test_a_command_meant_for_another_answers_nothing(
    nvim: Neovim, spy: BridgeSpy, chat: int, command: str
) -> None:
    spy.open_ask(chat)
    spy.close_ask()
    spy.open_ask(chat, "ask-2")
    spy.wait(-980)
    assert "nothing was answered" in nvim.command(command)
    assert spy.told("respond") == []
    spy.wait(980)
    nvim.command(command)
    assert spy.told("respond") == [OUTSIDE | {"ask": "ask-2"}]


@pytest.mark.parametrize("gap", [600, 6000, 600_000])
def test_who_was_about_to_answer_one_that_has_gone_answers_none(
    nvim: Neovim, spy: BridgeSpy, chat: int, gap: int
) -> None:
    spy.open_ask(chat)
    spy.close_ask()
    spy.wait(gap)
    spy.open_ask(chat, "ask-2")
    spy.wait(-900)
    nvim.command("Acp permit 1")
    assert spy.told("respond") == []


REJECT = "execute 'normal' \"\\<Plug>(acp-reject-permission)\""
MINE = "execute 'normal ,y'"
LUA = "lua require('acp').respond('ask-1', 'allow')"


@pytest.mark.parametrize("way", [PLUG, REJECT, MINE, LUA, "Acp permit 1", "Acp permit 2"])
def test_half_a_second_counts_for_whoever_answers(
    nvim: Neovim, spy: BridgeSpy, chat: int, way: str
) -> None:
    nvim.command("nmap ,y <Plug>(acp-allow)")
    spy.open_ask(chat)
    spy.wait(-700)
    assert "has just come or changed" in nvim.command(way)
    assert spy.told("respond") == []
    spy.wait(199)
    nvim.command(way)
    assert spy.told("respond") == []
    spy.wait(1)
    nvim.command(way)
    assert len(spy.told("respond")) == 1


@pytest.mark.parametrize("way", [PLUG, MINE, LUA, "Acp permit 1"])
def test_what_has_changed_or_come_in_its_place_is_as_new_for_all(
    nvim: Neovim, spy: BridgeSpy, chat: int, way: str
) -> None:
    nvim.command("nmap ,y <Plug>(acp-allow)")
    spy.open_ask(chat)
    spy.open_ask(chat, seen="other")
    spy.wait(-600)
    nvim.command(way)
    assert spy.told("respond") == []


@pytest.mark.parametrize("way", [PLUG, "execute 'normal ,y'", "Acp permit 1"])
def test_what_comes_in_the_place_of_a_folded_one_takes_no_key(
    nvim: Neovim, spy: BridgeSpy, chat: int, way: str
) -> None:
    nvim.command("nmap ,y <Plug>(acp-allow)")
    spy.open_ask(chat)
    nvim.input("<Tab>q")
    spy.wait(60_000)
    spy.open_ask(chat, "ask-2", body=part("rm -rf ~"))
    spy.wait(-950)
    nvim.command(way)
    assert spy.told("respond") == []
    spy.wait(450)
    nvim.command(way)
    assert [it["ask"] for it in spy.told("respond")] == ["ask-2"]


def test_what_was_unfolded_takes_no_key(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    spy.open_ask(chat)
    nvim.input("<Tab>q")
    spy.wait(60_000)
    nvim.input("<Tab>1")
    assert spy.told("respond") == []
    spy.answerable()
    nvim.input("1")
    assert spy.told("respond") == [ALLOWED]


def test_what_has_moved_takes_no_key(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    asked = spy.open_ask(chat)
    before = config(nvim, asked["winid"])
    nvim.command(f"call win_execute(bufwinid({chat}), 'wincmd H')")
    nvim.wait(lambda: config(nvim, asked["winid"])["col"] != before["col"])
    nvim.command(PLUG)
    assert spy.told("respond") == []
    spy.answerable()
    nvim.command(PLUG)
    assert spy.told("respond") == [OUTSIDE]


def test_a_title_that_changes_is_no_new_question(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    spy.open_ask(chat)
    nvim.input("<Tab>")
    spy.open_ask(chat, head=part("$ Run the tests"))
    spy.wait(-1000)
    nvim.input("1")
    assert spy.told("respond") == [ALLOWED]


def test_a_script_answers_none_that_has_just_come_behind_others(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    spy.open_ask(chat)
    answer = "require('acp').respond('ask-2', 'allow')"
    nvim.command("autocmd User AcpPermissionRequested lua require('acp').respond('ask-2', 'allow')")
    event = {"name": "AcpPermissionRequested", "data": {"ask": "ask-2"}}
    nvim.lua("require('acp.ui.apply').frame({ buffers = {}, events = { ... } })", event)
    nvim.wait(lambda: "nothing was answered" in nvim.messages())
    spy.wait(499)
    nvim.lua(answer)
    assert spy.told("respond") == []
    spy.wait(1)
    nvim.lua(answer)
    assert spy.told("respond") == [{"ask": "ask-2", "option": "allow"}]


def test_a_command_line_begun_before_answers_nothing_however_slow(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    spy.open_ask(chat)
    nvim.input(":Acp permit")
    spy.open_ask(chat, "ask-2")
    spy.wait(10_000)
    nvim.input(" 1<CR>")
    assert spy.told("respond") == []
    nvim.input(":Acp permit 1<CR>")
    assert spy.told("respond") == [OUTSIDE | {"ask": "ask-2"}]


@pytest.mark.parametrize("answer", [":Acp permit 1<CR>", "<Tab>1"])
def test_what_came_while_there_was_no_screen_has_just_come(
    nvim: Neovim, spy: BridgeSpy, chat: int, answer: str
) -> None:
    attach = ("nvim_ui_attach", 100, 30, {"rgb": True})
    nvim.rpc.request(*attach)
    spy.open_ask(chat)
    nvim.api.nvim_ui_detach()  # as in a Neovim that is suspended
    spy.open_ask(chat, "ask-2", seen="other")
    spy.wait(60_000)
    nvim.rpc.request(*attach)
    nvim.input(answer)
    assert spy.told("respond") == []
    assert "nothing was answered" in nvim.messages()
    spy.wait(501)
    nvim.input(answer)
    assert [it["ask"] for it in spy.told("respond")] == ["ask-2"]


@pytest.mark.parametrize("command", ["Acp permit 1", PLUG])
def test_what_is_folded_is_looked_at_first(
    nvim: Neovim, spy: BridgeSpy, chat: int, command: str
) -> None:
    spy.open_ask(chat)
    nvim.input("<Tab>q")
    assert "look at the question first" in nvim.command(command)
    assert spy.told("respond") == []
    spy.wait(1000)
    nvim.command(command)
    assert spy.told("respond") == [OUTSIDE]


def test_a_command_without_a_question_says_so(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    assert "no agent is asking" in nvim.command("Acp permit 1")
    spy.open_ask(chat)
    assert "there is no option 7: the agent offers 2" in nvim.command("Acp permit 7")
    assert spy.told("respond") == []


def test_the_cursor_goes_there_by_itself_only_from_still_hands(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    asked = spy.open_ask(chat)
    window = here(nvim)
    focus = "require('acp.ask.window').focus('ask-1', true)"
    nvim.lua(focus)
    nvim.lua("vim.wait(100)")
    assert here(nvim) == window, "nobody knows yet when a key was pressed"
    spy.wait(501)
    nvim.wait(lambda: here(nvim) == asked["winid"])
    nvim.input("1")
    assert spy.told("respond") == [], "a count that was typed in the code"
    spy.wait(501)
    nvim.input("1")
    assert spy.told("respond") == [ALLOWED]


ZOOMED = """
vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false, {
  relative = 'editor', row = 0, col = 0, width = vim.o.columns, height = vim.o.lines,
  zindex = ..., noautocmd = true,
})
"""
SCREEN = """
local rows = {}
for row = 1, vim.o.lines do
  local cells = {}
  for column = 1, vim.o.columns do
    table.insert(cells, vim.fn.screenstring(row, column))
  end
  table.insert(rows, table.concat(cells))
end
return table.concat(rows, '\\n')
"""


@pytest.mark.parametrize("zindex", [60, 150, 240])
def test_no_float_hides_it(nvim: Neovim, spy: BridgeSpy, chat: int, zindex: int) -> None:
    nvim.api.nvim_ui_attach(100, 30, {"rgb": True})
    spy.open_ask(chat)
    nvim.lua(ZOOMED, zindex)
    assert "look at the question first" in nvim.command("Acp permit 1")
    assert spy.told("respond") == []
    nvim.command("redraw")
    assert "make test" in nvim.lua(SCREEN)
    spy.wait(501)
    nvim.command("Acp permit 1")
    assert spy.told("respond") == [OUTSIDE]
    nvim.input("<Tab>D")
    whole = {"ops": [[0, -1, ["all of it"], []]]}
    spy.answer(whole)
    nvim.command("redraw")
    assert "all of it" in nvim.lua(SCREEN)


@pytest.mark.parametrize("keys", [":b1<CR>", ":b! 1<CR>", "<C-^>", ":enew!<CR>"])
def test_nothing_takes_its_place_in_its_window(
    nvim: Neovim, spy: BridgeSpy, chat: int, keys: str
) -> None:
    asked = spy.open_ask(chat)
    nvim.input("<Tab>" + keys)
    nvim.wait(lambda: nvim.eval(f"len(win_findbuf({asked['bufnr']}))") == 1)
    window = nvim.eval(f"win_findbuf({asked['bufnr']})[0]")
    assert config(nvim, window)["relative"] == "editor"
    assert config(nvim, window)["title"][0][0] == " tutor asks "
    nvim.command("Acp permit 1")
    assert spy.told("respond") == [OUTSIDE]


def test_one_that_is_hidden_is_looked_at_first(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    asked = spy.open_ask(chat)
    nvim.api.nvim_win_set_config(asked["winid"], {"hide": True})
    assert "look at the question first" in nvim.command("Acp permit 1")
    assert spy.told("respond") == []
    assert not config(nvim, asked["winid"])["hide"]


def test_the_kind_of_an_option_is_not_cut_off(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("vim.o.columns, vim.o.lines = 40, 17")
    chat, _ = spy.open_session()
    names = ["Allow this one time only, " + "a" * 60, "Allow " + "b" * 60, "Reject " + "c" * 50]
    first = Line(names[0], (after(" (allow always)"),))
    asked = spy.open_ask(chat, body=part(*"abcdefgh"), options=part(first, *names[1:]))
    found = nvim.api.nvim_buf_get_extmarks(asked["bufnr"], -1, 0, -1, {"details": True})
    lines = nvim.lines(asked["bufnr"])
    (row,) = [it for it in lines if it.startswith("Allow this")]
    at = [mark[1] for mark in found if mark[3].get("virt_text_pos") == "eol"]
    assert at == [lines.index(row)]
    assert len(row) + len(" (allow always)") <= config(nvim, asked["winid"])["width"]
    assert len([it for it in lines if it.startswith(("Allow", "Reject"))]) == 3


def test_what_is_typed_into_a_form_goes_into_no_other(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    nvim.lua("vim.ui.input = function(_, done) _G.done = done end")
    form = (FormRow(0, "text", 0, label="Key"),)
    more = {"kind": "form", "option_ids": (), "option_kinds": (), "form": form}
    spy.open_ask(chat, **more)
    nvim.input("<Tab>gg<CR>")
    assert nvim.lua("return _G.done == nil"), "what is asked is no field"
    nvim.input("j<CR>")
    spy.open_ask(chat, "ask-2", seen="other", **more)
    nvim.lua("_G.done('secret')")
    spy.close_ask()
    nvim.lua("_G.done('secret')")
    assert spy.told("fill") == [{"ask": "ask-1", "field": 0, "text": "secret"}] * 2


def test_a_form_that_is_cut_says_how_much_is_below_or_above(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("vim.o.columns, vim.o.lines = 80, 20")
    chat, _ = spy.open_session()
    fields = part(*[f"Field {number}" for number in range(20)])
    more = {"kind": "form", "option_ids": (), "option_kinds": (), "options": part("[accept]")}
    asked = spy.open_ask(chat, body=fields, **more)
    bar = 1  # the title stands above its rows
    hidden = len(nvim.lines(asked["bufnr"])) + bar - config(nvim, asked["winid"])["height"]
    assert hidden > bar
    for keys, where in (("<Tab>gg", "below"), ("G", "above"), ("gg", "below")):
        nvim.input(keys)
        more = f"… {hidden} more {where}"
        nvim.wait(lambda more=more: more in config(nvim, asked["winid"])["footer"][0][0])


SETTINGS = [
    "set ambiwidth=single",
    "set ambiwidth=double",
    "set noemoji",
    "call setcellwidths([[0x2500, 0x257f, 2], [0xe9, 0xe9, 2]])",
]
WORDS = [
    "a b",
    "é",
    "e\u0301",
    "世界",
    "🗼",
    "👩\u200d👩\u200d👧",
    "🇩🇪",
    "1\ufe0f\u20e3",
    "ก็",
    "…",
    "α─✓",
]


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_host_counts_cells_as_neovim_does(nvim: Neovim, spy: BridgeSpy, setting: str) -> None:
    nvim.command(setting)
    drawn = Random(1)
    texts = ["".join(drawn.choices(WORDS, k=count)) for count in range(1, 30)]
    texts += ["".join(drawn.choices(f"{ALONE}abc  ", k=40)) for _ in range(60)]
    exact = nvim.lua("return vim.tbl_map(vim.api.nvim_strwidth, ...)", texts)
    assert spy.widths(texts) == exact


def test_it_is_fitted_again_where_texts_become_wider(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    asked = spy.open_ask(chat, body=part("α" * 30), options=part("✓ 1. Allow", "✗ 2. Reject"))
    for setting in ("double", "single"):
        before = config(nvim, asked["winid"])["width"]
        nvim.command(f"set ambiwidth={setting}")
        nvim.wait(lambda before=before: config(nvim, asked["winid"])["width"] != before)
        assert len([it for it in nvim.lines(asked["bufnr"]) if "α" in it]) in (1, 2)


CHANGES = [("-", "goes"), ("+", "comes")]


def diff_of(lines: list[tuple[str, str]]) -> tuple[Line, ...]:
    """Return lines of a diff, as a question has them."""
    groups = {"+": "AcpDiffAdd", "-": "AcpDiffDelete"}
    found = []
    for sign, text in lines:
        mark = before(f"{sign} ", "AcpDim")
        coloured = (Highlight(0, len(text), groups[sign]),) if sign in groups else ()
        found.append(Line(text, (mark, *coloured)))
    return tuple(found)


@pytest.mark.parametrize("count", [4, 40, 400])
def test_of_a_diff_what_stays_gives_way_first(nvim: Neovim, spy: BridgeSpy, count: int) -> None:
    chat, _ = spy.open_session()
    lines = [(" ", f"stays {number}") for number in range(count)]
    lines[count // 2 : count // 2] = CHANGES
    asked = spy.open_ask(chat, body=diff_of(lines))
    shown = nvim.lines(asked["bufnr"])
    assert {"goes", "comes"} <= set(shown)
    if count > 30:
        assert f"… {count} unchanged: D shows all" in shown
    else:
        assert "stays 0" in shown
