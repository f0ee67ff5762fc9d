"""`:Acp tutor`: it begins by itself, on a copy, and each lesson is one screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.nvim import Neovim
from tests.support.screen.grid import Picture, Screen

CHAT_LINES = """
for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
  if vim.bo[buffer].filetype == 'acp_chat' then
    return vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  end
end
"""
YES = "vim.cmd('Acp permit 1') vim.wait(100) return"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the tutor speak without pauses."""
    monkeypatch.setenv("ACP_TUTOR_DELAY", "0")


@pytest.fixture
def screen(quick: None, nvim: Neovim) -> Iterator[Screen]:
    """Attach a small UI."""
    with Screen(nvim, columns=60, rows=20) as attached:
        yield attached


def whole(*words: str) -> object:
    """Return what tells whether all of these are on the screen at once."""

    def shows(picture: Picture) -> bool:
        text = "\n".join(picture.text())
        return all(word in text for word in words)

    return shows


def test_the_lessons_begin_by_themselves_and_fit_a_small_screen(
    nvim: Neovim, screen: Screen
) -> None:
    def shows(*words: str) -> None:
        nvim.wait("require('acp').status().state == 'idle'")
        screen.wait(whole(*words))

    nvim.command("Acp tutor")
    shows("■□□□□□□ 1 of 7 · Talk", "/read", "<C-s>", "def average")
    nvim.input("i/read<C-s>")
    shows("■■□□□□□ 2 of 7 · Point", ":AcpPrompt explain this", "words.")
    nvim.input("<Esc><C-w>t5GVj:AcpPrompt explain this<CR>")
    shows("■■■□□□□ 3 of 7 · Decide", "/edit", ":Acp permit 1")
    nvim.command("AcpPrompt /edit")
    screen.wait(whole("tutor asks"))
    nvim.wait("#require('acp').inspect().asks == 1")
    nvim.wait(f"{YES} #require('acp').inspect().asks == 0")
    shows("■■■■□□□ 4 of 7 · Review", ":Acp review", "Then send me")
    nvim.command("AcpPrompt done")
    shows("5 of 7 · Undo", ":Acp undo", ":Acp rewind")
    nvim.command("Acp undo")
    nvim.command("AcpPrompt done")
    shows("6 of 7 · Stop", "/plan", ":Acp cancel", ":Acp queue")
    assert any("My change is gone" in line for line in nvim.lua(CHAT_LINES))


def test_it_is_on_a_copy_of_the_file_on_screen(quick: None, nvim: Neovim) -> None:
    own = nvim.cwd / "own.py"
    own.write_text("one = 1\n")
    nvim.command(f"edit {own}")
    nvim.command("call setline(1, 'two = 2')")
    nvim.command("Acp tutor")
    nvim.wait("require('acp').status().turn == 1 and require('acp').status().state == 'idle'")
    copy = nvim.lua(
        "return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf("
        "vim.api.nvim_tabpage_list_wins(0)[1]))"
    )
    assert copy.endswith("/own.py") and copy != str(own)
    nvim.command("AcpPrompt /edit own.py")
    nvim.wait(f"{YES} require('acp').status().state == 'idle'")
    assert own.read_text() == "one = 1\n"
    assert nvim.lines(nvim.lua("return vim.fn.bufnr(...)", str(own))) == ["two = 2"]
    assert nvim.eval("tabpagenr('$')") == 2
    nvim.command("tabfirst | Acp tutor")
    assert len(nvim.lua("return require('acp').inspect().sessions")) == 1
