"""How an agent's text reaches the disk through a buffer: at once or not at all, and nobody asks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_nvim.files import disk
from tests.editor.files.test_buffer import change, open_file, outdate, read, write
from tests.support.nvim import Neovim


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Yield a disk of 64 KB."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount")
    yield tmp_path.resolve()
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)


NO_DISK = """
local function fail()
  return nil, 'EIO: i/o error'
end
vim.uv.fs_rename, vim.uv.fs_fstat = fail, fail
"""


@pytest.mark.parametrize("names", [1, 2])
def test_on_a_full_disk_the_file_and_the_buffer_stay_as_they_were(
    nvim: Neovim, small_disk: Path, names: int
) -> None:
    path = small_disk / "a.txt"
    old = b"old and precious\n" * 1000
    path.write_bytes(old)
    for number in range(1, names):
        (small_disk / f"twin{number}").hardlink_to(path)
    (small_disk / "fill").write_bytes(b"x" * 38_000)
    nvim.command(f"edit {path}")
    files = sorted(os.listdir(small_disk))
    outcome = write(nvim, path, [[0, 1, [f"new {number} {'y' * 50}" for number in range(900)]]])
    assert "No space left on device" in outcome["error"]
    assert path.read_bytes() == old
    assert sorted(os.listdir(small_disk)) == files
    assert nvim.lines() == ["old and precious"] * 1000
    assert nvim.eval("&modified") == 0
    (small_disk / "fill").unlink()
    assert write(nvim, path, [[0, 1000, ["new"]]]) == {"ok": True}
    assert path.read_bytes() == b"new\n"
    assert path.stat().st_nlink == names


def test_after_a_write_that_failed_u_takes_back_the_users_own_change(nvim: Neovim) -> None:
    path = open_file(nvim, b"one\ntwo\nthree\n")
    nvim.lua(NO_DISK)
    nvim.input("Gomine<Esc>gg")
    nvim.wait(lambda: nvim.lines()[-1] == "mine")
    marks = nvim.lua("vim.cmd('normal! jma') return vim.fn.winsaveview()")
    assert "error" in write(nvim, path, [[0, 1, ["ONE"]], [2, 3, ["THREE", "four"]]])
    assert nvim.lines() == ["one", "two", "three", "mine"]
    assert nvim.lua("return vim.fn.winsaveview()") == marks
    assert nvim.eval('line("\'a")') == 2
    nvim.input("u")
    nvim.wait(lambda: nvim.lines() == ["one", "two", "three"])
    nvim.input("<C-r>")
    nvim.wait(lambda: nvim.lines() == ["one", "two", "three", "mine"])
    nvim.input("<C-r>")
    assert nvim.lines() == ["one", "two", "three", "mine"], "what failed does not return"


def test_why_a_file_cannot_be_written_is_told_in_one_line(nvim: Neovim) -> None:
    path = open_file(nvim, b"one\n")
    nvim.lua(NO_DISK)
    outcome = write(nvim, path, [[0, 1, ["two"]]])
    assert outcome["error"] == (f"{path} cannot be written: EIO: i/o error")
    assert (nvim.lines(), path.read_bytes()) == (["one"], b"one\n")


def test_mode_and_owner_stay_and_no_other_file_does(nvim: Neovim) -> None:
    path = open_file(nvim, b"one\n")
    path.chmod(0o751)
    if os.geteuid() == 0:
        os.chown(path, 12345, 23456)
    before = path.stat()
    names = sorted(os.listdir(path.parent))
    assert write(nvim, path, [[0, 1, ["two"]]]) == {"ok": True}
    after = path.stat()
    assert path.read_bytes() == b"two\n"
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )
    assert sorted(os.listdir(path.parent)) == names


@pytest.mark.parametrize("copies", ["auto", "yes", "no"])
def test_no_other_file_is_made_of_a_write(nvim: Neovim, copies: str) -> None:
    """With 'patchmode' Neovim makes one for each file that is new, as is the one that we write."""
    path = open_file(nvim, b"one\n")
    nvim.command(f"set patchmode=.orig backup backupskip= backupdir=. backupcopy={copies}")
    assert write(nvim, path, [[0, 1, ["two"]]]) == {"ok": True}
    assert os.listdir(path.parent) == [path.name]
    nvim.command("normal! Amine")
    nvim.command("write")
    assert path.with_name("a.txt.orig").read_bytes() == b"two\n"


@pytest.mark.parametrize("copies", ["auto", "yes", "no"])
def test_links_stay_links(nvim: Neovim, copies: str) -> None:
    real = nvim.cwd.resolve() / "real.txt"
    real.write_bytes(b"one\n")
    link, twin = nvim.cwd.resolve() / "link.txt", nvim.cwd.resolve() / "twin.txt"
    link.symlink_to(real)
    twin.hardlink_to(real)
    nvim.command(f"set backupcopy={copies} | edit {link}")
    assert write(nvim, real, [[0, 1, ["two"]]]) == {"ok": True}
    assert link.is_symlink()
    assert twin.read_bytes() == real.read_bytes() == b"two\n"
    twin.unlink()
    assert write(nvim, real, [[0, 1, ["three"]]]) == {"ok": True}
    assert link.is_symlink()
    assert real.read_bytes() == b"three\n"


def test_a_new_file_gets_what_the_umask_leaves(nvim: Neovim) -> None:
    path = nvim.cwd.resolve() / "new.txt"
    nvim.command(f"edit {path}")
    assert write(nvim, path, [[0, 1, ["one"]]]) == {"ok": True}
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask


def test_a_folder_that_is_gone_is_said_and_the_buffer_stays(nvim: Neovim) -> None:
    folder = nvim.cwd.resolve() / "folder"
    folder.mkdir()
    path = open_file(nvim, b"one\n", "folder/a.txt")
    path.unlink()
    folder.rmdir()
    assert "no such" in write(nvim, path, [[0, 1, ["two"]]])["error"].lower()
    assert nvim.lines() == ["one"]
    assert nvim.eval("&modified") == 0


@pytest.mark.parametrize("lines", [["two"], [""], []])
def test_the_undo_file_is_kept_in_step(nvim: Neovim, lines: list[str]) -> None:
    nvim.command(f"set undofile undodir={nvim.cwd}")
    path = open_file(nvim, b"one\n")
    write(nvim, path, [[0, 1, lines]])
    assert path.read_text() == "".join(f"{it}\n" for it in lines)
    nvim.command(f"bwipeout | edit {path} | silent undo")
    assert nvim.lines() == ["one"]


def test_a_write_leaves_no_buffer_behind(nvim: Neovim) -> None:
    path = open_file(nvim, b"one\n")
    buffers, flags = nvim.command("ls!").count("\n"), nvim.eval("&cpoptions")
    nvim.command("let g:set = [] | autocmd OptionSet * call add(g:set, expand('<amatch>'))")
    write(nvim, path, [[0, 1, ["two"]]])
    assert nvim.command("ls!").count("\n") == buffers
    assert nvim.eval("&cpoptions") == flags
    assert "cpoptions" not in nvim.eval("g:set")


def test_the_users_own_write_is_told_from_ours(nvim: Neovim) -> None:
    path = open_file(nvim, b"one\n")
    assert read(nvim, path)["saved"] == ""
    write(nvim, path, [[0, 1, ["two"]]])
    assert read(nvim, path)["saved"] == ""
    nvim.command("normal! Athree")
    nvim.command("silent write")
    stamp = disk.stamp(str(path))
    assert read(nvim, path)["saved"] == stamp
    nvim.command(f"silent write {path}.copy")
    assert read(nvim, path)["saved"] == stamp


def test_a_buffer_knows_what_file_it_was_last_in_step_with(nvim: Neovim) -> None:
    path = open_file(nvim, b"one\n")

    def in_step() -> bool:
        return bool(read(nvim, path)["synced"] == disk.stamp(str(path)))

    assert in_step()
    write(nvim, path, [[0, 1, ["two"]]])
    assert in_step()
    outdate(path, b"three\n")
    assert not in_step()
    nvim.command("set autoread | checktime")
    assert nvim.lines() == ["three"]
    assert in_step()
    outdate(path, b"four\n")
    change(nvim, "follow", path, [[0, 1, ["four"]]])
    assert in_step()
    nvim.command("normal! Amine")
    outdate(path, b"four\ntheirs\n")
    merge_in(nvim, path, [[1, 1, ["theirs"]]], settled=False)
    assert not in_step()
    merge_in(nvim, path, [], settled=True)
    assert in_step()
    assert read(nvim, path)["saved"] == ""


# --- edits that are not saved


def test_an_edit_without_a_save_is_a_step_of_its_own_and_modified(nvim: Neovim) -> None:
    path = open_file(nvim, b"1\n2\n3\n")
    nvim.input("Aa<Esc>")
    live = read(nvim, path)
    code = "return require('acp.files.live').edit(...)"
    done = nvim.lua(code, live["number"], live["changedtick"], [[2, 3, ["III"]]], None, False)
    assert done == {"ok": True, "tick": nvim.eval("b:changedtick")}
    assert nvim.lua(code, live["number"], live["changedtick"], [], None, False) == {"stale": True}
    assert nvim.lines() == ["1a", "2", "III"]
    assert nvim.eval("&modified") == 1
    nvim.command("silent undo")
    assert nvim.lines() == ["1a", "2", "3"]
    assert path.read_bytes() == b"1\n2\n3\n"


ONE_STEP = (
    *("ix<Esc>", "x", "ox<Esc>", "3Ax<Esc>", "dd", "yyp", "J", "~", "cwxy<Esc>", "Rxyz<Esc>", "v~"),
    *(":s/o/0/<CR>", ":normal ix<CR>", ":g/t/s//T/<CR>", "<C-v>jIx<Esc>", "."),
)


@pytest.mark.parametrize("verb", ["edit", "write"])
def test_an_edit_is_a_step_between_two_of_the_users_whatever_they_do(
    nvim: Neovim, verb: str
) -> None:
    for number, keys in enumerate(ONE_STEP):
        path = open_file(nvim, b"one too\ntwo too\nthree too\nfour\nfive\n", f"{number}.txt")
        nvim.command("set hidden")
        nvim.input("ia<Esc>" + keys)
        before = nvim.lines()
        last = len(before)
        assert "ok" in change(nvim, verb, path, [[last - 1, last, [f"after {keys}", "more"]]])
        after = nvim.lines()
        nvim.input(keys)
        assert nvim.lines() != after, keys
        nvim.input("u")
        assert nvim.lines() == after, keys
        nvim.input("u")
        assert nvim.lines() == before, keys


def merge_in(nvim: Neovim, path: Path, hunks: list[object], *, settled: bool = True) -> object:
    live = read(nvim, path)
    code = "return require('acp.files.live').edit(...)"
    outcome = nvim.lua(code, live["number"], live["changedtick"], hunks, None, settled)
    return {name: value for name, value in outcome.items() if name != "tick"}


def test_after_a_merge_neovim_has_no_question(nvim: Neovim) -> None:
    path = open_file(nvim, b"1\n2\n3\n")
    nvim.command("set noautoread | let g:asked = []")
    nvim.command("autocmd FileChangedShell * call add(g:asked, v:fcs_reason)")
    nvim.input("Amine<Esc>")
    outdate(path, b"1\n2\ntheirs\n")
    assert merge_in(nvim, path, [[2, 3, ["theirs"]]]) == {"ok": True}
    assert nvim.eval("&modified") == 1
    nvim.command("checktime")
    nvim.input(":write<CR>")
    assert path.read_bytes() == b"1mine\n2\ntheirs\n"
    assert nvim.eval("[g:asked, &modified]") == [[], 0]
    assert "W1" not in nvim.messages()
    assert not nvim.mode()["blocking"]


def test_after_a_merge_no_undo_takes_unsaved_text_for_saved(nvim: Neovim) -> None:
    path = open_file(nvim, b"1\n2\n3\n")
    nvim.input("Amine<Esc>")
    outdate(path, b"1\n2\ntheirs\n")
    merge_in(nvim, path, [[2, 3, ["theirs"]]])
    nvim.input("Atoo<Esc>")
    for lines in (["1mine", "2", "theirs"], ["1mine", "2", "3"], ["1", "2", "3"]):
        nvim.command("silent undo")
        assert nvim.lines() == lines
        assert nvim.eval("&modified") == 1, lines
    for _ in range(3):
        nvim.command("silent redo")
        assert nvim.eval("&modified") == 1
    assert nvim.lines() == ["1minetoo", "2", "theirs"]


def test_after_a_clash_neovim_knows_that_the_disk_has_something_else(nvim: Neovim) -> None:
    path = open_file(nvim, b"1\n2\n3\n")
    nvim.command("let g:asked = []")
    nvim.command("autocmd FileChangedShell * call add(g:asked, v:fcs_reason)")
    nvim.input("Amine<Esc>")
    outdate(path, b"theirs\n2\nTOO\n")
    merge_in(nvim, path, [[2, 3, ["TOO"]]], settled=False)
    nvim.command("checktime")
    assert nvim.eval("g:asked") == ["conflict"]
    assert nvim.lines() == ["1mine", "2", "TOO"]


@pytest.mark.parametrize("settled", [True, False])
def test_a_locked_buffer_gets_what_the_disk_has_and_nothing_else(
    nvim: Neovim, *, settled: bool
) -> None:
    path = open_file(nvim, b"1\n2\n")
    nvim.command("normal! Amine")
    nvim.command("setlocal nomodifiable")
    outcome = merge_in(nvim, path, [[1, 2, ["II"]]], settled=settled)
    assert (outcome == {"ok": True}) is settled
    assert nvim.lines() == ["1mine", "II" if settled else "2"]
    assert nvim.eval("[&modifiable, &modified]") == [0, 1]


def test_a_buffer_whose_file_is_gone_is_emptied_and_brought_back_by_undo(nvim: Neovim) -> None:
    path = open_file(nvim, b"1\n2\n")
    path.unlink()
    nvim.command("let g:asked = [] | autocmd FileChangedShell * call add(g:asked, v:fcs_reason)")
    assert change(nvim, "follow", path, [[0, 2, [""]]], endofline=False) == {"ok": True}
    nvim.command("checktime")
    assert nvim.lines() == [""]
    assert nvim.eval("[&modified, &endofline, g:asked]") == [0, 0, []]
    assert not path.exists()
    nvim.command("silent undo")
    assert nvim.lines() == ["1", "2"]
    assert nvim.eval("&modified") == 1


# --- what is no plain text of lines


def test_a_binary_buffer_is_written_as_it_is(nvim: Neovim) -> None:
    path = nvim.cwd.resolve() / "a.bin"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\xff\r\nc")
    nvim.command(f"edit ++bin {path}")
    live = read(nvim, path)
    assert (live["binary"], live["fileformat"], live["bom"]) == (True, "unix", False)
    assert write(nvim, path, [[2, 3, ["C"]]], endofline=False) == {"ok": True}
    assert path.read_bytes() == b"\xef\xbb\xbfa\r\nb\xff\r\nC"
    assert nvim.eval("&binary") == 1


def test_bytes_that_are_no_text_stay_beside_an_edit(nvim: Neovim) -> None:
    path = nvim.cwd.resolve() / "a.txt"
    path.write_bytes(b"ok\nbad \xff\xfe bytes\nend\n")
    nvim.command(f"edit ++enc=utf-8 ++bad=keep {path} | set noreadonly")
    assert write(nvim, path, [[2, 3, ["END"]]]) == {"ok": True}
    assert path.read_bytes() == b"ok\nbad \xff\xfe bytes\nEND\n"


def test_a_line_of_a_megabyte_changes_where_it_differs(nvim: Neovim) -> None:
    line = "x" * 1_000_000
    path = open_file(nvim, f"a\n{line}\nz\n".encode())
    mark = nvim.lua(
        "local n = vim.api.nvim_create_namespace('t')"
        " return vim.api.nvim_buf_set_extmark(0, n, 1, 900000, {})"
    )
    new = line[:500_000] + "é" + line[500_000:]
    assert write(nvim, path, [[1, 2, [new]]]) == {"ok": True}
    assert path.read_text() == f"a\n{new}\nz\n"
    find = (
        "return vim.api.nvim_buf_get_extmark_by_id(0, vim.api.nvim_create_namespace('t'), ..., {})"
    )
    assert nvim.lua(find, mark) == [1, 900_002]


def test_closed_folds_around_and_at_an_edit_stay_closed(nvim: Neovim) -> None:
    path = open_file(nvim, "".join(f"line {n}\n" for n in range(1, 41)).encode())
    nvim.command("setlocal foldmethod=manual | 5,10fold | 20,30fold")
    write(nvim, path, [[6, 7, ["changed"]], [14, 14, ["new"]], [24, 26, ["one"]]])
    assert nvim.eval("[foldclosed(7), foldclosedend(7)]") == [5, 10]
    assert nvim.eval("[foldclosed(25), foldclosedend(25)]") == [21, 30]


def test_three_edits_far_apart_in_a_long_file(nvim: Neovim) -> None:
    lines = [f"line {n}" for n in range(100_000)]
    path = open_file(nvim, ("\n".join(lines) + "\n").encode())
    nvim.command("50000mark a")
    hunks = [[10, 11, ["A"]], [40_000, 40_000, ["B", "B"]], [99_999, 100_000, []]]
    assert write(nvim, path, hunks) == {"ok": True}
    wanted = [*lines[:10], "A", *lines[11:40_000], "B", "B", *lines[40_000:99_999]]
    assert path.read_text().splitlines() == wanted
    assert nvim.eval('line("\'a")') == 50_002


# --- another Neovim


def test_a_file_that_another_neovim_has_open_is_known_by_its_swap_file(nvim: Neovim) -> None:
    path = nvim.cwd.resolve() / "a.txt"
    path.write_bytes(b"one\n")
    holder = "return require('acp.files.live').holder(...)"
    assert nvim.lua(holder, str(path)) is None
    with Neovim(cwd=nvim.cwd) as other:
        other.command(f"set directory=. updatecount=200 | edit {path}")
        other.input("Ax<Esc>")
        other.command("preserve")
        nvim.command("set directory=.")
        pid = other.eval("getpid()")
        assert nvim.lua(holder, str(path)) == f"another Neovim (process {pid})"
        assert other.lua(holder, str(path)) is None
        os.kill(int(pid), 9)
    nvim.wait(lambda: nvim.lua(holder, str(path)) is None)
    assert (path.parent / ".a.txt.swp").exists()


# --- the host's memory of lines


def test_lines_are_told_again_only_when_they_may_be_others(nvim: Neovim) -> None:
    path = open_file(nvim, b"one\n")
    code = "return require('acp.files.live').read(...)"

    def known() -> list[object]:
        live = read(nvim, path)
        return [str(path), live["number"], live["changedtick"]]

    before = known()
    again = nvim.lua(code, *before)
    assert "lines" not in again and "empty" not in again
    assert again["modified"] is False
    outdate(path, b"two\n")
    nvim.command(f"set hidden | enew | bunload {path} | buffer {before[1]}")
    assert nvim.lua(code, *before)["lines"] == "two"
    before = known()
    outdate(path, b"three\n")
    nvim.command("edit!")
    assert nvim.lua(code, *before)["lines"] == "three"


SWAPPED = """
local folder, away, at, call, made, held = ...
local uv, count = vim.uv, 0
local function exchange()
  uv.fs_rename(folder, folder .. '.was')
  uv.fs_symlink(away, folder)
