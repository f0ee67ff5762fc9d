"""What the editor remembers of a file stays through our edits: marks, folds, undo, the inode."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.files import disk
from tests.editor.files.test_buffer import UNIX, change, open_file, outdate, read, write
from tests.support.agents.agent_edits import looked, tool, until_files
from tests.support.agents.agent_edits import write as client_write
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

LINES = [f"line {number}" for number in range(1, 11)]
MANY = 3000
LEVELS = "map(range(1, line('$')), 'foldlevel(v:val)')"
EXTMARK = """
local row, column, options = ...
local space = vim.api.nvim_create_namespace('mine')
return vim.api.nvim_buf_set_extmark(0, space, row, column, options)
"""
ANEW = """
local space = vim.api.nvim_create_namespace('mine')
vim.api.nvim_buf_clear_namespace(0, space, 0, -1)
for row = 0, vim.api.nvim_buf_line_count(0) - 1 do
  vim.api.nvim_buf_set_extmark(0, space, row, 0, { id = row + 1 })
end"""
PLACE = """
local space = vim.api.nvim_create_namespace('mine')
local row, column, details = unpack(
  vim.api.nvim_buf_get_extmark_by_id(0, space, ..., { details = true }))
return { row, column, details.end_row, details.end_col }
"""


def opened(nvim: Neovim, lines: list[str]) -> Path:
    return open_file(nvim, "".join(f"{line}\n" for line in lines).encode())


def mark(nvim: Neovim, name: str) -> list[int]:
    line, column = nvim.api.nvim_buf_get_mark(0, name)
    return [line, column if line else 0]


def extmark(nvim: Neovim, row: int, column: int, **options: Any) -> int:
    return int(nvim.lua(EXTMARK, row, column, {"priority": 20} | options))


def place(nvim: Neovim, number: int) -> list[Any]:
    return [it for it in nvim.lua(PLACE, number) if it is not None]


# --- large hunks


@pytest.mark.parametrize("verb", ["write", "edit"])
def test_a_hunk_of_thousands_of_lines_keeps_marks_and_folds(nvim: Neovim, verb: str) -> None:
    path = opened(nvim, [f"line {number}" for number in range(MANY)])
    nvim.command("set foldmethod=manual | 100,200fold | 900,902fold | 903,910fold | normal! zR")
    nvim.command("120,130fold | normal! zR")
    levels = nvim.eval(LEVELS)
    nvim.command("150mark a | 2900mark z")
    at, over = extmark(nvim, 700, 3), extmark(nvim, 1500, 4, end_row=1800, end_col=1)
    nvim.command("sign define s text=x")
    nvim.command("sign place 7 line=1234 name=s")
    nvim.command("normal! 2500G")
    new = [f"lime {number}" for number in range(MANY)]
    change(nvim, verb, path, [[0, MANY, new]])
    assert nvim.lines() == new
    assert (mark(nvim, "a"), mark(nvim, "z")) == ([150, 0], [2900, 0])
    assert place(nvim, at) == [700, 3]
    assert place(nvim, over) == [1500, 4, 1800, 1]
    assert nvim.eval("sign_getplaced('%', #{group: '*'})[0].signs[0].lnum") == 1234
    assert nvim.eval(LEVELS) == levels
    assert nvim.eval("line('.')") == 2500
    nvim.command("903 | normal! zc")
    assert nvim.eval("[foldclosed(902), foldclosed(903), foldclosedend(903)]") == [-1, 903, 910]
    nvim.input("u")
    assert nvim.lines()[5] == "line 5"
    assert mark(nvim, "a") == [150, 0]


def test_a_long_hunk_that_grows_or_shrinks_keeps_those_of_the_lines_that_it_has_still(
    nvim: Neovim,
) -> None:
    path = opened(nvim, [f"line {number}" for number in range(MANY)])
    nvim.command("1000mark a | 2500mark b")
    write(nvim, path, [[0, MANY, [f"lime {number}" for number in range(2000)]]])
    assert (mark(nvim, "a"), mark(nvim, "b")) == ([1000, 0], [0, 0])
    write(nvim, path, [[0, 2000, [f"line {number}" for number in range(MANY)]]])
    assert (mark(nvim, "a"), mark(nvim, "b")) == ([1000, 0], [2500, 0])


# --- marks of lines that were gone


@pytest.mark.parametrize("verb", ["write", "edit"])
def test_a_mark_comes_back_with_its_line_as_after_u(nvim: Neovim, verb: str) -> None:
    path = opened(nvim, LINES)
    nvim.command("4mark a | 5mark b | 9mark c")
    nvim.api.nvim_buf_set_mark(0, "a", 4, 3, {})
    at, over = extmark(nvim, 3, 2), extmark(nvim, 2, 1, end_row=4, end_col=2)
    left = extmark(nvim, 4, 1, right_gravity=False)
    change(nvim, verb, path, [[3, 6, []]])
    assert (mark(nvim, "a"), mark(nvim, "c")) == ([0, 0], [6, 0])
    change(nvim, verb, path, [[3, 3, LINES[3:6]]])
    assert (mark(nvim, "a"), mark(nvim, "b"), mark(nvim, "c")) == ([4, 3], [5, 0], [9, 0])
    assert (place(nvim, at), place(nvim, over)) == ([3, 2], [2, 1, 4, 2])
    assert place(nvim, left) == [4, 1]


def test_a_mark_finds_its_line_among_equal_ones(nvim: Neovim) -> None:
    lines = ["f", "{", "}", "g", "{", "}", "h", "{", "}"]
    path = opened(nvim, lines)
    nvim.command("6mark a | 2mark b")
    write(nvim, path, [[1, 9, []]])
    write(nvim, path, [[0, 1, ["new", *lines]]])
    assert (mark(nvim, "a"), mark(nvim, "b")) == ([7, 0], [3, 0])


def test_lines_come_back_one_after_the_other_and_in_another_place(nvim: Neovim) -> None:
    path = opened(nvim, LINES)
    nvim.command("4mark a | 6mark b")
    write(nvim, path, [[3, 6, []]])
    nvim.command("normal! ggOmine")
    write(nvim, path, [[4, 4, LINES[3:4]]])
    assert (mark(nvim, "a"), mark(nvim, "b")) == ([5, 0], [0, 0])
    write(nvim, path, [[5, 5, LINES[4:6]]])
    assert mark(nvim, "b") == [7, 0]


def test_what_the_user_has_moved_stays(nvim: Neovim) -> None:
    path = opened(nvim, LINES)
    nvim.command("4mark a | 5mark b")
    at = extmark(nvim, 3, 2)
    write(nvim, path, [[3, 6, []]])
    nvim.command("1mark a")
    nvim.lua(EXTMARK, 0, 1, {"id": at})
    write(nvim, path, [[3, 3, LINES[3:6]]])
    assert (mark(nvim, "a"), mark(nvim, "b")) == ([1, 0], [5, 0])
    assert place(nvim, at) == [0, 1]


def test_a_mark_of_the_last_line_comes_back(nvim: Neovim) -> None:
    path, last = opened(nvim, LINES), len(LINES) - 1
    nvim.lua(ANEW)
    write(nvim, path, [[last, last + 1, []]])
    write(nvim, path, [[last, last, LINES[last:]]])
    assert place(nvim, last + 1) == [last, 0]


def test_the_same_text_elsewhere_takes_no_mark(nvim: Neovim) -> None:
    path = opened(nvim, LINES)
    nvim.command("8mark a")
    write(nvim, path, [[7, 8, []]])
    write(nvim, path, [[0, 0, ["line 8"]]])
    assert mark(nvim, "a") == [0, 0]


def test_u_and_redo_and_our_edit_agree(nvim: Neovim) -> None:
    path = opened(nvim, LINES)
    nvim.command("4mark a")
    write(nvim, path, [[3, 4, []]])
    nvim.input("u")
    assert mark(nvim, "a") == [4, 0]
    nvim.input("<C-r>")
    write(nvim, path, [[3, 3, ["line 4"]]])
    assert mark(nvim, "a") == [4, 0]
    nvim.input("u")
    nvim.input("<C-r>")
    assert nvim.lines() == LINES


def test_a_failed_edit_gives_the_marks_back(nvim: Neovim) -> None:
    path = opened(nvim, LINES)
    nvim.command("4mark a")
    path.unlink()
    path.mkdir()
    assert "error" in write(nvim, path, [[3, 6, []]])
    assert (nvim.lines(), mark(nvim, "a")) == (LINES, [4, 0])


# --- the undo file


def again(nvim: Neovim, path: Path) -> Neovim:
    """End Neovim, and start another on that file."""
    folder = nvim.eval("&undodir")
    nvim.quit()
    other = Neovim()
    other.command(f"set undofile undodir={folder}")
    other.command(f"edit {path}")
    return other


def undoing(nvim: Neovim, tmp_path: Path, command: str = "") -> Path:
    """Open a file outside of Neovim's own folder, with 'undofile', and one edit of the user."""
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\n")
    (tmp_path / "undo").mkdir()
    nvim.command(f"set undofile undodir={tmp_path}/undo | edit {path}")
    nvim.input("Omine<Esc>:write<CR>")
    nvim.command(command)
    return path


