"""The end of a chat: who sends sees it, who was at it follows, and others are told what came."""

from __future__ import annotations

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim

COUNT = 100


@pytest.fixture
def chat(spy: BridgeSpy) -> int:
    """Open a session whose chat holds more than a window shows."""
    number, _ = spy.open_session()
    spy.frame(number, [0, 1, [str(line) for line in range(1, COUNT + 1)], []])
    return number


def window_of(nvim: Neovim, buffer: int) -> int:
    return int(nvim.lua("return require('acp.ui.layout').window_of(...)", buffer))


def shown(nvim: Neovim, chat: int) -> tuple[int, int]:
    """Return the line of the cursor, and the last line that is to be seen."""
    lines = nvim.lua(
        "return { vim.fn.line('.', ...), vim.fn.line('w$', ...) }", window_of(nvim, chat)
    )
    return int(lines[0]), int(lines[1])


def words(nvim: Neovim) -> list[str]:
    """Return what the floats of this tabpage say."""
    return [
        str(text)
        for text in nvim.lua(
            """local found = {}
            for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
              if vim.api.nvim_win_get_config(window).relative ~= '' then
                local buffer = vim.api.nvim_win_get_buf(window)
                table.insert(found, vim.api.nvim_buf_get_lines(buffer, 0, 1, true)[1])
              end
            end
            return found"""
        )
    ]


def look_at(nvim: Neovim, chat: int, line: int) -> None:
    """Read further up, as the user."""
    nvim.lua(
        """local window, line = ...
        vim.api.nvim_win_call(window, function() vim.cmd(line .. ' | normal! zt') end)""",
        window_of(nvim, chat),
        line,
    )


def toggle(nvim: Neovim) -> None:
    nvim.command("Acp chat")


def more(spy: BridgeSpy, chat: int, count: int = 5, of: int = COUNT) -> None:
    """Let lines come at the end."""
    spy.frame(chat, [of, of, [f"more {n}" for n in range(count)], []])


@pytest.mark.parametrize("way", ["<CR>", "<C-s>", ":w", ":AcpPrompt hello"])
def test_who_sends_a_prompt_sees_the_end(nvim: Neovim, spy: BridgeSpy, chat: int, way: str) -> None:
    look_at(nvim, chat, 3)
    keys = {"<CR>": "ihello<Esc><CR>", "<C-s>": "ihello<C-s><Esc>", ":w": "ihello<Esc>:w<CR>"}
    nvim.input(keys.get(way, f"{way}<CR>"))
    nvim.wait(lambda: spy.told("prompt") != [])
    assert shown(nvim, chat) == (COUNT, COUNT)
    more(spy, chat)
    assert shown(nvim, chat) == (COUNT + 5, COUNT + 5)


