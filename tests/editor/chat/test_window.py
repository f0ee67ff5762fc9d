"""The windows of a chat: where they open, what they leave alone, and the keys of the chat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim


def shown(nvim: Neovim) -> list[int]:
    """Return the buffers of the windows of this tabpage, in window order."""
    return nvim.lua(
        "return vim.tbl_map(vim.api.nvim_win_get_buf, vim.api.nvim_tabpage_list_wins(0))"
    )


def current(nvim: Neovim) -> int:
    return int(nvim.eval("bufnr()"))


def window(nvim: Neovim, call: str, *args: Any) -> Any:
    return nvim.lua(f"return require('acp.chat.window').{call}", *args)


def registry(nvim: Neovim, call: str, *args: Any) -> Any:
    return nvim.lua(f"return require('acp.chat.registry').{call}", *args)


def go_to(nvim: Neovim, buffer: int) -> None:
    nvim.lua(
        "vim.api.nvim_set_current_win(require('acp.ui.layout').window_of(...))",
        buffer,
    )


def set_options(nvim: Neovim, **options: Any) -> None:
    nvim.lua("vim.g.acp = ...", options)


def test_open_session_shows_both_with_the_cursor_in_the_prompt(
    nvim: Neovim, spy: BridgeSpy
) -> None:
    chat, prompt = spy.open_session()
    assert shown(nvim) == [1, chat, prompt]
    assert current(nvim) == prompt
    assert nvim.mode()["mode"] == "n"
    assert nvim.eval("winheight(0)") <= 6
    assert nvim.eval(f"getbufvar({chat}, '&filetype')") == "acp_chat"
    assert nvim.eval("&filetype") == "acp_prompt"


def test_with_the_layout_tab_each_session_has_a_tabpage(nvim: Neovim, spy: BridgeSpy) -> None:
    set_options(nvim, ui={"layout": "tab"})
    chats = [spy.open_session()[0] for _ in range(2)]
    show = "require('acp.chat.window').show(...)"
    for place, chat in ((2, chats[0]), (3, chats[1]), (2, chats[0])):
        nvim.lua(show, chat)
        assert nvim.eval("[tabpagenr(), tabpagenr('$')]") == [place, 3]
        assert chat in shown(nvim)
    nvim.command("tabfirst")
    nvim.lua(show, chats[1])
    assert nvim.eval("[tabpagenr(), tabpagenr('$')]") == [3, 3]


@pytest.mark.parametrize("layout", ["right", "left", "bottom", "tab", "float"])
def test_every_layout_opens_and_closes(nvim: Neovim, spy: BridgeSpy, layout: str) -> None:
    set_options(nvim, ui={"layout": layout, "width": 0.5})
    chat, prompt = spy.open_session()
    assert current(nvim) == prompt
    assert {chat, prompt} <= set(shown(nvim))
    window(nvim, "chat('toggle')")
    assert shown(nvim) == [1]
    window(nvim, "chat('toggle')")
    assert {chat, prompt} <= set(shown(nvim))
    assert current(nvim) == prompt
    window(nvim, "chat('close')")
    assert shown(nvim) == [1]
    assert current(nvim) == 1


def test_other_windows_keep_their_views(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("vim.fn.setline(1, vim.fn.range(1, 200))")
    nvim.command("split")
    set_options(nvim, ui={"layout": "bottom"})
    nvim.lua("vim.fn.winrestview({ topline = 50, lnum = 53, col = 1 })")
    before = nvim.eval("winsaveview()")
    spy.open_session()
    window(nvim, "chat('close')")
    assert nvim.eval("winsaveview()") == before


def test_insert_mode_ends_at_the_prompt(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.input("i")
    spy.open_session()
    nvim.wait(lambda: nvim.mode()["mode"] == "n")


def test_a_second_session_takes_the_windows_of_the_first(nvim: Neovim, spy: BridgeSpy) -> None:
    spy.open_session()
    chat, prompt = spy.open_session("mine")
    assert shown(nvim) == [1, chat, prompt]


def test_starting_from_a_float(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua(
        """local b = vim.api.nvim_create_buf(false, true)
        local at = { relative = 'editor', row = 1, col = 1, width = 9, height = 3 }
        vim.api.nvim_open_win(b, true, at)"""
    )
    _, prompt = spy.open_session()
    assert current(nvim) == prompt


def test_in_the_command_line_window_a_notice_says_no(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.input("q:")
    spy.open_session()
    assert "cannot be shown here" in nvim.messages()
    nvim.input(":q<CR>")


def test_what_is_missing_of_the_two_windows_is_opened(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session()
    nvim.command("close")
    assert shown(nvim) == [1, chat]
    window(nvim, "show(...)", chat)
    assert shown(nvim) == [1, chat, prompt]
    go_to(nvim, chat)
    nvim.command("close")
    assert shown(nvim) == [1, prompt]
    window(nvim, "show(...)", chat)
    assert shown(nvim) == [1, chat, prompt]
    assert current(nvim) == prompt


def test_closing_the_last_windows_leaves_an_empty_one(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session()
    go_to(nvim, chat)
    nvim.command("1close")
    assert set(shown(nvim)) == {chat, prompt}
    nvim.input("q")
    assert len(shown(nvim)) == 1
    assert not {chat, prompt} & set(shown(nvim))


def test_window_options_stay_with_the_chat(nvim: Neovim, spy: BridgeSpy, tmp_path: Path) -> None:
    nvim.command("set number signcolumn=yes")
    chat, _ = spy.open_session()
    go_to(nvim, chat)
    assert nvim.eval("[&number, &signcolumn, &conceallevel, &wrap]") == [0, "yes:1", 2, 1]
    nvim.command(f"edit {tmp_path}/file")
    assert nvim.eval("[&number, &signcolumn, &conceallevel]") == [1, "yes", 0]
    assert nvim.eval("[&winbar, &fillchars]") == ["", ""]
    nvim.command(f"buffer {chat}")
    assert nvim.eval("[&number, &signcolumn, &conceallevel]") == [0, "yes:1", 2]
    nvim.command(f"tabnew | buffer {chat}")
    assert nvim.eval("[&number, &signcolumn, &conceallevel]") == [0, "yes:1", 2]


def test_current_find_and_use(nvim: Neovim, spy: BridgeSpy) -> None:
    assert window(nvim, "current()") is None
    first, _ = spy.open_session("one")
    second, prompt = spy.open_session("two")
    assert window(nvim, "current()") == second
    assert registry(nvim, "find('one').chat") == first
    assert registry(nvim, "find('three')") is None
    window(nvim, "show(...)", first)
    nvim.command("1wincmd w")
    assert window(nvim, "current()") == first
    nvim.command(f"buffer {prompt}")
    assert window(nvim, "current()") == second
    registry(nvim, "tell(..., { state = 'closed' })", first)
    assert registry(nvim, "find('one')") is None


def test_a_chat_is_named_once_and_a_taken_name_gets_a_number(nvim: Neovim, spy: BridgeSpy) -> None:
    first, _ = spy.open_session()
    second, _ = spy.open_session()
    assert registry(nvim, "name(...)", first, "acp://tutor/a%2Fb") == "acp://tutor/a%2Fb"
    assert registry(nvim, "name(...)", second, "acp://tutor/a%2Fb") == "acp://tutor/a%2Fb (2)"
    assert registry(nvim, "name(...)", first, "acp://tutor/a%2Fb") == "acp://tutor/a%2Fb"
    assert nvim.api.nvim_buf_get_name(second) == "acp://tutor/a%2Fb (2)"


def test_wiping_a_chat_tells_the_host_and_takes_its_prompt(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session()
    nvim.command(f"bwipeout! {chat}")
    nvim.wait(lambda: spy.told("chat_wiped") == [{"chat": chat}])
    nvim.wait(lambda: not nvim.api.nvim_buf_is_valid(prompt))
    assert window(nvim, "current()") is None


def test_deleting_a_chat_is_wiping_it(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    nvim.command(f"bdelete! {chat}")
    nvim.wait(lambda: spy.told("chat_wiped") == [{"chat": chat}])


def test_editing_a_chat_again_asks_for_its_text(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    registry(nvim, "name(...)", chat, "acp://tutor/1")
    go_to(nvim, chat)
    nvim.command("edit")
    assert spy.told("repaint") == [{"chat": chat}]
    assert nvim.eval("[&modifiable, &buftype]") == [0, "nofile"]
    nvim.lua("vim.wait(20)")
    assert spy.told("chat_wiped") == []


def test_a_chat_of_another_time_is_opened_again(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command(r"edit acp://my\%20agent/1\%2F\%C3\%BC\ (2)")
    (payload,) = spy.told("reopen")
    assert (payload["agent"], payload["session"]) == ("my agent", "1/ü")
    assert payload["chat"] == nvim.eval("bufnr()")
    assert nvim.lines()[0] == "Starting my agent …"
    assert nvim.eval("&modifiable") == 0


def test_when_the_host_died_chats_are_closed(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session()
    asked = spy.open_ask(chat)
    spy.frame(chat, status={"agent": "tutor", "state": "running", "pending": 1})
    spy.end_host()
    assert nvim.lua("return vim.b[...].acp_status", chat) == {
        "agent": "tutor",
        "state": "closed",
        "pending": 0,
    }
    assert not nvim.api.nvim_win_is_valid(asked["winid"])
    nvim.api.nvim_buf_set_lines(prompt, 0, -1, True, ["text"])
    nvim.input("<CR>")
    assert spy.told("prompt") == []
    assert nvim.lines(prompt) == ["text"]


@pytest.mark.parametrize("key", ["i", "a", "o", "I", "A", "O"])
def test_writing_keys_go_on_in_the_prompt(nvim: Neovim, spy: BridgeSpy, key: str) -> None:
    chat, prompt = spy.open_session()
    go_to(nvim, chat)
    nvim.input(f"{key}hello")
    assert (current(nvim), nvim.mode()["mode"]) == (prompt, "i")
    assert nvim.lines(prompt) == ["hello"]


def test_a_key_goes_on_where_the_prompt_was_left(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session()
    nvim.input("ione<Esc>")
    go_to(nvim, chat)
    nvim.input("otwo")
    assert nvim.lines(prompt) == ["one", "two"]


def test_fold_keys(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    spy.frame(chat, [0, 1, ["a", "b"], []])
    go_to(nvim, chat)
    nvim.input("G<CR>zazozczRzM")
    actions = ["toggle", "toggle", "open", "close", "open_all", "close_all"]
    assert spy.told("toggle") == [{"chat": chat, "row": 1, "action": name} for name in actions]


def test_go_to_the_file_of_a_tool_call(nvim: Neovim, spy: BridgeSpy, tmp_path: Path) -> None:
    file = tmp_path / "a file.txt"
    file.write_text("1\n2\n3\n")
    chat, prompt = spy.open_session()
    go_to(nvim, chat)
    nvim.input("ggwgf")
    (told,) = spy.told("follow_link")
    assert told["chat"] == chat
    assert told["word"] == "tutor"
    spy.answer({"path": str(file), "line": 3})
    assert nvim.eval("[expand('%:p'), line('.'), winnr()]") == [str(file), 3, 1]
    assert shown(nvim)[1:] == [chat, prompt]


def test_go_to_a_file_name_in_the_text(nvim: Neovim, spy: BridgeSpy) -> None:
    (nvim.cwd / "notes.txt").write_text("x\n")
    chat, _ = spy.open_session()
    spy.frame(chat, [0, 1, ["see notes.txt", "nothing here"], []])
    go_to(nvim, chat)
    nvim.input("gg$<C-w>f")
    (told,) = spy.told("follow_link")
    assert (told["line"], told["column"], told["word"]) == ("see notes.txt", 12, "notes.txt")
    spy.answer({"path": str(nvim.cwd / "notes.txt")})
    assert nvim.eval("expand('%:t')") == "notes.txt"
    assert len(shown(nvim)) == 4
    go_to(nvim, chat)
    nvim.input("Ggf")
    spy.answer(None)
    assert "no file here" in nvim.messages()
    assert current(nvim) == chat


def test_a_file_opens_beside_a_chat_that_is_alone(
    nvim: Neovim, spy: BridgeSpy, tmp_path: Path
) -> None:
    chat, prompt = spy.open_session()
    go_to(nvim, chat)
    nvim.command("1close")
    nvim.input("gf")
    spy.answer({"path": str(tmp_path / "x")})
    assert nvim.eval("expand('%:p')") == str(tmp_path / "x")
    assert set(shown(nvim)[1:]) == {chat, prompt}


def test_jumping_between_prompts(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    user = {"line_hl_group": "AcpUser"}
    many = [[40, 0, {"hl_group": "AcpBold", "end_col": 1}]] * 700
    rows = [[row, 0, user] for row in (0, 1, 10, 11, 12, 60)]
    spy.frame(chat, [0, 1, ["x"] * 80, rows + many])
    go_to(nvim, chat)

    def line_after(keys: str) -> int:
        nvim.input(keys)
        return int(nvim.eval("line('.')"))

    assert [line_after("[[") for _ in range(4)] == [61, 11, 1, 1]
    assert [line_after("]]") for _ in range(3)] == [11, 61, 61]
    assert line_after("gg") == 1
    assert line_after("2]]") == 61
    assert line_after("12G") == 12
    assert line_after("[[") == 11


def test_tab_goes_to_the_menu_and_is_itself_without_one(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session()
    go_to(nvim, chat)
    spy.frame(chat, [0, 1, ["x"] * 9, []])
    nvim.input("ggG<C-o><Tab>")
    assert (current(nvim), nvim.eval("line('.')")) == (chat, 9)
    asked = spy.open_ask(chat)
    for buffer in (chat, prompt):
        go_to(nvim, buffer)
        nvim.input("<Tab>")
        assert nvim.eval("win_getid()") == asked["winid"]


def test_no_keys_where_none_are_wanted(nvim: Neovim, spy: BridgeSpy) -> None:
    set_options(nvim, default_keys=False)
    chat, prompt = spy.open_session()
    spy.open_ask(chat)
    assert [nvim.api.nvim_buf_get_keymap(buffer, "n") for buffer in (chat, prompt)] == [[], []]


def test_the_windows_are_dressed_when_opened_inside_of_an_autocommand(nvim: Neovim) -> None:
    nvim.lua(
        """
        vim.o.number = true
        vim.api.nvim_create_autocmd('User', {
          pattern = 'Inside',
          callback = function() OPENED = require('acp.chat.window').open_session('tutor') end,
        })
        vim.cmd.doautocmd('User Inside')
        """
    )
    chat, prompt = nvim.lua("return {vim.fn.bufwinid(OPENED.chat), vim.fn.bufwinid(OPENED.prompt)}")
    assert nvim.lua("return {vim.wo[...].number, vim.wo[...].conceallevel}", chat) == [False, 2]
    assert nvim.lua("return vim.wo[...].winfixheight", prompt) is True


def test_the_end_of_a_chat_fills_its_window_when_that_grows(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    nvim.lua(
        """local text = vim.fn['repeat']({ ('word '):rep(40) }, 20)
        local frame = { buffers = { { bufnr = ..., ops = { { 0, -1, text, {} } } } }, events = {} }
        require('acp.ui.apply').frame(frame)""",
        chat,
    )
    nvim.command("set columns=160 lines=40")
    is_full = """local window = vim.fn.win_findbuf(...)[1]
    local function rows(first)
      return vim.api.nvim_win_text_height(window, { start_row = first }).all
    end
    local top, height = vim.fn.line('w0', window), vim.fn.getwininfo(window)[1].height
    return rows(top - 1) <= height and rows(top - 2) > height"""
    nvim.wait(lambda: nvim.lua(is_full, chat))


DRAWN = """
local space = vim.api.nvim_get_namespaces().acp
local found = vim.api.nvim_buf_get_extmarks(..., space, 0, -1, { details = true })
return vim.iter(found):any(function(mark)
  return mark[4].virt_text_pos == 'inline' and #mark[4].virt_text > 1
end)
"""


def test_a_table_is_laid_out_for_the_window_of_its_chat(job: MainJob) -> None:
    """Once it is over, and again when the window has another width."""
    agent = job.start()
    prompt = job.turn(agent)
    words = "some words of a cell that is too long for a narrow chat, so it goes on"
    agent.say(f"| a | b |\n|---|---|\n| c | {words} |\n")
    buffer = job.session()["bufnr"]
    job.until(lambda: words in "".join(job.chat()))
    assert not job.nvim.lua(DRAWN, buffer)
    job.finish(agent, prompt)
    job.until(lambda: job.nvim.lua(DRAWN, buffer))
    assert f"| c | {words} |" in job.chat()
    job.command("vertical resize 110")
    job.until(lambda: not job.nvim.lua(DRAWN, buffer))
    job.command("vertical resize 40")
    job.until(lambda: job.nvim.lua(DRAWN, buffer))


def test_the_width_of_a_chat_that_is_only_being_made_is_no_fault(job: MainJob) -> None:
    job.start()
    tell = "require('acp.host.bridge').notify('chat_room', { chat = 4711, room = 60 })"
    job.nvim.lua(tell)
    job.inspect()  # the host has had it
    assert "history" not in job.nvim.messages()