def steps(nvim: Neovim) -> list[list[str]]:
    """Undo to the beginning, and return what was there at each step."""
    found = [nvim.lines()]
    while True:
        nvim.command("silent undo")
        if nvim.lines() == found[-1]:
            return found
        found.append(nvim.lines())


FIRST, MINE = ["one", "two"], ["mine", "one", "two"]
THEIRS = ["mine", "one", "TWO"]


@pytest.mark.parametrize("verb", ["write", "follow"])
def test_undo_outlives_a_restart(nvim: Neovim, tmp_path: Path, verb: str) -> None:
    path = undoing(nvim, tmp_path)
    if verb == "follow":
        outdate(path, b"mine\none\nTWO\n")
    assert change(nvim, verb, path, [[2, 3, ["TWO"]]]) == {"ok": True}
    with again(nvim, path) as other:
        assert steps(other) == [THEIRS, MINE, FIRST]
        other.command("silent redo | silent redo")
        assert other.lines() == THEIRS


def test_undo_outlives_a_restart_when_the_disk_has_only_another_time(
    nvim: Neovim, tmp_path: Path
) -> None:
    path = undoing(nvim, tmp_path)
    outdate(path, path.read_bytes())
    assert change(nvim, "follow", path, []) == {"ok": True}
    with again(nvim, path) as other:
        assert steps(other) == [MINE, FIRST]


