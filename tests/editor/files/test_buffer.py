"""`acp.files.live` in a real Neovim: exact bytes, and what is the user's stays in its place."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_nvim.editor import LiveBuffer
from acp_nvim.errors import FileProblem
from acp_nvim.files import disk
from acp_nvim.files.encoding import exact_bytes
from acp_nvim.files.text import buffer_text
from acp_nvim.hunks import Hunk, apply
from tests.support.nvim import Neovim

UNIX = {"fileformat": "unix", "fileencoding": "utf-8", "bomb": False, "endofline": True}


def open_file(nvim: Neovim, data: bytes, name: str = "a.txt") -> Path:
    path = nvim.cwd.resolve() / name
    path.write_bytes(data)
    nvim.command(f"edit {path}")
    return path


def read(nvim: Neovim, path: Path | str, *known: Any) -> dict[str, Any]:
    return dict(nvim.lua("return require('acp.files.live').read(...)", str(path), *known))


def change(nvim: Neovim, verb: str, path: Path, hunks: list[Any], **options: Any) -> Any:
    live, form = read(nvim, path, None, None, True), UNIX | options
    code = f"return require('acp.files.live').{verb}(...)"
    arguments = [live["number"], live["changedtick"], hunks, form]
    if verb != "write":
        return without_times(nvim.lua(code, *arguments))

    async def write_made() -> Any:
        async with disk.beside(str(path), bytes_after(live, hunks, form)) as place:
            return nvim.lua(code, *arguments, *place)

    try:
        return without_times(anyio.run(write_made))
    except FileProblem as problem:
        return {"error": str(problem)}


def without_times(outcome: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in outcome.items() if name not in ("tick", "synced")}


def bytes_after(live: dict[str, Any], hunks: list[Any], form: dict[str, Any]) -> bytes:
    """Return what the buffer is to be on disk once it has been edited."""
    edits = [Hunk(first, last, tuple(lines)) for first, last, lines in hunks]
    lines = tuple(apply(live["lines"].split("\n"), edits))
    text = buffer_text(
        LiveBuffer(
            live["number"],
            live["changedtick"],
            lines,
            modified=True,
            fileformat=form["fileformat"],
            encoding=form["fileencoding"],
            bom=form["bomb"],
            endofline=form["endofline"],
            endoffile=form.get("endoffile", live["endoffile"]),
            empty=not lines or (lines == ("",) and not form["endofline"]),
            binary=live["binary"],
        )
    )
    latin = form["fileencoding"] == "latin1"
    return text.encode("latin-1") if latin else exact_bytes("", text)


def write(nvim: Neovim, path: Path, hunks: list[Any], **options: Any) -> Any:
    return change(nvim, "write", path, hunks, **options)


def outdate(path: Path, data: bytes) -> None:
    """Change the file behind the buffer; the time of change is another one for certain."""
    path.write_bytes(data)
    later = time.time() + 10
    os.utime(path, (later, later))


def test_reads_what_the_buffer_holds(nvim: Neovim) -> None:
    path = open_file(nvim, b"one\r\ntwo")
    nvim.command("normal! Ax")
    live = read(nvim, path)
    assert live["lines"] == "onex\ntwo"
    assert (live["modified"], live["fileformat"], live["endofline"]) == (True, "dos", False)


def test_an_empty_file_is_not_an_empty_line(nvim: Neovim) -> None:
    assert read(nvim, open_file(nvim, b"", "zero"))["empty"] is True
    assert read(nvim, open_file(nvim, b"\n", "line"))["empty"] is False


def test_finds_the_buffer_through_a_symlink_and_before_it_is_saved(nvim: Neovim) -> None:
    real = nvim.cwd.resolve() / "real"
    real.mkdir()
    (nvim.cwd / "link").symlink_to(real)
    nvim.command("edit link/new.txt")
    assert read(nvim, real / "new.txt")["lines"] == ""
    survey = "return require('acp.files.live').survey(...)"
    assert [it[0] for it in nvim.lua(survey, [str(real)])] == [str(real / "new.txt")]
    assert nvim.lua(survey, [str(real) + "x"]) == []


def test_no_buffer_no_answer(nvim: Neovim) -> None:
    assert nvim.lua("return require('acp.files.live').read('/nowhere')") is None


def test_a_buffer_that_has_got_another_name_is_stale(nvim: Neovim) -> None:
    live = read(nvim, open_file(nvim, b"one\n"))
    nvim.command("file another")
    code = "return require('acp.files.live').edit(...)"
    edit = live["number"], live["changedtick"], [[0, 1, ["x"]]], None, False
    assert nvim.lua(code, *edit) == {"stale": True}
    assert nvim.lines() == ["one"]


def test_a_changed_buffer_is_stale(nvim: Neovim) -> None:
    path = open_file(nvim, b"one\n")
    code = "return require('acp.files.live').write(...)"
    assert nvim.lua(code, nvim.eval("bufnr()"), 1, [[0, 1, ["x"]]], UNIX) == {"stale": True}
    assert path.read_bytes() == b"one\n"


def test_writes_in_one_step_of_undo_and_stays_unmodified(nvim: Neovim) -> None:
    path = open_file(nvim, b"a\nb\nc\nd\n")
    assert write(nvim, path, [[0, 1, ["A"]], [2, 2, ["new", "lines"]], [3, 4, []]]) == {"ok": True}
    assert path.read_bytes() == b"A\nb\nnew\nlines\nc\n"
    assert nvim.eval("&modified") == 0
    nvim.command("silent undo")
    assert nvim.lines() == ["a", "b", "c", "d"]


def test_marks_extmarks_folds_and_cursor_stay_with_their_text(nvim: Neovim) -> None:
    path = open_file(nvim, "".join(f"line {n}\n" for n in range(1, 41)).encode())
    nvim.command(
        "setlocal foldmethod=manual | 10,20fold | 15mark a | 30mark b | call cursor(30, 3)"
    )
    mark = nvim.lua(
        "local n = vim.api.nvim_create_namespace('t')"
        " return vim.api.nvim_buf_set_extmark(0, n, 29, 5, {})"
    )
    write(nvim, path, [[0, 0, ["x", "y"]], [29, 30, ["LINE 30"]]])
    assert nvim.eval('line("\'a")') == 17
    assert nvim.eval("getpos('.')[1:2]") == [32, 3]
    assert nvim.eval("[foldclosed(12), foldclosedend(12)]") == [12, 22]
    find = (
        "return vim.api.nvim_buf_get_extmark_by_id(0, vim.api.nvim_create_namespace('t'), ..., {})"
    )
    assert nvim.lua(find, mark) == [31, 5]


def test_only_the_differing_part_of_a_line_is_touched(nvim: Neovim) -> None:
    path = open_file(nvim, "head é mid tail\n".encode())
    set_mark = (
        "local n = vim.api.nvim_create_namespace('t')"
        " return vim.api.nvim_buf_set_extmark(0, n, 0, ..., {})"
    )
    before, after = nvim.lua(set_mark, 2), nvim.lua(set_mark, 12)
    write(nvim, path, [[0, 1, ["head è middle tail"]]])
    find = (
        "return vim.api.nvim_buf_get_extmark_by_id(0, vim.api.nvim_create_namespace('t'), ..., {})"
    )
    assert nvim.lua(find, before) == [0, 2]
    assert nvim.lua(find, after) == [0, 15]
    assert nvim.lines() == ["head è middle tail"]


def test_typing_goes_on_and_keeps_its_own_steps_of_undo(nvim: Neovim) -> None:
    path = open_file(nvim, b"top\nmine\nend\n")
    nvim.command("split | wincmd w")
    nvim.input("2GA one")
    assert write(nvim, path, [[0, 1, ["TOP", "more"]]]) == {"busy": "insert mode"}
    assert write(nvim, path, [[0, 1, ["TOP"]], [2, 3, ["END", "more"]]]) == {"ok": True}
    assert nvim.mode()["mode"] == "i"
    nvim.input(" two<Esc>")
    assert nvim.lines() == ["TOP", "mine one two", "END", "more"]
    nvim.input("u")
    assert nvim.lines() == ["TOP", "mine one", "END", "more"]
    nvim.input("u")
    assert nvim.lines() == ["top", "mine one", "end"]
    nvim.input("u")
    assert nvim.lines() == ["top", "mine", "end"]
    nvim.input("<C-r><C-r><C-r>")
    assert nvim.lines() == ["TOP", "mine one two", "END", "more"]


def test_a_hidden_buffer_is_written_without_a_change_of_focus(nvim: Neovim) -> None:
    path = open_file(nvim, b"one\n")
    nvim.command("set hidden | edit other | let @/ = 'x'")
    nvim.lua("vim.cmd.normal({'gg', bang = true})")
    before = nvim.eval("[bufnr(), bufnr('#'), win_getid(), getjumplist()]")
    nvim.input("ityping")
    write(nvim, path, [[0, 1, ["two"]]])
    nvim.input(" on<Esc>")
    assert nvim.lines() == ["typing on"]
    assert nvim.eval("[bufnr(), bufnr('#'), win_getid(), getjumplist()]") == before
    assert path.read_bytes() == b"two\n"
    assert nvim.messages() == ""


@pytest.mark.parametrize(
    ("lines", "options", "data"),
    [
        (["a", "b"], {}, b"a\nb\n"),
        (["a", "b"], {"endofline": False}, b"a\nb"),
        (["a", "b"], {"fileformat": "dos"}, b"a\r\nb\r\n"),
        (["a", "b"], {"fileformat": "dos", "endofline": False}, b"a\r\nb"),
        (["a", "b"], {"fileformat": "mac"}, b"a\rb\r"),
        (["a"], {"bomb": True}, b"\xef\xbb\xbfa\n"),
        (["é"], {"fileencoding": "latin1"}, b"\xe9\n"),
        (["é"], {"fileencoding": "utf-16le", "bomb": True}, b"\xff\xfe\xe9\x00\n\x00"),
        ([""], {"endofline": False}, b""),
        ([""], {}, b"\n"),
        (["a\r", "b"], {}, b"a\r\nb\n"),
        (["a\0b"], {}, b"a\0b\n"),
    ],
)
def test_bytes_are_exact(
    nvim: Neovim, lines: list[str], options: dict[str, Any], data: bytes
) -> None:
    path = open_file(nvim, b"before\nand after\n")
    nvim.command("autocmd BufWritePre * silent %s/$/ spoilt/e")
    assert write(nvim, path, [[0, 2, lines]], **options) == {"ok": True}
    assert path.read_bytes() == data
    assert nvim.eval("[&modified, &fixendofline]") == [0, 1]


def test_a_file_that_changed_behind_the_buffer_is_overwritten_without_a_question(
    nvim: Neovim,
) -> None:
    path = open_file(nvim, b"one\n")
    outdate(path, b"else\n")
    assert write(nvim, path, [[0, 1, ["two"]]]) == {"ok": True}
    assert path.read_bytes() == b"two\n"


def test_what_cannot_be_changed_stays(nvim: Neovim) -> None:
    path = open_file(nvim, b"one\n")
    nvim.command("setlocal nomodifiable")
    assert "modifiable" in write(nvim, path, [[0, 1, ["two"]]])["error"]
    assert nvim.lines() == ["one"]
    assert nvim.eval("&modified") == 0


def test_what_cannot_be_saved_is_taken_back(nvim: Neovim) -> None:
    path = open_file(nvim, b"a\nb\nc\n")
    nvim.command("normal! Gochanged")
    path.unlink()
    path.parent.joinpath("a.txt").mkdir()
    outcome = write(nvim, path, [[0, 1, ["x", "y"]], [2, 3, []]], fileformat="dos")
    assert "is a directory" in outcome["error"]
    assert nvim.lines() == ["a", "b", "c", "changed"]
    assert nvim.eval("[&modified, &fileformat, &fixendofline]") == [1, "unix", 1]


def test_listeners_hear_of_the_write_after_it(nvim: Neovim) -> None:
    path = open_file(nvim, b"one\n")
    nvim.command("let g:heard = []")
    note = "call add(g:heard, [expand('<afile>:t'), bufnr(), &modified, readfile(expand('%'))])"
    nvim.command(f"autocmd BufWritePost *.txt {note}")
    nvim.command("autocmd BufWritePost *.txt lua error('broken')")
    nvim.command("set hidden | edit other")
    assert write(nvim, path, [[0, 1, ["two"]]]) == {"ok": True}
    assert nvim.eval("g:heard") == [["a.txt", nvim.eval(f"bufnr('{path}')"), 0, ["two"]]]
    assert not nvim.mode()["blocking"]


@pytest.mark.parametrize("autoread", ["autoread", "noautoread"])
def test_follows_the_disk_in_silence(nvim: Neovim, autoread: str) -> None:
    path = open_file(nvim, b"a\nb\nc\n")
    nvim.command(f"set {autoread} | 3mark a | let g:asked = [] | set hidden")
    nvim.command("autocmd FileChangedShell * call add(g:asked, v:fcs_reason)")
    nvim.command("edit other")
    outdate(path, b"new\na\nb\nC\n")
    assert change(nvim, "follow", path, [[0, 0, ["new"]], [2, 3, ["C"]]]) == {"ok": True}
    nvim.command("buffer a.txt | checktime")
    assert nvim.eval('[&modified, line("\'a")]') == [0, 4]
    assert path.read_bytes() == b"new\na\nb\nC\n"
    nvim.input("Goxyz<Esc>")
    nvim.command("silent write")
    assert path.read_bytes() == b"new\na\nb\nC\nxyz\n"
    assert nvim.eval("g:asked") == []
    assert "W1" not in nvim.messages()
    nvim.command("silent undo | silent undo")
    assert nvim.lines() == ["a", "b", "c"]
    assert nvim.eval("&modified") == 1


def test_follows_into_a_buffer_that_the_user_keeps_read_only(nvim: Neovim) -> None:
    path = open_file(nvim, b"a\n")
    nvim.command("setlocal readonly nomodifiable | set eventignore=all")
    outdate(path, b"b\n")
    assert change(nvim, "follow", path, [[0, 1, ["b"]]]) == {"ok": True}
    assert nvim.lines() == ["b"]
    assert nvim.eval("[&readonly, &modifiable, &modified, &eventignore]") == [1, 0, 0, "all"]
    assert path.read_bytes() == b"b\n"
    assert nvim.messages() == ""


def test_does_not_follow_into_unsaved_edits(nvim: Neovim) -> None:
    path = open_file(nvim, b"a\n")
    nvim.command("normal! Ax")
    assert change(nvim, "follow", path, [[0, 1, ["b"]]]) == {"stale": True}
    assert nvim.lines() == ["ax"]


def test_a_selection_is_read_where_it_is_now(nvim: Neovim) -> None:
    open_file(nvim, b"1\n2\n3\n4\n")
    hold = "return require('acp.prompt.attachment').hold(0, ...)"
    mark = nvim.lua(hold, 2, 3)
    nvim.command("1normal! Onew")
    nvim.command("%s/3/three/")
    code = "return require('acp.prompt.attachment').selected(0, ...)"
    assert nvim.lua(code, mark) == {"first": 3, "last": 4, "lines": ["2", "three"]}
    assert nvim.lua(code, mark) is None
    assert nvim.lua("return require('acp.prompt.attachment').selected(999, 1)") is None
    mark = nvim.lua(hold, 1, 2)
    nvim.command("1,2delete")
    assert nvim.lua(code, mark) is None  # of another line nothing is said


def test_a_long_buffer_is_read_in_portions_as_long_as_it_is_the_same(nvim: Neovim) -> None:
    lines = [f"line {number}" for number in range(25_000)]
    path = open_file(nvim, "".join(f"{line}\n" for line in lines).encode())
    live, found = read(nvim, path), list[str]()
    assert "lines" not in live
    code = "return require('acp.files.live').lines(...)"
    while len(found) < live["count"]:
        portion = nvim.lua(code, live["number"], live["changedtick"], len(found))
        found += portion.split("\n")
    assert found == lines
    assert "count" not in read(nvim, path, live["number"], live["changedtick"])
    whole = read(nvim, path, live["number"], live["changedtick"] - 1, True)
    assert (whole["lines"], whole["empty"]) == ("\n".join(lines), False)
    nvim.command("normal! x")
    assert nvim.lua(code, live["number"], live["changedtick"], 5_000) is None


def test_lines_of_many_bytes_go_in_smaller_portions(nvim: Neovim) -> None:
    path = open_file(nvim, b"".join(b"%d" % it * 300_000 + b"\n" for it in range(5)))
    live = read(nvim, path)
    assert live["count"] == 5
    code = "return require('acp.files.live').lines(...)"
    found = [nvim.lua(code, live["number"], live["changedtick"], first) for first in (0, 3, 4)]
    assert [it.count("\n") for it in found] == [0, 0, 0]
