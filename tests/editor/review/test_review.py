"""The marks of a review in real buffers: drawn, moved along, drawn anew; and its quickfix lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_nvim.view.review.lists import QuickfixList, quickfix
from acp_nvim.view.review.marks import Drawing, FileReview
from tests.support.fakes.spy import BridgeSpy
from tests.support.files.reviews import ReviewingNeovim, author, review
from tests.support.nvim import Neovim

OLD = "one\ntwo\nthree\nfour\nfive\nsix\n"
NEW = "one\n2\nthree\nfour\nsix\nseven\n"
"""Changed in row 1, gone above row 4, added in row 5."""
MARKS = """
local name, buffer = ...
local space = vim.api.nvim_create_namespace(name)
return vim.tbl_map(function(mark)
  return { mark[2], mark[4].sign_text or mark[4].hl_group or '' }
end, vim.api.nvim_buf_get_extmarks(buffer or 0, space, 0, -1, { details = true }))
"""
AUTOCOMMANDS = """
return #vim.api.nvim_get_autocmds({ group = 'acp.review' })
  + #vim.api.nvim_get_autocmds({ group = 'acp.removed_lines' })
"""
HUNKS = """
return vim.tbl_map(function(hunk)
  return { hunk.first, hunk.last }
end, require('acp.review.hunks').of(0))
"""


@pytest.fixture
def host(nvim: Neovim, spy: BridgeSpy) -> ReviewingNeovim:
    """Return what draws as the host would; the spy takes what it would be told."""
    assert spy.told("edited") == []
    return ReviewingNeovim(nvim)


def write(nvim: Neovim, name: str = "a.txt", text: str = NEW) -> Path:
    path = (nvim.cwd / name).resolve()
    path.write_text(text)
    return path


def opened(nvim: Neovim, host: ReviewingNeovim) -> FileReview:
    """Open a file and show its three hunks."""
    path = write(nvim)
    nvim.command(f"edit {path}")
    shown = review(path, OLD, NEW)
    host.begin(shown)
    return shown


def signs(nvim: Neovim) -> list[list[Any]]:
    return [mark for mark in nvim.lua(MARKS, "acp_review") if mark[1] in ("┃ ", "▔ ", "▁ ")]


def edited(nvim: Neovim, spy: BridgeSpy, count: int = 1) -> list[str]:
    """Wait until the host was told so often; return the names."""
    nvim.wait(lambda: len(spy.told("edited")) >= count)
    return [Path(it["path"]).name for it in spy.told("edited")]


def forget(nvim: Neovim) -> None:
    nvim.lua("_G.told = {}")


def test_it_draws_signs_colours_and_removed_lines(nvim: Neovim, host: ReviewingNeovim) -> None:
    opened(nvim, host)
    assert signs(nvim) == [[1, "┃ "], [4, "▔ "], [5, "┃ "]]
    assert nvim.lua(HUNKS) == [[1, 1], [4, 4], [5, 5]]
    groups = [mark[1] for mark in nvim.lua(MARKS, "acp_review")]
    assert groups.count("AcpReviewAdd") == 2
    assert nvim.eval("[&modified, line('.'), col('.')]") == [0, 1, 1]


def test_a_drawing_takes_the_place_of_that_before(nvim: Neovim, host: ReviewingNeovim) -> None:
    shown = opened(nvim, host)
    assert host.draw(FileReview(shown.path, 6, shown.changes[:1])) == "ok"
    assert signs(nvim) == [[1, "┃ "]]
    assert host.put(shown.path, Drawing()) == "ok"
    assert nvim.lua(MARKS, "acp_review") == nvim.lua(HUNKS) == []


def test_only_the_text_that_the_host_has_seen_is_drawn_on(
    nvim: Neovim, host: ReviewingNeovim
) -> None:
    shown = opened(nvim, host)
    seen = host.tick(shown.path)
    nvim.input("Onew<Esc>")
    before = nvim.lua(MARKS, "acp_review")
    assert host.put(shown.path, Drawing(), tick=seen) == "stale"
    assert nvim.lua(MARKS, "acp_review") == before
    assert host.draw(review(nvim.cwd / "nobody.txt", "", "x\n")) == "gone"


def test_a_file_is_known_by_its_resolved_path(nvim: Neovim, host: ReviewingNeovim) -> None:
    path = write(nvim)
    link = nvim.cwd / "link.txt"
    link.symlink_to(path)
    nvim.command(f"edit {link}")
    assert host.draw(review(path, OLD, NEW)) == "ok"
    assert len(signs(nvim)) == 3


def test_hunks_go_along_with_what_the_user_types(nvim: Neovim, host: ReviewingNeovim) -> None:
    opened(nvim, host)
    nvim.input("Oa<CR>b<Esc>")
    assert nvim.lua(HUNKS) == [[3, 3], [6, 6], [7, 7]]
    assert signs(nvim) == [[3, "┃ "], [6, "▔ "], [7, "┃ "]]


@pytest.mark.parametrize("keys", ["ix<Esc>", "dd", "ix<Esc>u", ":g/o/s/o/0/<CR>", "yyp"])
def test_the_host_is_told_once_of_what_the_user_does(
    nvim: Neovim, spy: BridgeSpy, host: ReviewingNeovim, keys: str
) -> None:
    opened(nvim, host)
    nvim.input(keys)
    assert edited(nvim, spy) == ["a.txt"]
    nvim.command(f"edit {write(nvim, 'b.txt')}")
    host.files(review(nvim.cwd / "b.txt", OLD, NEW))
    nvim.command("edit")
    nvim.wait(lambda: "b.txt" in edited(nvim, spy))
    assert edited(nvim, spy).count("a.txt") == 1


def test_it_is_told_while_the_user_still_types(
    nvim: Neovim, spy: BridgeSpy, host: ReviewingNeovim
) -> None:
    opened(nvim, host)
    nvim.input("ihel")
    assert edited(nvim, spy) == ["a.txt"]
    assert nvim.mode()["mode"] == "i"


def test_what_it_has_drawn_already_it_is_not_told(
    nvim: Neovim, spy: BridgeSpy, host: ReviewingNeovim
) -> None:
    shown = opened(nvim, host)
    nvim.input("Ox<Esc>")
    host.draw(review(shown.path, OLD, "x\n" + NEW))
    other = review(write(nvim, "b.txt"), OLD, NEW)
    host.files(shown, other)
    nvim.command("split b.txt")
    assert edited(nvim, spy) == ["b.txt"]
    host.draw(other)
    nvim.input("x")  # its pause begins after that of the first file
    assert edited(nvim, spy, 2) == ["b.txt", "b.txt"]


def test_no_work_is_done_without_hunks(nvim: Neovim, host: ReviewingNeovim) -> None:
    shown = opened(nvim, host)
    assert nvim.lua(AUTOCOMMANDS) > 0
    host.files()
    host.put(shown.path, Drawing())
    assert nvim.lua(AUTOCOMMANDS) == 0


def test_a_file_that_is_opened_later_is_asked_for(
    nvim: Neovim, spy: BridgeSpy, host: ReviewingNeovim
) -> None:
    path = write(nvim)
    host.files(review(path, OLD, NEW), review(nvim.cwd / "gone.txt", OLD, ""))
    nvim.command(f"edit {write(nvim, 'other.txt')}")
    nvim.command(f"edit {path}")
    assert edited(nvim, spy) == ["a.txt"]
    nvim.command(f"edit {nvim.cwd}/gone.txt")
    assert edited(nvim, spy, 2) == ["a.txt", "gone.txt"]


@pytest.mark.parametrize("again", ["edit!", "bdelete! | edit {}"])
def test_a_file_that_is_read_anew_is_asked_for(
    nvim: Neovim, spy: BridgeSpy, host: ReviewingNeovim, again: str
) -> None:
    shown = opened(nvim, host)
    nvim.command(again.format(shown.path))
    assert edited(nvim, spy) == ["a.txt"]
    assert host.draw(shown) == "ok"
    assert len(signs(nvim)) == 3
    forget(nvim)
    nvim.input("x")
    assert edited(nvim, spy) == ["a.txt"]


def test_a_long_file_is_asked_for_when_the_user_has_done(
    nvim: Neovim, spy: BridgeSpy, host: ReviewingNeovim
) -> None:
    text = "line\n" * 20_001
    path = write(nvim, "long.txt", text)
    nvim.command(f"edit {path}")
    host.begin(review(path, "", text))
    forget(nvim)
    short = write(nvim)
    nvim.command(f"split {short}")
    host.begin(review(path, "", text), review(short, OLD, NEW))
    nvim.command("wincmd p")
    nvim.input("ix")
    nvim.lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('a.txt'), 0, 0, true, { 'x' })")
    nvim.wait(lambda: str(short) in [it["path"] for it in spy.told("edited")])
    assert str(path) not in [it["path"] for it in spy.told("edited")]
    nvim.input("<Esc>")
    nvim.wait(lambda: str(path) in [it["path"] for it in spy.told("edited")])


@pytest.mark.parametrize("keys", ["q:", ":echo", "i<C-n>", "d", "V", "/x", ":call input('')<CR>"])
def test_it_draws_whatever_the_user_is_doing(
    nvim: Neovim, host: ReviewingNeovim, keys: str
) -> None:
    path = write(nvim)
    nvim.command(f"edit {path}")
    shown = review(path, "above\n" + OLD, NEW)
    nvim.input(keys)
    mode = nvim.mode()
    host.files(shown)
    host.lists(quickfix([shown]))
    assert host.draw(shown) == "ok"
    assert nvim.mode() == mode
    assert len(nvim.lua("return vim.fn.getqflist()")) == len(shown.changes)


def test_the_marks_go_with_the_host(nvim: Neovim, spy: BridgeSpy, host: ReviewingNeovim) -> None:
    opened(nvim, host)
    spy.end_host()
    assert nvim.lua(MARKS, "acp_review") == []
    assert nvim.lua(AUTOCOMMANDS) == 0


# --- quickfix lists


def titles(nvim: Neovim) -> list[tuple[str, int]]:
    """Return title and size of each quickfix list."""
    found = nvim.lua(
        """local found = {}
        for number = 1, vim.fn.getqflist({ nr = '$' }).nr do
          local list = vim.fn.getqflist({ nr = number, title = 1, size = 1 })
          table.insert(found, { list.title, list.size })
        end
        return found"""
    )
    return [(title, size) for title, size in found]


def turns(nvim: Neovim, count: int) -> tuple[QuickfixList, ...]:
    """Return the lists of so many turns, each with one file of three hunks."""
    return quickfix(
        [
            review(nvim.cwd / f"{turn}.txt", OLD, NEW, (author(turn, prompt=""),))
            for turn in range(1, count + 1)
        ]
    )


def test_each_turn_has_a_list_and_colder_walks_them(nvim: Neovim, host: ReviewingNeovim) -> None:
    host.lists(turns(nvim, 2))
    assert titles(nvim) == [("acp: gemini turn 1", 3), ("acp: gemini turn 2", 3)]
    assert nvim.eval("[winnr('$'), getqflist({'nr': 0}).nr]") == [1, 2]
    rows = nvim.eval("map(getqflist(), '[v:val.lnum, v:val.end_lnum, v:val.text]')")
    assert rows == [[2, 2, "+1 −1  2"], [5, 5, "+0 −1  five"], [6, 6, "+1 −0  seven"]]
    nvim.command("silent colder")
    assert nvim.eval("fnamemodify(bufname(getqflist()[0].bufnr), ':t')") == "1.txt"


def test_lists_are_updated_in_place_and_emptied(nvim: Neovim, host: ReviewingNeovim) -> None:
    first, second = turns(nvim, 2)
    host.lists([first, second])
    nvim.command("silent colder | silent cc 3 | copen")
    shorter = QuickfixList(first.key, first.title, first.items[1:])
    host.lists([shorter], make=False)
    assert titles(nvim) == [("acp: gemini turn 1", 2), ("acp: gemini turn 2", 0)]
    assert nvim.eval("getqflist({'nr': 0, 'idx': 0})") == {"nr": 1, "idx": 2}
    assert nvim.eval("&buftype") == "quickfix"
    nvim.command("1")
    host.lists([shorter], make=False)
    assert nvim.eval("line('.')") == 1


def test_lists_of_others_stay(nvim: Neovim, host: ReviewingNeovim) -> None:
    nvim.command("silent call setqflist([], ' ', {'title': 'theirs', 'lines': ['x:1: y']})")
    host.lists(turns(nvim, 1), make=False)
    assert titles(nvim) == [("theirs", 1)]
    host.lists(turns(nvim, 1))
    nvim.command("silent call setqflist([], ' ', {'title': 'later', 'lines': ['x:1: y']})")
    host.lists(turns(nvim, 1), make=False)
    assert titles(nvim) == [("theirs", 1), ("acp: gemini turn 1", 3), ("later", 1)]
    assert nvim.eval("getqflist({'nr': 0}).nr") == 3
    host.lists(turns(nvim, 1))
    assert nvim.eval("getqflist({'nr': 0}).nr") == 2
    nvim.command("silent call setqflist([], 'f')")
    host.lists(turns(nvim, 1), make=False)
    assert titles(nvim) == []
    host.lists(turns(nvim, 1))
    assert titles(nvim) == [("acp: gemini turn 1", 3)]


def test_a_new_list_is_the_last_one(nvim: Neovim, host: ReviewingNeovim) -> None:
    for title in ("one", "two"):
        nvim.command(f"silent call setqflist([], ' ', {{'title': '{title}', 'lines': ['x:1: y']}})")
    nvim.command("silent colder")
    host.lists(turns(nvim, 1))
    assert titles(nvim) == [("one", 1), ("two", 1), ("acp: gemini turn 1", 3)]


def test_many_turns_leave_room_for_the_lists_of_others(nvim: Neovim, host: ReviewingNeovim) -> None:
    nvim.command("silent call setqflist([], ' ', {'title': 'theirs', 'lines': ['x:1: y']})")
    host.lists(turns(nvim, 9))
    assert titles(nvim)[:3] == [
        ("theirs", 1),
        ("acp: earlier turns", 15),
        ("acp: gemini turn 6", 3),
    ]
    assert len(titles(nvim)) == 6


MANY = 5000
DRAW_MANY = """
local path, amount = ...
local marks = require('acp.review.marks')
local found, lines = {}, {}
for row = 1, amount do
  lines[row], found[row] = 'line', { row - 1, 0, { line_hl_group = 'AcpReviewAdd' }, 1 }