def test_undo_outlives_a_restart_where_undofile_was_set_later(nvim: Neovim, tmp_path: Path) -> None:
    path = undoing(nvim, tmp_path, "setlocal noundofile")
    outdate(path, b"mine\none\nTWO\n")
    change(nvim, "follow", path, [[2, 3, ["TWO"]]])
    nvim.command("setlocal undofile")
    outdate(path, b"mine\none\nIII\n")
    change(nvim, "follow", path, [[2, 3, ["III"]]])
    with again(nvim, path) as other:
        assert steps(other) == [["mine", "one", "III"], THEIRS, MINE, FIRST]


def test_an_undo_file_that_cannot_be_written_is_no_matter(nvim: Neovim, tmp_path: Path) -> None:
    path = undoing(nvim, tmp_path, f"set undodir={tmp_path}/nowhere/deep")
    outdate(path, b"mine\none\nTWO\n")
    assert change(nvim, "follow", path, [[2, 3, ["TWO"]]]) == {"ok": True}
    assert write(nvim, path, [[2, 3, ["III"]]]) == {"ok": True}
    assert "E8" not in nvim.messages()
    assert nvim.mode()["blocking"] is False


def test_what_is_no_undo_file_is_not_written_over(nvim: Neovim, tmp_path: Path) -> None:
    path = undoing(nvim, tmp_path)
    undo = Path(nvim.eval("undofile(expand('%:p'))"))
    undo.write_text("precious")
    outdate(path, b"mine\none\nTWO\n")
    assert change(nvim, "follow", path, [[2, 3, ["TWO"]]]) == {"ok": True}
    assert undo.read_text() == "precious"


