"""The windows of a chat hold: what is shown there, how they close, and how large they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim


def layout(nvim: Neovim) -> list[int]:
    """Return the buffers of the windows of this tabpage, in window order."""
    return nvim.lua(
        "return vim.tbl_map(vim.api.nvim_win_get_buf, vim.api.nvim_tabpage_list_wins(0))"
    )


def go_to(nvim: Neovim, buffer: int) -> int:
    """Make the window of that buffer the current one."""
    return nvim.lua(
        """local window = require('acp.ui.layout').window_of(...)
        vim.api.nvim_set_current_win(window)
        return window""",
        buffer,
    )


def height(nvim: Neovim, buffer: int) -> int:
    return nvim.lua(
        "return vim.api.nvim_win_get_height(require('acp.ui.layout').window_of(...))", buffer
    )


def width(nvim: Neovim, buffer: int) -> int:
    return nvim.lua(
        "return vim.api.nvim_win_get_width(require('acp.ui.layout').window_of(...))", buffer
    )


@pytest.fixture
def files(nvim: Neovim) -> list[Path]:
    """Open two files of ten lines in one window; the second one is shown."""
    paths = [nvim.cwd / name for name in ("one.txt", "two.txt")]
    for path in paths:
        path.write_text("".join(f"{number}\n" for number in range(1, 11)))
        nvim.command(f"edit {path.name}")
    return paths


COMMANDS = {
    "edit": ":edit one.txt<CR>",
    "next buffer": ":bnext<CR>",
    "buffer by number": ":b1<CR>",
    "quickfix": ":cnext<CR>",
    "location": ":lnext<CR>",
    "new": ":enew<CR>",
    "find": ":find one.txt<CR>",
    "argument": ":args one.txt<CR>",
    "alternate": "<C-^>",
    "file under the cursor": "gF",
    "terminal": ":terminal true<CR>",
}


@pytest.mark.parametrize("where", ["chat", "prompt"])
@pytest.mark.parametrize("command", COMMANDS)
def test_what_would_take_a_window_of_ours_takes_one_for_files(
    nvim: Neovim, spy: BridgeSpy, files: list[Path], command: str, where: str
) -> None:
    entries = [{"filename": str(path), "lnum": 3} for path in files * 2]
    nvim.lua("vim.fn.setqflist(...)", entries)
    chat, prompt = spy.open_session()
    if command == "file under the cursor":
        spy.frame(chat, [0, 1, ["one.txt:7"], []])
        nvim.api.nvim_buf_set_lines(prompt, 0, -1, True, ["one.txt:7"])
    go_to(nvim, chat if where == "chat" else prompt)
    nvim.input("gg0")
    nvim.lua("vim.fn.setloclist(0, ...)", entries)
    if command == "alternate":
        nvim.command("let @# = 1")
    nvim.input(COMMANDS[command])
    if command == "file under the cursor" and where == "chat":
        assert spy.told("follow_link") == [
            {"chat": chat, "row": 0, "line": "one.txt:7", "column": 0, "word": "one.txt"}
        ]
        spy.answer({"path": str(files[0]), "line": 7})
    nvim.wait(lambda: layout(nvim)[-2:] == [chat, prompt] and nvim.eval("winnr()") == 1)
    assert len(layout(nvim)) == 3
    assert nvim.eval("bufnr()") not in (chat, prompt)
    if command == "file under the cursor":
        assert nvim.eval("[expand('%'), line('.')]") == ["one.txt", 7]
    if command == "quickfix":
        assert nvim.eval("[expand('%'), line('.')]") == ["two.txt", 3]


def test_without_a_window_for_files_a_new_one_opens(
    nvim: Neovim, spy: BridgeSpy, files: list[Path]
) -> None:
    chat, prompt = spy.open_session()
    nvim.command("1close")
    nvim.command("edit one.txt")
    nvim.wait(lambda: len(layout(nvim)) == 3)
    assert layout(nvim)[1:] == [chat, prompt]
    assert nvim.eval("[winnr(), expand('%')]") == [1, "one.txt"]


def test_the_window_for_files_is_the_one_used_last(
    nvim: Neovim, spy: BridgeSpy, files: list[Path]
) -> None:
    nvim.command("vsplit | wincmd l")
    second = nvim.eval("win_getid()")
    chat, prompt = spy.open_session()
    go_to(nvim, chat)
    go_to(nvim, prompt)
    nvim.command("edit one.txt")
    nvim.wait(lambda: nvim.eval("win_getid()") == second)
    assert nvim.eval("expand('%')") == "one.txt"


def test_a_plugin_that_shows_a_buffer_from_elsewhere_does_not_move_the_user(
    nvim: Neovim, spy: BridgeSpy, files: list[Path]
) -> None:
    chat, prompt = spy.open_session()
    window = go_to(nvim, chat)
    nvim.command("1wincmd w")
    nvim.api.nvim_win_set_buf(window, 1)
    nvim.wait(lambda: layout(nvim) == [1, chat, prompt])
    assert nvim.eval("winnr()") == 1


def test_the_chat_shows_the_same_place_afterwards(
    nvim: Neovim, spy: BridgeSpy, files: list[Path]
) -> None:
    chat, _ = spy.open_session()
    spy.frame(chat, [0, 1, [str(number) for number in range(300)], []])
    window = go_to(nvim, chat)
    nvim.input("120Gzt5j")
    before = nvim.eval("winsaveview()")
    nvim.command("edit one.txt")
    nvim.wait(lambda: nvim.eval("expand('%')") == "one.txt")
    after = nvim.lua("return vim.api.nvim_win_call(..., vim.fn.winsaveview)", window)
    assert {key: after[key] for key in ("lnum", "topline")} == {
        key: before[key] for key in ("lnum", "topline")
    }


def test_another_chat_may_take_the_window_of_a_chat(nvim: Neovim, spy: BridgeSpy) -> None:
    first, _ = spy.open_session()
    second, prompt = spy.open_session("mine")
    go_to(nvim, second)
    nvim.command(f"buffer {first}")
    nvim.lua("vim.wait(20)")
    assert layout(nvim) == [1, first, prompt]


def test_a_split_of_the_chat_is_the_users(nvim: Neovim, spy: BridgeSpy, files: list[Path]) -> None:
    chat, prompt = spy.open_session()
    go_to(nvim, chat)
    nvim.command("split | edit one.txt")
    nvim.lua("vim.wait(20)")
    assert sorted(layout(nvim)) == sorted([2, 1, chat, prompt])


@pytest.mark.parametrize("where", ["chat", "prompt"])
@pytest.mark.parametrize("how", [":q<CR>", "<C-w>q", ":quit!<CR>"])
def test_quit_closes_both(nvim: Neovim, spy: BridgeSpy, where: str, how: str) -> None:
    chat, prompt = spy.open_session()
    registry = "require('acp.chat.registry')"
    nvim.lua(f"return {registry}.name(...)", chat, "acp://tutor/1")
    go_to(nvim, chat if where == "chat" else prompt)
    nvim.input(how)
    nvim.wait(lambda: layout(nvim) == [1])
    nvim.wait(lambda: nvim.api.nvim_buf_is_loaded(chat))
    assert spy.told("chat_wiped") == []
    nvim.lua("require('acp.chat.window').chat('open')")
    assert layout(nvim)[:2] == [1, chat]
    assert nvim.eval("[winnr('$'), &filetype]") == [3, "acp_prompt"]


def test_a_quit_that_neovim_refuses_closes_nothing(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.input("itext<Esc>")
    chat, prompt = spy.open_session()
    nvim.lua("pcall(vim.cmd.qall)")
    nvim.lua("vim.wait(20)")
    assert {chat, prompt} < set(layout(nvim))


def test_close_and_only_mean_that_window(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    nvim.command("close")
    nvim.lua("vim.wait(20)")
    assert layout(nvim) == [1, chat]


def test_chats_side_by_side(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("set columns=160")
    first, first_prompt = spy.open_session("one")
    nvim.command("vertical AcpStart two")
    second, second_prompt = (spy.told("start")[0][key] for key in ("chat", "prompt"))
    assert layout(nvim) == [1, first, first_prompt, second, second_prompt]
    go_to(nvim, first)
    nvim.input("i")
    assert nvim.eval("bufnr()") == first_prompt
    nvim.input("<Esc>")
    nvim.lua("require('acp.chat.window').show(...)", second)
    assert nvim.eval("bufnr()") == second_prompt
    nvim.input(":q<CR>")
    nvim.wait(lambda: layout(nvim) == [1, first, first_prompt])


def test_a_third_chat_takes_the_windows_of_one(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("set columns=160")
    first, first_prompt = spy.open_session("one")
    nvim.command("vertical AcpStart two")
    third, third_prompt = spy.open_session("three")
    assert layout(nvim) == [1, first, first_prompt, third, third_prompt]


def test_a_chat_in_a_tabpage_of_its_own(nvim: Neovim, spy: BridgeSpy) -> None:
    spy.open_session("one")
    nvim.command("tab AcpStart two")
    assert nvim.eval("tabpagenr('$')") == 2
    assert len(layout(nvim)) == 2


def test_the_prompt_grows_with_its_text_and_shrinks_again(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("set lines=40")
    chat, prompt = spy.open_session()
    assert height(nvim, prompt) == 3
    nvim.input("i" + "line<CR>" * 6 + "<Esc>")
    nvim.wait(lambda: height(nvim, prompt) == 8)
    nvim.input("o" + "long words " * 8 + "<Esc>")
    nvim.wait(lambda: height(nvim, prompt) > 9)
    nvim.input("50i<CR><Esc>")
    nvim.wait(lambda: height(nvim, prompt) == 12)
    whole = height(nvim, chat) + height(nvim, prompt)
    nvim.input("<CR>")
    nvim.wait(lambda: height(nvim, prompt) == 3)
    assert height(nvim, chat) + height(nvim, prompt) == whole


def test_the_limits_of_the_prompt_are_the_users(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("vim.g.acp = { ui = { prompt_height = { 5, 7 } } }")
    _, prompt = spy.open_session()
    assert height(nvim, prompt) == 5
    nvim.api.nvim_buf_set_lines(prompt, 0, -1, True, ["x"] * 50)
    nvim.wait(lambda: height(nvim, prompt) == 7)


def test_a_height_that_the_user_gave_stays(nvim: Neovim, spy: BridgeSpy) -> None:
    _, prompt = spy.open_session()
    nvim.command("resize 9")
    nvim.input("ix<Esc>")
    nvim.lua("vim.wait(20)")
    assert height(nvim, prompt) == 9


@pytest.mark.parametrize("text", ["", "one<CR>two<CR>three<CR>four"])
def test_a_window_that_comes_and_goes_changes_no_height(
    nvim: Neovim, spy: BridgeSpy, text: str
) -> None:
    nvim.command("set lines=40")
    chat, prompt = spy.open_session()
    nvim.input(f"i{text}<Esc>")
    nvim.lua("vim.wait(20)")
    before = height(nvim, chat), height(nvim, prompt)
    nvim.command("botright copen 20 | redraw")
    nvim.lua("vim.wait(20)")
    nvim.command("cclose | redraw")
    nvim.wait(lambda: (height(nvim, chat), height(nvim, prompt)) == before)


def test_in_a_low_window_the_chat_keeps_half(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("set lines=14")
    chat, prompt = spy.open_session()
    nvim.api.nvim_buf_set_lines(prompt, 0, -1, True, ["x"] * 50)
    nvim.wait(lambda: height(nvim, prompt) > 3)
    nvim.lua("vim.wait(20)")
    assert height(nvim, chat) >= height(nvim, prompt)


def test_the_chat_keeps_its_share_when_the_editor_is_resized(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("set columns=100")
    chat, _ = spy.open_session()
    assert width(nvim, chat) == 40
    nvim.command("set columns=160")
    nvim.wait(lambda: width(nvim, chat) == 64)
    nvim.command("set columns=100")
    nvim.wait(lambda: width(nvim, chat) == 40)


def test_the_share_is_what_the_user_makes_of_it(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("set columns=100")
    chat, _ = spy.open_session()
    nvim.command("vertical resize 50")
    nvim.lua("vim.api.nvim_exec_autocmds('WinResized', {})")
    nvim.command("set columns=160")
    nvim.wait(lambda: width(nvim, chat) == 80)


def test_a_float_grows_its_prompt_as_well(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("vim.g.acp = { ui = { layout = 'float' } }")
    chat, prompt = spy.open_session()
    whole = height(nvim, chat) + height(nvim, prompt)
    nvim.api.nvim_buf_set_lines(prompt, 0, -1, True, ["x"] * 6)
    nvim.wait(lambda: height(nvim, prompt) >= 6)
    assert height(nvim, chat) + height(nvim, prompt) == whole


def names(nvim: Neovim) -> Any:
    return nvim.command("ls").split('"')[1::2]


def test_files_that_the_plugin_opens_have_relative_names(nvim: Neovim, spy: BridgeSpy) -> None:
    (nvim.cwd / "src").mkdir()
    path = nvim.cwd / "src" / "a [b] c.txt"
    path.write_text("x\n")
    chat, _ = spy.open_session()
    go_to(nvim, chat)
    nvim.input("gf")
    spy.answer({"path": str(path)})
    assert "src/a [b] c.txt" in names(nvim)
    assert nvim.eval("expand('%:p')") == str(path)


def test_a_relative_name_that_would_be_an_address_is_not_used(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    go_to(nvim, chat)
    nvim.input("gf")
    spy.answer({"path": f"{nvim.cwd}/term://echo pwned"})
    assert nvim.eval("&buftype") != "terminal"


def test_deleting_a_chat_in_the_middle_of_a_turn_says_so(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    spy.frame(chat, status={"agent": "tutor", "state": "running"})
    nvim.command(f"bdelete {chat}")
    nvim.wait(lambda: "turn" in nvim.messages())
