"""Files that become something else while an agent and the user work, in a real Neovim."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.files.test_buffer import change, open_file, read, write
from tests.support.agents.agent_edits import (
    answer,
    command,
    looked,
    put,
    quickfix,
    tool,
    until_files,
)
from tests.support.agents.agent_edits import write as client_write
from tests.support.files.baselines import repository
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

LINES = "".join(f"line {number}\n" for number in range(1, 11))
THEIRS = LINES.replace("line 3\n", "line three\n").replace("line 8\n", "")
WEIRD = "a\nb | c\r\t%#.txt"


# --- links


def test_a_buffer_whose_name_has_become_a_link_is_none_of_the_file_that_it_leads_to(
    nvim: Neovim,
) -> None:
    path = open_file(nvim, b"one\n")
    other = path.with_name("other.txt")
    other.write_bytes(b"other\n")
    live = read(nvim, path)
    path.unlink()
    path.symlink_to(other)
    assert nvim.lua("return require('acp.files.live').read(...)", str(path)) is None
    assert nvim.lua("return require('acp.files.live').read(...)", str(other)) is None
    assert nvim.lua("return require('acp.files.live').survey(...)", [str(path.parent)]) == []
    code = "return require('acp.files.live').write(...)"
    options = {"fileformat": "unix", "fileencoding": "utf-8", "bomb": False, "endofline": True}
    made = path.with_name("made")
    made.write_bytes(b"x\n")
    place = str(made), str(other)
    outcome = nvim.lua(code, live["number"], live["changedtick"], [[0, 1, ["x"]]], options, *place)
    assert "leads to another file now" in outcome["error"]
    assert (nvim.lines(), other.read_bytes()) == (["one"], b"other\n")
    nvim.command("edit!")
    assert read(nvim, other)["lines"] == "other"
    assert write(nvim, other, [[0, 1, ["x"]]]) == {"ok": True}
    assert (other.read_bytes(), path.is_symlink()) == (b"x\n", True)


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "not-open"])
def test_undo_does_not_write_through_a_link_that_has_taken_the_place_of_the_file(
    job: MainJob, is_open: bool
) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    if not is_open:
        job.command("bwipeout")
    rest, other = job.work / "rest.txt", job.work / "other.txt"
    rest.write_text(LINES)
    other.write_text("other\nline 4\n")
    prompt = job.turn(agent)
    tool(agent, path, THEIRS)
    tool(agent, rest, THEIRS, "edit-2")
    looked(job)
    job.finish(agent, prompt)
    looked(job)
    until_files(job, {"a.txt": 2, "rest.txt": 2})
    path.unlink()
    path.symlink_to(other)
    job.command("Acp undo")
    job.told("undid turn 1", "a symbolic link now")
    assert (other.read_text(), rest.read_text()) == ("other\nline 4\n", LINES)
    assert path.is_symlink()


def test_an_agent_that_makes_a_link_has_not_changed_what_it_leads_to(job: MainJob) -> None:
    agent = job.start()
    path, other = job.edit("a.txt", LINES), job.work / "other.txt"
    other.write_text("other\n")
    prompt = job.turn(agent)
    path.unlink()
    path.symlink_to(other)
    command(agent, {})
    looked(job)
    job.finish(agent, prompt)
    looked(job)
    until_files(job, {"a.txt": 1})
    answer(job, to_take=True)
    job.command("Acp undo")
    job.told("a symbolic link now")
    assert other.read_text() == "other\n"


@pytest.mark.parametrize("is_repository", [True, False], ids=["git", "no-git"])
@pytest.mark.parametrize("how", ["replaced", "removed", "led elsewhere"])
def test_a_link_of_which_a_command_has_made_something_else_is_named_and_stays_so(
    job: MainJob, how: str, is_repository: bool
) -> None:
    if is_repository:
        repository(job.work, "ignored")
    path, link = job.work / "a.txt", job.work / "link"
    path.write_text(LINES)
    link.symlink_to("a.txt")
    agent = job.start()
    prompt = job.turn(agent)
    link.unlink()
    if how == "replaced":
        link.write_text(THEIRS)
    elif how == "led elsewhere":
        link.symlink_to("b.txt")
    command(agent, {})
    looked(job)
    job.finish(agent, prompt)
    looked(job)
    assert any("Changed" in line and line.endswith(": link") for line in job.chat())
    answer(job, to_take=True)
    job.command("Acp undo")
    job.told("cannot be undone: link")
    assert path.read_text() == LINES
    assert link.is_file() is (how == "replaced")


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "not-open"])
@pytest.mark.parametrize("taken", ["Acp undo", "Acp reject file"])
def test_what_has_become_another_name_of_a_file_is_not_written_into(
    job: MainJob, is_open: bool, taken: str
) -> None:
    agent = job.start()
    path, other = job.edit("a.txt", LINES), job.work / "other.txt"
    other.write_text("other\n")
    prompt = job.turn(agent)
    path.unlink()
    path.hardlink_to(other)
    tool(agent, path, "other\nmore\n")
    until_files(job, {"a.txt": 1, "other.txt": 1})
    looked(job)
    job.finish(agent, prompt)
    looked(job)
    answer(job, to_take=False)
    job.command("wincmd t")
    if not is_open and taken == "Acp undo":
        job.command("bwipeout")
    job.command(taken)
    job.until(lambda: path.read_text() == LINES)
    assert other.read_text() == "other\nmore\n"
    looked(job)
    if taken == "Acp undo":
        job.command("Acp redo")
        job.until(lambda: path.read_text() == "other\nmore\n")
        assert not path.samefile(other)


def test_a_new_file_that_is_another_name_of_one_is_written_alone(job: MainJob) -> None:
    agent = job.start()
    path, other = job.work / "a.txt", job.work / "other.txt"
    other.write_text(LINES)
    prompt = job.turn(agent)
    path.hardlink_to(other)
    tool(agent, path, LINES)
    until_files(job, {"a.txt": 1})
    job.finish(agent, prompt)
    looked(job)
    job.command(f"wincmd t | edit {path} | 3,4Acp reject")
    job.until(lambda: path.read_text() == LINES.replace("line 3\nline 4\n", ""))
    assert other.read_text() == LINES


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "not-open"])
@pytest.mark.parametrize("way", ["client", "tool"])
def test_names_that_a_file_has_of_the_user_stay_names_of_it(
    job: MainJob, way: str, is_open: bool
) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    other = job.folder / "other.txt"
    other.hardlink_to(path)
    if not is_open:
        job.command("wincmd t | bwipeout")
    prompt = job.turn(agent)
    if way == "client":
        assert client_write(agent, path, THEIRS)["result"] == {}
    else:
        tool(agent, path, THEIRS)
    until_files(job, {"a.txt": 2})
    looked(job)
    job.finish(agent, prompt)
    looked(job)
    for verb, text in (("undo", LINES), ("redo", THEIRS), ("undo", LINES)):
        job.command(f"Acp {verb}")
        job.until(lambda text=text: path.read_text() == other.read_text() == text)
        looked(job)
        assert path.samefile(other)


# --- folders, pipes


def fill(path: Path) -> None:
    """Make a folder that cannot simply be removed."""
    path.mkdir()
    os.mkfifo(path / "pipe")


@pytest.mark.parametrize("become", [os.mkfifo, fill], ids=["pipe", "folder"])
def test_nothing_blocks_where_a_pipe_or_a_folder_has_taken_the_place(
    job: MainJob, become: object
) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    rest = job.work / "rest.txt"
    rest.write_text(LINES)
    prompt = job.turn(agent)
    assert client_write(agent, path, THEIRS)["result"] == {}
    command(agent, {rest: THEIRS})
    looked(job)
    path.unlink()
    become(path)  # type: ignore[operator]
    command(agent, {}, "run-2")
    assert "error" in client_write(agent, path, "new\n")
    job.finish(agent, prompt)
    looked(job)
    answer(job, to_take=True)
    job.command("Acp undo")
    job.told("a.txt cannot be written")
    job.told("undid turn 1")
    assert rest.read_text() == LINES
    job.usable()


def test_the_next_hunk_in_a_pipe_is_not_opened(job: MainJob) -> None:
    agent = job.start()
    here, there = job.edit("a.txt", LINES), job.work / "b.txt"
    there.write_text(LINES)
    prompt = job.turn(agent)
    tool(agent, there, THEIRS)
    looked(job)
    job.finish(agent, prompt)
    looked(job)
    job.command("wincmd t | Acp review")
    there.unlink()
    os.mkfifo(there)
    job.nvim.lua("vim.keymap.set('n', ']h', '<Plug>(acp-next-hunk)')")
    job.command(f"wincmd t | buffer {here.name}")
    job.nvim.input("]h")
    job.usable()
    assert "acp.follow.companion" in job.nvim.lua(
        "return vim.inspect(vim.tbl_keys(package.loaded))"
    )
    assert job.nvim.lua("return require('acp.follow.companion').load(...)", str(there)) is None


@pytest.mark.parametrize("become", [os.mkfifo, fill], ids=["pipe", "folder"])
def test_an_open_file_of_which_a_command_has_made_something_else_is_gone_and_comes_back(
    job: MainJob, become: object
) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    path.unlink()
    become(path)  # type: ignore[operator]
    command(agent, {})
    until_files(job, {"a.txt": 1})
    job.finish(agent, prompt)
    looked(job)
    answer(job, to_take=True)
    job.command("Acp undo")
    job.told("a.txt cannot be written")
    assert not path.is_file()
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    job.command("Acp undo")
    job.told("undid turn 1")
    assert path.read_text() == LINES


@pytest.mark.parametrize("is_over", [True, False], ids=["after the turn", "in the turn"])
def test_what_a_buffer_cannot_take_is_named_and_taken_back_without_it(
    job: MainJob, is_over: bool
) -> None:
    agent = job.start()
    path, before = job.work / "a.txt", "日本語\nb\n".encode("euc-jp")
    path.write_bytes(before)
    job.command(f"wincmd t | topleft vnew | edit ++enc=euc-jp {path}")
    prompt = job.turn(agent)
    tool(agent, path, "日本語\nb\nc\n")
    looked(job)
    if is_over:
        job.finish(agent, prompt)
    job.command("Acp undo")
    told = job.told("no turn has changed anything", "; a.txt stays as it is")
    assert "Neovim cannot read its" in told
    job.command("bwipeout")
    job.command("messages clear")
    job.command("Acp undo")
    job.told("undid turn 1")
    assert path.read_bytes() == before


def test_what_a_buffer_could_not_take_is_the_agents_once_the_user_reads_it_anew(
    job: MainJob,
) -> None:
    agent = job.start()
    path = job.work / "a.txt"
    path.write_text("日本語\nb\n", "euc-jp")
    job.command(f"wincmd t | topleft vnew | edit ++enc=euc-jp {path}")
    prompt = job.turn(agent)
    tool(agent, path, "日本語\nb\nc\n")
    looked(job)
    job.finish(agent, prompt)
    job.command("edit ++enc=utf-8")
    until_files(job, {"a.txt": 2})
    job.nvim.input("Gomine<Esc>")
    job.command("write")
    looked(job)
    job.command("Acp undo")
    job.told("undid turn 1")
    assert path.read_bytes() == "日本語\nb\n".encode("euc-jp") + b"mine\n"


# --- modes


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "not-open"])
@pytest.mark.parametrize("how", ["removed", "replaced", "made anew"])
def test_the_mode_is_as_before_once_nothing_of_an_agent_is_left(
    job: MainJob, how: str, is_open: bool
) -> None:
    agent = job.start()
    path = job.edit("a.sh", LINES)
    path.chmod(0o750)
    if not is_open:
        job.command("bwipeout")
    prompt = job.turn(agent)
    path.unlink()
    if how == "made anew":
        command(agent, {})
        until_files(job, {"a.sh": 1})
    if how != "removed":
        path.write_text(THEIRS)
        path.chmod(0o644)
    given = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    command(agent, {}, "run-2")
    until_files(job, {"a.sh": 1 if how == "removed" else 2})
    job.finish(agent, prompt)
    looked(job)
    answer(job, to_take=True)
    for _ in range(2):
        job.command("Acp undo")
        job.until(lambda: path.exists() and path.read_text() == LINES)
        looked(job)
        assert stat.S_IMODE(path.stat().st_mode) == 0o750
        job.command("Acp redo")
        job.until(lambda: not path.exists() or path.read_text() == THEIRS)
        looked(job)
        assert (stat.S_IMODE(path.stat().st_mode) if path.exists() else None) == given


# --- moved and deleted


def test_a_file_that_the_user_has_moved_is_left_and_named(job: MainJob) -> None:
    agent = job.start()
    path, rest = job.edit("a.txt", LINES), job.work / "rest.txt"
    rest.write_text(LINES)
    prompt = job.turn(agent)
    assert client_write(agent, path, THEIRS)["result"] == {}
    command(agent, {rest: THEIRS})
    looked(job)
    job.finish(agent, prompt)
    looked(job)
    path.rename(job.work / "b.txt")
    answer(job, to_take=True)
    job.command("Acp undo")
    job.told("a.txt is gone: moved or deleted since")
    job.told("undid turn 1")
    assert (path.exists(), rest.read_text()) == (False, LINES)
    assert (job.work / "b.txt").read_text() == THEIRS
    until_files(job, {})


@pytest.mark.parametrize("is_saved", [True, False], ids=["saved", "not-saved"])
def test_who_goes_on_in_a_file_that_an_agent_has_removed_has_lines_of_their_own(
    job: MainJob, is_saved: bool
) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    command(agent, {path: None})
    until_files(job, {"a.txt": 1})
    job.finish(agent, prompt)
    looked(job)
    job.nvim.input("<C-w>tGomine<Esc>")
    if is_saved:
        job.command("write")
    looked(job)
    answer(job, to_take=True)
    for verb in ("reject all", "undo", "redo", "undo"):
        job.command(f"Acp {verb}")
        job.until(path.exists)
        looked(job)
    assert job.nvim.lines() == [*LINES.splitlines(), "mine"]
    assert path.read_text() == LINES + ("mine\n" if is_saved else "")


# --- names


def test_names_with_a_line_break(job: MainJob) -> None:
    agent = job.start()
    opened, closed = job.work / WEIRD, job.work / f"closed {WEIRD}"
    opened.write_text(LINES)
    closed.write_text(LINES)
    job.nvim.lua(
        "vim.cmd('wincmd t | topleft vnew')"
        "vim.cmd.edit({ ..., magic = { file = false, bar = false } })",
        str(opened),
    )
    prompt = job.turn(agent)
    assert client_write(agent, opened, THEIRS)["result"] == {}
    tool(agent, closed, THEIRS)
    new = job.work / f"new {WEIRD}"
    command(agent, {new: "new\n"})
    looked(job)
    job.finish(agent, prompt)
    looked(job)
    until_files(job, {WEIRD: 2, closed.name: 2, new.name: 1})
    job.command("Acp review")
    job.told("5 hunks in 3 files")
    names = [name for name, _ in quickfix(job)[1]]
    assert sorted(names) == sorted([WEIRD, WEIRD, closed.name, closed.name, new.name])
    closed.unlink()
    closed.mkdir()
    answer(job, to_take=True)
    job.command("Acp undo")
    job.until(lambda: not new.exists())
    job.told("undid turn 1")
    assert (opened.read_text(), new.exists()) == (LINES, False)
    job.usable()
    assert "E" not in [line[:1] for line in job.nvim.messages().splitlines() if line[1:2].isdigit()]


# --- formatters

FORMATTER = """
vim.api.nvim_create_autocmd('BufWritePost', {
  pattern = '*.txt',
  callback = function()
    %s
  end,
})
"""
FORMATTERS = {
    "in the buffer, saved": "vim.cmd([[silent! %s/ *$// | noautocmd silent update]])",
    "in the buffer, saved with events": "vim.cmd([[silent! %s/ *$// | silent update]])",
    "in the buffer, not saved": "vim.cmd([[silent! %s/ *$//]])",
    "on disk": "vim.cmd([[silent !sed -i 's/ *$//' %:S]])",
    "on disk, read again": "vim.cmd([[silent !sed -i 's/ *$//' %:S]]) vim.cmd('silent edit!')",
}


@pytest.mark.parametrize("how", FORMATTERS.values(), ids=FORMATTERS)
def test_undo_takes_back_what_a_formatter_made_of_the_agents_text(job: MainJob, how: str) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    job.nvim.lua(FORMATTER % how)
    prompt = job.turn(agent)
    mess = THEIRS.replace("line three\n", "line three   \n").replace("line 9\n", "\nline 9  \n")
    assert client_write(agent, path, mess)["result"] == {}
    job.until(lambda: "line three" in job.nvim.lines())
    looked(job)
    job.finish(agent, prompt)
    looked(job)
    job.command("Acp undo")
    job.told("undid turn 1")
    assert job.nvim.lines() == LINES.splitlines()
    job.command("silent! noautocmd write!")
    assert path.read_text() == LINES
    job.usable()


@pytest.mark.parametrize("how", FORMATTERS.values(), ids=FORMATTERS)
@pytest.mark.parametrize("taken", ["Acp undo", "Acp reject file"])
def test_what_was_there_before_comes_back_whatever_a_formatter_makes_of_it(
    job: MainJob, how: str, taken: str
) -> None:
    agent = job.start()
    untidy = LINES.replace("line 1\n", "line 1  \n").replace("line 5\n", "line 5 \n")
    path = job.edit("a.txt", untidy)
    job.nvim.lua(FORMATTER % how)
    prompt = job.turn(agent)
    assert client_write(agent, path, untidy.replace("line 3\n", "three \n"))["result"] == {}
    job.until(lambda: job.nvim.lines()[:3] == ["line 1", "line 2", "three"])
    looked(job)
    job.finish(agent, prompt)
    looked(job)
    job.command(f"wincmd t | {taken}")
    until_files(job, {})
    assert job.nvim.lines() == untidy.splitlines()
    job.command("silent! noautocmd write!")
    assert path.read_text() == untidy
    job.usable()


BEFORE = "autocmd BufWritePre *.txt silent keeppatterns %s/^ \\+/\\t/e"
AFTER = "autocmd BufWritePost *.txt ++nested silent keeppatterns %s/^ \\+/\\t/e | silent update"


@pytest.mark.parametrize("how", [BEFORE, AFTER], ids=["before", "after"])
@pytest.mark.parametrize("way", [client_write, tool])
def test_undo_takes_back_what_the_users_save_has_formatted(
    job: MainJob, how: str, way: Callable[..., object]
) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    way(agent, path, LINES.replace("line 3\n", "  three\n  more\n"))
    job.until(lambda: "  more" in job.nvim.lines())
    job.finish(agent, prompt)
    looked(job)
    job.command("wincmd t")
    job.command(how)
    job.nvim.input("ggOmine<Esc>:write<CR>")
    job.until(lambda: path.read_text().startswith("mine\nline 1\nline 2\n\tthree\n\tmore\n"))
    job.command("Acp undo")
    job.told("undid turn 1")
    assert job.nvim.lines() == ["mine", *LINES.splitlines()]


def test_what_the_user_types_after_the_formatter_is_the_users(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    job.nvim.lua(FORMATTER % FORMATTERS["in the buffer, saved"])
    prompt = job.turn(agent)
    assert client_write(agent, path, THEIRS.replace("three", "three  "))["result"] == {}
    job.nvim.input("ggOmine<Esc>")
    job.finish(agent, prompt)
    looked(job)
    job.command("Acp undo")
    job.told("undid turn 1")
    assert job.nvim.lines() == ["mine", *LINES.splitlines()]


def test_a_formatter_is_asked_once_a_write(nvim: Neovim) -> None:
    path = open_file(nvim, b"one\n")
    nvim.command("autocmd BufWritePost * let g:times = get(g:, 'times') + 1")
    assert change(nvim, "write", path, [[0, 1, ["two"]]]) == {"ok": True}
    assert nvim.eval("g:times") == 1


def test_the_folder_above_may_have_become_a_link(nvim: Neovim, tmp_path: Path) -> None:
    folder, other = tmp_path / "folder", tmp_path / "other"
    for each in (folder, other):
        each.mkdir()
        (each / "a.txt").write_text(f"{each.name}\n")
    nvim.command(f"edit {folder}/a.txt")
    assert read(nvim, folder / "a.txt")["lines"] == "folder"
    folder.rename(tmp_path / "moved")
    folder.symlink_to(other)
    assert nvim.lua("return require('acp.files.live').read(...)", str(other / "a.txt")) is None
    assert nvim.lua("return require('acp.files.live').read(...)", str(folder / "a.txt")) is None


# --- ignored files


def test_an_ignored_file_that_a_command_deletes_is_told_or_comes_back(job: MainJob) -> None:
    repository(job.work, ".env", "*.bin", "build/", "node_modules/")
    env, weird, data = job.work / ".env", job.work / "a\nb.bin", job.work / "data.bin"
    env.write_text("SECRET=1\n")
    env.chmod(0o600)
    weird.write_bytes(b"\0\1")
    data.write_bytes(b"\0\1")
    for name in ("build/deep/a.o", "node_modules/it/index.js"):
        put(job.work / name.split("/")[0] / "x", "x")
        (job.work / name).parent.mkdir(parents=True)
        (job.work / name).write_text("x")
    agent = job.start()
    prompt = job.turn(agent)
    command(agent, {data: None, weird: None, env: None, job.work / "build/deep/a.o": None})
    shutil.rmtree(job.work / "node_modules")
    command(agent, {}, "run-2")
    looked(job)
    job.finish(agent, prompt)
    looked(job)
    chat = "\n".join(job.chat())
    assert "Deleted, ignored by git, and cannot be restored: " in chat
    for name in ("data.bin", "a b.bin", "a.o", "node_modules/"):
        assert name in chat
    assert "index.js" not in chat
    until_files(job, {".env": 1})
    answer(job, to_take=True)
    job.command("Acp undo")
    job.told("undid turn 1")
    assert (env.read_text(), env.stat().st_mode & 0o777) == ("SECRET=1\n", 0o600)
    job.usable()


def test_what_a_build_does_to_ignored_files_is_not_told(job: MainJob) -> None:
    repository(job.work, "*.log", "*.o", ".*.sw?")
    log, made, swap = job.work / "a.log", job.work / "a.o", job.work / ".a.txt.swp"
    for each in (log, made, swap):
        each.write_text("1")
    agent = job.start()
    prompt = job.turn(agent)
    command(agent, {log: "2", made: "2", job.work / "b.o": "new", swap: None})
    looked(job)
    job.finish(agent, prompt)
    until_files(job, {})
    assert "Deleted" not in "\n".join(job.chat())