def test_a_buffer_that_keeps_unsaved_edits_has_no_undo_file_of_them(
    nvim: Neovim, tmp_path: Path
) -> None:
    path = undoing(nvim, tmp_path)
    undo = Path(nvim.eval("undofile(expand('%:p'))")).read_bytes()
    nvim.input("Gomore<Esc>")
    outdate(path, b"mine\none\nTWO\n")
    live = read(nvim, path)
    code = "return require('acp.files.live').edit(...)"
    hunks = [[2, 3, ["TWO"]]]
    assert nvim.lua(code, live["number"], live["changedtick"], hunks, UNIX, True)["ok"]
    assert Path(nvim.eval("undofile(expand('%:p'))")).read_bytes() == undo
    nvim.command("write")
    with again(nvim, path) as other:
        assert steps(other)[-1] == FIRST


# --- the file itself

ACL = bytes.fromhex(
    "02000000"
    "01000600ffffffff"  # the owner may read and write
    "0200060039300000"  # and so may user 12345
    "04000400ffffffff"
    "10000600ffffffff"
    "20000400ffffffff"
)


def attribute(path: Path, name: str, value: bytes) -> None:
    try:
        os.setxattr(path, name, value)
    except OSError as error:
        pytest.skip(f"no {name} here: {error}")


@pytest.mark.parametrize(
    ("option", "stays"),
    [("yes", True), ("auto", False), ("no", False), ("yes,breakhardlink", True)],
)
def test_backupcopy_says_whether_the_inode_stays(nvim: Neovim, option: str, stays: bool) -> None:
    path = open_file(nvim, b"one\n")
    inode = path.stat().st_ino
    nvim.command(f"setlocal backupcopy={option}")
    assert write(nvim, path, [[0, 1, ["two"]]]) == {"ok": True}
    assert path.read_bytes() == b"two\n"
    assert (path.stat().st_ino == inode) is stays
    assert os.listdir(path.parent) == [path.name]
    nvim.command("normal! Amore")
    nvim.command("checktime | write")
    assert "W1" not in nvim.messages()


@pytest.mark.parametrize("option", ["auto", "yes"])
def test_extended_attributes_and_access_lists_stay(nvim: Neovim, option: str) -> None:
    path = open_file(nvim, b"one\n")
    path.chmod(0o664)
    wanted = {"user.mine": b"\0kept\xff", "user.empty": b"", "system.posix_acl_access": ACL}
    for name, value in wanted.items():
        attribute(path, name, value)
    nvim.command(f"set backupcopy={option}")
    before = path.stat()
    assert write(nvim, path, [[0, 1, ["two"]]]) == {"ok": True}
    assert path.read_bytes() == b"two\n"
    assert {name: os.getxattr(path, name) for name in os.listxattr(path)} == wanted
    assert path.stat().st_mode == before.st_mode


def test_what_a_new_file_of_that_folder_gets_the_old_one_does_not(nvim: Neovim) -> None:
    path = open_file(nvim, b"one\n")
    attribute(path.parent, "system.posix_acl_default", ACL)
    before = path.stat().st_mode
    assert write(nvim, path, [[0, 1, ["two"]]]) == {"ok": True}
    assert (os.listxattr(path), path.stat().st_mode) == ([], before)