def test_a_prompt_that_is_not_sent_moves_nothing(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    look_at(nvim, chat, 3)
    nvim.input("<CR>")
    nvim.wait(lambda: spy.told("send_review") != [])
    spy.answer(result=False)
    assert shown(nvim, chat)[0] == 3


def test_the_way_back_is_in_the_jump_list(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    look_at(nvim, chat, 3)
    nvim.command("AcpPrompt hello")
    nvim.api.nvim_set_current_win(window_of(nvim, chat))
    nvim.input("<C-o>")
    assert shown(nvim, chat)[0] == 3


def test_a_chat_that_was_at_its_end_opens_at_its_end(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    toggle(nvim)
    more(spy, chat)
    toggle(nvim)
    assert shown(nvim, chat) == (COUNT + 5, COUNT + 5)
    more(spy, chat, of=COUNT + 5)
    assert shown(nvim, chat) == (COUNT + 10, COUNT + 10)


def test_so_it_does_when_all_came_while_it_was_closed(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    toggle(nvim)
    spy.frame(chat, [0, 1, [str(line) for line in range(COUNT)], []])
    toggle(nvim)
    assert shown(nvim, chat) == (COUNT, COUNT)


def test_in_the_windows_of_another_chat_each_is_where_it_was(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    other, _ = spy.open_session()
    spy.frame(other, [0, 1, [str(line) for line in range(COUNT // 2)], []])
    for line in (COUNT, 20, COUNT):
        nvim.lua("require('acp.chat.window').show(...)", chat)
        more(spy, chat, 0)
        if line < COUNT:
            look_at(nvim, chat, line)
        nvim.lua("require('acp.chat.window').show(...)", other)
        assert shown(nvim, other) == (COUNT // 2, COUNT // 2)
        nvim.lua("require('acp.chat.window').show(...)", chat)
        assert shown(nvim, chat)[0] == line
        nvim.lua("vim.api.nvim_win_set_cursor(...)", window_of(nvim, chat), [COUNT, 0])


@pytest.mark.parametrize("layout", ["left", "bottom", "tab", "float"])
def test_in_every_layout(nvim: Neovim, spy: BridgeSpy, layout: str) -> None:
    nvim.lua("vim.g.acp = ...", {"ui": {"layout": layout}})
    test_so_it_does_when_all_came_while_it_was_closed(nvim, spy)


def test_in_another_tabpage(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    nvim.command("tabnew")
    more(spy, chat)
    nvim.command("Acp chat open")
    assert shown(nvim, chat) == (COUNT + 5, COUNT + 5)
    more(spy, chat, of=COUNT + 5)
    assert shown(nvim, chat) == (COUNT + 10, COUNT + 10)


def test_who_reads_elsewhere_finds_the_place_again_and_is_told(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    look_at(nvim, chat, 3)
    toggle(nvim)
    more(spy, chat)
    assert words(nvim) == []
    toggle(nvim)
    assert shown(nvim, chat)[0] == 3
    assert words(nvim) == [" ↓ 5 new · G "]
    toggle(nvim)
    assert words(nvim) == []


def test_what_comes_below_is_counted_until_one_goes_there(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    look_at(nvim, chat, 3)
    assert words(nvim) == []
    more(spy, chat, 20)
    assert words(nvim) == [" ↓ 20 new · G "]
    more(spy, chat, 3, of=COUNT + 20)
    assert words(nvim) == [" ↓ 23 new · G "]
    nvim.api.nvim_set_current_win(window_of(nvim, chat))
    nvim.input("G")
    nvim.wait(lambda: words(nvim) == [])
    more(spy, chat, of=COUNT + 23)
    assert words(nvim) == []
    nvim.input("gg")
    more(spy, chat, 2, of=COUNT + 28)
    nvim.wait(lambda: words(nvim) == [" ↓ 2 new · G "])


def test_nothing_is_opened_in_a_tabpage_without_the_chat(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    look_at(nvim, chat, 3)
    nvim.command("tabnew")
    more(spy, chat)
    assert words(nvim) == []
    nvim.command("tabclose")
    nvim.wait(lambda: words(nvim) == [" ↓ 5 new · G "])


def test_the_words_take_no_focus_and_go_with_the_window(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    look_at(nvim, chat, 3)
    window = nvim.eval("win_getid()")
    more(spy, chat)
    assert nvim.eval("win_getid()") == window
    nvim.command("only!")
    nvim.command("enew")
    nvim.wait(lambda: words(nvim) == [])


def test_what_takes_fewer_rows_than_before_leaves_none_empty(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    window = window_of(nvim, chat)
    long = ["word " * 60] * 8
    spy.frame(chat, [COUNT, COUNT, long, []])
    spy.frame(chat, [COUNT, COUNT + 8, ["short"] * 9, []])  # a line more, and far fewer rows
    height = nvim.lua("return vim.fn.getwininfo(...)[1].height", window)
    first = nvim.lua("return vim.fn.line('w0', ...)", window)
    assert shown(nvim, chat) == (COUNT + 9, COUNT + 9)
    assert COUNT + 9 - first + 1 == height


def test_one_line_that_becomes_shorter_leaves_no_row_empty(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    window = window_of(nvim, chat)
    spy.frame(chat, [COUNT, COUNT, ["word " * 60], []])
    spy.frame(chat, [COUNT, COUNT + 1, ["short"], []])
    height = nvim.lua("return vim.fn.getwininfo(...)[1].height", window)
    first = nvim.lua("return vim.fn.line('w0', ...)", window)
    assert shown(nvim, chat) == (COUNT + 1, COUNT + 1)
    assert COUNT + 1 - first + 1 == height