end
local real = uv[call]
uv[call] = function(...)
  count = count + 1
  if count == at then
    exchange()
  end
  return real(...)
end
local buffer = vim.api.nvim_get_current_buf()
vim.api.nvim_buf_set_lines(buffer, 0, 1, true, { 'new' })
local ok = pcall(require('acp.files.save').save, buffer, made, held)
uv[call] = real
return { ok = ok, count = count }
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a folder has no path but its name")
@pytest.mark.parametrize(
    ("call", "at"),
    [
        ("fs_realpath", 1),
        ("fs_open", 1),
        ("fs_stat", 1),
        ("fs_lstat", 1),
        ("fs_lstat", 2),
        ("fs_open", 2),
        ("fs_rename", 1),
    ],
)
@pytest.mark.parametrize("copies", ["auto", "yes"])
def test_a_folder_that_becomes_a_link_while_it_is_saved_leads_nowhere(
    nvim: Neovim, tmp_path: Path, call: str, at: int, copies: str
) -> None:
    folder, away = tmp_path / "folder", tmp_path / "away"
    for each in (folder, away):
        each.mkdir()
        (each / "a.txt").write_text(f"{each.name}\n")
    nvim.command(f"set backupcopy={copies}")
    nvim.command(f"edit {folder}/a.txt")
    made = folder / ".acp-made~"
    made.write_text("new\n")
    opened = os.open(folder, os.O_PATH)
    held = f"/proc/{os.getpid()}/fd/{opened}"
    places = f"{held}/{made.name}", f"{held}/a.txt"
    found = nvim.lua(SWAPPED, str(folder), str(away), at, call, *places)
    os.close(opened)
    assert {it.name: it.read_text() for it in away.iterdir()} == {"a.txt": "away\n"}
    if folder.is_symlink():
        inside = {it.name: it.read_text() for it in Path(f"{folder}.was").iterdir()}
        inside.pop(made.name, None)
        assert inside == {"a.txt": "new\n" if found["ok"] else "folder\n"}


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_what_takes_the_place_of_a_file_while_it_is_written_into_is_not_written(
    nvim: Neovim, tmp_path: Path, kind: str
) -> None:
    path, away = tmp_path / "a.txt", tmp_path / "away"
    path.write_text("mine\n")
    away.write_text("away\n")
    made = tmp_path / ".acp-made~"
    made.write_text("new\n")
    nvim.command(f"set backupcopy=yes | edit {path}")
    error = nvim.lua(
        """
        local path, away, kind, made = ...
        local uv = vim.uv
        local real, count = uv.fs_lstat, 0
        uv.fs_lstat = function(...)
          local status = real(...)
          count = count + 1
          if count == 2 then
            uv.fs_unlink(path)
            if kind == 'link' then
              uv.fs_symlink(away, path)
            else
              vim.fn.system({ 'mkfifo', path })
            end
          end
          return status
        end
        vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'new' })
        local buffer = vim.api.nvim_get_current_buf()
        local ok, err = pcall(require('acp.files.save').save, buffer, made, path)
        uv.fs_lstat = real
        return ok and '' or err
        """,
        str(path),
        str(away),
        kind,
        str(made),
    )
    assert f"{path} is not a plain file: it is a {'link' if kind == 'link' else 'fifo'}" in error
    assert away.read_text() == "away\n"
