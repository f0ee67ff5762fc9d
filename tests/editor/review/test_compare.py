"""Two texts side by side: a tabpage of their own, and nothing else in the editor changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.comparison import NEW, OLD, opened_file, spec, windows
from tests.support.nvim import Neovim


@pytest.fixture
def path(nvim: Neovim) -> Path:
    """Write a file, and open it."""
    return opened_file(nvim)


def opened(nvim: Neovim, *arguments: Any, key: str = "one") -> Any:
    return nvim.lua("return require('acp.ui.compare').open(...)", key, *arguments)


def close(nvim: Neovim, key: str = "one") -> None:
    nvim.lua("require('acp.ui.compare').close(...)", key)


def state(nvim: Neovim) -> Any:
    """Return all that must be as before: windows, their options and views, buffers."""
    return nvim.lua(
        """local found = { vim.api.nvim_get_current_win() }
        for _, window in ipairs(vim.api.nvim_list_wins()) do
          local options = {}
          for _, name in ipairs({ 'diff', 'scrollbind', 'cursorbind', 'foldmethod', 'foldlevel',
              'foldcolumn', 'foldenable', 'wrap', 'winbar', 'fillchars', 'number' }) do
            options[name] = vim.wo[window][name]
          end
          local view = vim.api.nvim_win_call(window, vim.fn.winsaveview)
          table.insert(found, { window, options, view, vim.api.nvim_win_get_width(window) })
        end
        table.insert(found, vim.api.nvim_list_bufs())
        return found"""
    )


def test_the_live_file_beside_what_it_would_be(nvim: Neovim, path: Path) -> None:
    nvim.command("set number | normal! 3G")
    nvim.lua("vim.fn.setline(1, 'unsaved')")
    assert opened(nvim, spec(path, title="1 of 2"))
    assert windows(nvim) == [["a.py", True], ["a.py (as proposed)", True]]
    assert nvim.lines()[30] == "something else"
    assert nvim.eval("[&modifiable, &buftype, &bufhidden, &filetype]") == [0, "nofile", "wipe", ""]
    assert nvim.eval("[&syntax, &winbar =~ '1 of 2', &winbar =~ 'as proposed']") == ["python", 1, 1]
    nvim.command("wincmd h")
    assert nvim.lines()[0] == "unsaved"
    assert nvim.eval("[&modified, &modifiable]") == [1, 1]


def test_the_cursor_is_at_the_first_change_or_at_the_line(nvim: Neovim, path: Path) -> None:
    opened(nvim, spec(path))
    assert nvim.eval("line('.')") == 31
    opened(nvim, spec(path, line=7, focus="left"))
    assert nvim.eval("[line('.'), expand('%:t')]") == [7, "a.py"]
    assert nvim.eval("tabpagenr('$')") == 2


def test_a_change_in_the_first_line(nvim: Neovim, path: Path) -> None:
    comparison = spec(path)
    comparison["right"]["lines"] = ["other", *NEW[1:]]
    opened(nvim, comparison)
    assert nvim.eval("line('.')") == 1


@pytest.mark.parametrize(
    "end",
    [
        close,
        lambda nvim: nvim.input("q"),
        lambda nvim: nvim.command("quit"),
        lambda nvim: nvim.command("wincmd h | quit"),
        lambda nvim: nvim.command("tabclose"),
        lambda nvim: nvim.command("bwipeout"),
    ],
    ids=["close", "q", "quit", "quit left", "tabclose", "bwipeout"],
)
def test_afterwards_all_is_as_before(
    nvim: Neovim, path: Path, end: Callable[[Neovim], None]
) -> None:
    nvim.command("set number | vsplit | normal! 20G")
    before = state(nvim)
    opened(nvim, spec(path))
    assert nvim.eval("tabpagenr('$')") == 2
    end(nvim)
    nvim.wait(lambda: state(nvim) == before)
    nvim.command(f"new {path}")
    shown = nvim.eval("[&diff, &scrollbind, &cursorbind, &foldmethod, &winbar, &number]")
    assert shown == [0, 0, 0, "manual", "", 1]
    close(nvim)


def test_whoever_is_in_another_tabpage_stays_there(nvim: Neovim, path: Path) -> None:
    opened(nvim, spec(path))
    nvim.command("tabnew")
    window = nvim.eval("win_getid()")
    nvim.input("ihello")
    close(nvim)
    assert nvim.eval("win_getid()") == window
    assert nvim.mode()["mode"] == "i"
    assert nvim.eval("tabpagenr('$')") == 2
    assert windows(nvim) == [["", False]]


def test_another_file_in_a_side_ends_it_and_stays(nvim: Neovim, path: Path) -> None:
    opened(nvim, spec(path))
    nvim.command("wincmd h | edit other.txt")
    nvim.wait(lambda: len(windows(nvim)) == 1)
    assert windows(nvim) == [["a.py", False]]
    nvim.command("tabnext")
    assert windows(nvim) == [["other.txt", False]]


def test_windows_of_the_user_in_its_tabpage_stay(nvim: Neovim, path: Path) -> None:
    opened(nvim, spec(path))
    nvim.command("new mine.txt")
    close(nvim)
    assert nvim.eval("tabpagenr('$')") == 2
    nvim.command("tabnext 2")
    assert windows(nvim) == [["mine.txt", False]]


def test_a_split_of_the_live_file_is_a_plain_window_afterwards(nvim: Neovim, path: Path) -> None:
    nvim.command("set number diffopt-=closeoff")
    opened(nvim, spec(path, focus="left", line=1))
    nvim.input(":split<CR>Ohello ")
    window = nvim.eval("win_getid()")
    close(nvim)
    nvim.input("world")
    assert nvim.lines()[0] == "hello world"
    assert windows(nvim) == [["a.py", False]]
    shown = nvim.eval("[win_getid(), &scrollbind, &cursorbind, &foldmethod, &winbar, &number]")
    assert shown == [window, 0, 0, "manual", "", 1]


def test_whoever_closes_a_side_from_another_window_stays_there(nvim: Neovim, path: Path) -> None:
    opened(nvim, spec(path))
    nvim.input(":new mine.txt<CR>")
    window = nvim.eval("win_getid()")
    nvim.input(":only<CR>ihello")
    nvim.wait("require('acp.ui.compare').find('one') == nil")
    nvim.input(" world")
    assert [nvim.eval("win_getid()"), nvim.lines()] == [window, ["hello world"]]


def test_it_may_be_all_that_is_left(nvim: Neovim, path: Path) -> None:
    nvim.lua("vim.fn.setline(1, 'unsaved')")
    opened(nvim, spec(path))
    nvim.command("tabonly")
    close(nvim)
    assert windows(nvim) == [["a.py", False]]
    assert nvim.lines()[0] == "unsaved"
    opened(nvim, spec(None))
    nvim.command("tabonly")
    close(nvim)
    assert windows(nvim) == [["", False]]
    nvim.command("split")
    assert nvim.eval("&winbar") == ""


def test_a_new_file_beside_nothing(nvim: Neovim, path: Path) -> None:
    buffers = len(nvim.api.nvim_list_bufs())
    opened(nvim, spec(None))
    assert nvim.eval("&syntax") == "python"
    nvim.command("wincmd h")
    assert nvim.lines() == [""]
    assert nvim.eval("[&syntax, &modifiable]") == ["python", 0]
    nvim.input("q")
    assert len(nvim.api.nvim_list_bufs()) == buffers


def test_a_file_that_is_not_open_is_loaded_without_a_word(nvim: Neovim, path: Path) -> None:
    other = nvim.cwd / "b.py"
    other.write_text("one\n")
    opened(nvim, spec(other.resolve()))
    assert windows(nvim)[0] == ["b.py", True]
    assert nvim.messages() == ""
    close(nvim)
    nvim.command(f"edit {other}")
    shown = nvim.eval("[&diff, &scrollbind, &cursorbind, &foldmethod, &winbar]")
    assert shown == [0, 0, 0, "manual", ""]


def test_a_file_that_another_neovim_has_is_shown_as_the_host_read_it(
    nvim: Neovim, path: Path
) -> None:
    other = (nvim.cwd / "b.py").resolve()
    other.write_text("one\n")
    nvim.command(f"set directory={nvim.cwd}")
    (nvim.cwd / "b.py.swp").write_text("")
    opened(nvim, spec(other))
    assert not nvim.mode()["blocking"]
    nvim.command("wincmd h")
    assert nvim.lines() == OLD
    assert nvim.eval("[&buftype, &modifiable]") == ["nofile", 0]


def test_several_at_a_time(nvim: Neovim, path: Path) -> None:
    opened(nvim, spec(path))
    opened(nvim, spec(path), key="two")
    assert nvim.eval("tabpagenr('$')") == 3
    close(nvim)
    assert nvim.eval("tabpagenr('$')") == 2
    assert windows(nvim)[0] == ["a.py", True]
    close(nvim, "two")
    assert nvim.eval("tabpagenr('$')") == 1
    assert windows(nvim) == [["a.py", False]]


def test_names_do_not_become_items_of_the_winbar(nvim: Neovim, path: Path) -> None:
    comparison = spec(path)
    comparison["right"]["name"] = "%{execute('let g:evil = 1')}%#Error#"
    opened(nvim, comparison)
    nvim.command("redraw")
    assert nvim.eval("exists('g:evil')") == 0


def test_diffopt_says_whether_one_stands_above_the_other(nvim: Neovim, path: Path) -> None:
    nvim.command("set diffopt+=horizontal")
    opened(nvim, spec(path))
    assert nvim.eval("winlayout()[0]") == "col"


def test_whoever_types_in_the_live_file_goes_on_there(nvim: Neovim, path: Path) -> None:
    nvim.command("set diffopt-=closeoff")
    opened(nvim, spec(path, focus="left", line=1))
    window = nvim.eval("win_getid()")
    nvim.input("Ohello ")
    close(nvim)
    nvim.input("world")
    assert nvim.eval("[win_getid(), &diff, &scrollbind, &winbar]") == [window, 0, 0, ""]
    assert nvim.mode()["mode"] == "i"
    assert nvim.lines()[0] == "hello world"
    assert windows(nvim) == [["a.py", False]]