def test_where_attributes_cannot_be_copied_the_file_itself_is_written(
    nvim: Neovim, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(errno.EPERM, "not these")

    path = open_file(nvim, b"one\n")
    inode = path.stat().st_ino
    monkeypatch.setattr(disk, "_copy_attributes", refuse)
    assert write(nvim, path, [[0, 1, ["two"]]]) == {"ok": True}
    assert (path.read_bytes(), path.stat().st_ino) == (b"two\n", inode)
    assert os.listdir(path.parent) == [path.name]


def test_a_name_with_a_line_break_is_saved_and_followed(nvim: Neovim, tmp_path: Path) -> None:
    folder = tmp_path / "a\nfolder"
    folder.mkdir()
    path = folder / "b|c\n%d#.txt"
    path.write_text("one\n")
    nvim.command(f"set undofile undodir={tmp_path}")
    nvim.lua("vim.cmd.edit({ ..., magic = { file = false, bar = false } })", str(path))
    assert write(nvim, path, [[0, 1, ["two"]]]) == {"ok": True}
    assert path.read_text() == "two\n"
    outdate(path, b"three\n")
    assert change(nvim, "follow", path, [[0, 1, ["three"]]]) == {"ok": True}
    assert nvim.lines() == ["three"]
    assert [it.name for it in folder.iterdir()] == [path.name]
    assert nvim.eval("filereadable(undofile(expand('%:p')))") == 1


# --- with an agent, and the host

TEXT = "".join(f"{line}\n" for line in LINES)
WITHOUT = TEXT.replace("line 4\n", "").replace("line 8\n", "")


def walk(path: Path, undo: str) -> list[list[str]]:
    """Start another Neovim on the file, and return what its undo goes through."""
    with Neovim() as other:
        other.command(f"set undofile undodir={undo}")
        other.command(f"edit {path}")
        return steps(other)


@pytest.mark.parametrize("way", ["client", "tool"])
@pytest.mark.parametrize("taken", ["Acp undo", "Acp reject file"])
def test_marks_and_undo_files_through_undo_reject_and_redo(
    job: MainJob, way: str, taken: str
) -> None:
    undo = job.folder / "undo"
    undo.mkdir()
    job.command(f"set undofile undodir={undo}")
    agent = job.start()
    path = job.edit("a.txt", TEXT)
    job.command("4mark a | 8mark b | 9mark c")
    prompt = job.turn(agent)
    if way == "client":
        client_write(agent, path, WITHOUT)
    else:
        tool(agent, path, WITHOUT)
    until_files(job, {"a.txt": 2})
    job.finish(agent, prompt)
    looked(job)
    job.command("wincmd t")
    assert [mark(job.nvim, it)[0] for it in "abc"] == [0, 0, 7]
    assert walk(path, str(undo)) == [WITHOUT.splitlines(), LINES]
    job.command(taken)
    job.until(lambda: job.nvim.lines() == LINES)
    until_files(job, {})
    assert [mark(job.nvim, it)[0] for it in "abc"] == [4, 8, 9]
    assert walk(path, str(undo)) == [LINES, WITHOUT.splitlines(), LINES]
    if taken == "Acp undo":
        job.command("Acp redo")
        job.until(lambda: job.nvim.lines() == WITHOUT.splitlines())
        job.told("turn 1 of scripted is back")
        assert len(walk(path, str(undo))) == 4


@pytest.mark.parametrize("options", ["undodir={}/undo", "undodir=.", "directory={}/undo//"])
def test_what_neovim_keeps_of_a_file_in_the_project_is_no_change_of_it(
    job: MainJob, options: str
) -> None:
    (job.work / "undo").mkdir()
    job.command(f"set undofile updatecount=1 {options.format(job.work)}")
    agent = job.start()
    path = job.edit("a.txt", TEXT)
    prompt = job.turn(agent)
    job.command("wincmd t")
    job.nvim.input("Omine<Esc>:write<CR>")
    tool(agent, path, path.read_text().replace("line 4\n", ""))
    until_files(job, {"a.txt": 1})
    job.finish(agent, prompt)
    looked(job)
    assert len(list(job.work.rglob("*a.txt*"))) > 1
    assert "Changed, but" not in "\n".join(job.chat())


def test_an_undo_file_of_a_file_that_is_not_open_is_good_again_after_undo(job: MainJob) -> None:
    undo = job.folder / "undo"
    undo.mkdir()
    path = job.work / "a.txt"
    path.write_text(TEXT)
    with Neovim() as other:
        other.command(f"set undofile undodir={undo}")
        other.command(f"edit {path}")
        other.input("Omine<Esc>:write<CR>")
    mine = path.read_text()
    agent = job.start()
    prompt = job.turn(agent)
    tool(agent, path, mine.replace("line 4\n", ""))
    until_files(job, {"a.txt": 1})
    job.finish(agent, prompt)
    job.command("Acp undo")
    job.told("undid turn 1")
    assert walk(path, str(undo)) == [mine.splitlines(), LINES]
