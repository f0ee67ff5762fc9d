"""Two texts side by side: a tabpage of their own, and nothing else in the editor changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes.spy import ALLOWED, REJECTED, BridgeSpy
from tests.support.nvim import Neovim

OLD = [f"line {number}" for number in range(60)]
NEW = [*OLD[:30], "something else", *OLD[31:]]


@pytest.fixture
def path(nvim: Neovim) -> Path:
    """Write a file, and open it."""
    path = nvim.cwd / "a.py"
    path.write_text("\n".join(OLD) + "\n")
    nvim.command(f"edit {path}")
    return path.resolve()


def spec(path: Path | None, **more: Any) -> dict[str, Any]:
    left: dict[str, Any] = {"name": "nothing", "file": "new.py"}
    if path is not None:
        left = {"name": "a.py", "path": str(path), "lines": OLD}
    return {"left": left, "right": {"name": "a.py (as proposed)", "lines": NEW}, **more}


def opened(nvim: Neovim, *arguments: Any, key: str = "one") -> Any:
    return nvim.lua("return require('acp.ui.compare').open(...)", key, *arguments)


def close(nvim: Neovim, key: str = "one") -> None:
    nvim.lua("require('acp.ui.compare').close(...)", key)


def windows(nvim: Neovim) -> list[list[Any]]:
    """Return name of the buffer and whether it is in a diff, for all windows of the tabpage."""
    return list(
        nvim.lua(
            """return vim.tbl_map(function(window)
              local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window))
              return { vim.fs.basename(name), vim.wo[window].diff }
            end, vim.api.nvim_tabpage_list_wins(0))"""
        )
    )


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


# --- of a permission


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