end
vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
marks.files({ { path = path, rows = { 0 } } })
marks.draw(path, vim.b.changedtick, found, { { 0, 1 } })
"""
COUNT = """(function()
  local namespace = vim.api.nvim_create_namespace('acp_review')
  return #vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, {})
end)()"""


def test_many_marks_come_in_portions(nvim: Neovim, spy: BridgeSpy, tmp_path: Path) -> None:
    nvim.command(f"edit {tmp_path / 'a.txt'}")
    path = str((tmp_path / "a.txt").resolve())
    first = nvim.lua(f"{DRAW_MANY} return {COUNT}", path, MANY)
    assert 0 < first < MANY
    nvim.wait(lambda: nvim.lua(f"return {COUNT}") == MANY)
    assert spy.told("edited") == []


@pytest.mark.parametrize("before", ["", "vim.uv.sleep(250)"])  # its time is up at once
def test_of_a_text_that_changes_meanwhile_the_host_is_told(
    nvim: Neovim, spy: BridgeSpy, tmp_path: Path, before: str
) -> None:
    nvim.command(f"edit {tmp_path / 'a.txt'}")
    path = str((tmp_path / "a.txt").resolve())
    change = f"{before} vim.api.nvim_buf_set_lines(0, 0, 0, true, {{ 'of the user' }})"
    assert nvim.lua(f"{DRAW_MANY} {change} return {COUNT}", path, MANY) < MANY
    nvim.wait(lambda: spy.told("edited") == [{"path": path}])
    assert nvim.lua(f"return {COUNT}") < MANY
