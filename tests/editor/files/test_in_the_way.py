"""What stands in the way of a decision: it does what it can, and names the rest."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.agents.agent_edits import (
    answer,
    asked,
    command,
    looked,
    put,
    tool,
    until_files,
)
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 11))
THEIRS = LINES.replace("line 3\n", "line three\n").replace("line 8\n", "")


def ended(job: MainJob, agent: StdioAgent, prompt: dict[str, object]) -> None:
    looked(job)
    job.finish(agent, prompt)
    looked(job)


def files(folder: Path) -> dict[str, str]:
    """Return what files hold; what is being put in another's place may be gone as it is read."""
    found = {}
    with suppress(FileNotFoundError):
        for it in folder.rglob("*"):
            if it.is_file() and not it.is_symlink():
                found[str(it.relative_to(folder))] = it.read_text()
    return found


# --- a file in the place of a folder


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "not-open"])
@pytest.mark.parametrize("is_named", [True, False], ids=["named", "found"])
def test_a_folder_that_has_become_a_file_comes_back(
    job: MainJob, is_named: bool, is_open: bool
) -> None:
    agent = job.start()
    folder = job.work / "folder"
    before = {"folder/a.txt": LINES, "folder/b.txt": LINES}
    for name, text in before.items():
        put(job.work / name, text)
    if is_open:
        job.edit("folder/a.txt", LINES)
    prompt = job.turn(agent)
    shutil.rmtree(folder)
    folder.write_text("a file\n")
    if is_named:
        paths = [{"path": str(job.work / name)} for name in before]
        agent.update(
            "tool_call",
            toolCallId="rm-1",
            title="rm",
            kind="delete",
            status="completed",
            locations=paths,
        )
    command(agent, {})
    until_files(job, {"folder": 1, "a.txt": 1, "b.txt": 1})
    ended(job, agent, prompt)
    answer(job, to_take=True)
    job.command("Acp undo")
    job.until(lambda: files(job.work) == before)
    job.told("undid turn 1")
    if is_open:
        assert job.nvim.lines(job.nvim.eval("bufnr('folder/a.txt')")) == LINES.splitlines()
    until_files(job, {})
    job.usable()


# --- what the user has not saved


@pytest.mark.parametrize("is_taken", [True, False])
def test_a_file_that_only_a_buffer_has_after_an_undo_is_named(
    job: MainJob, *, is_taken: bool
) -> None:
    agent = job.start()
    path, other = job.edit("a.txt", LINES), job.work / "b.txt"
    prompt = job.turn(agent)
    job.nvim.input("<C-w>tGomine<Esc>")
    path.rename(other)
    tool(agent, other, LINES)
    command(agent, {})
    until_files(job, {"b.txt": 1})
    ended(job, agent, prompt)
    answer(job, to_take=is_taken)
    job.command("Acp undo")
    if is_taken:
        said = job.told("undid turn 1 of scripted in 2 files")
        assert "as the agent left it" not in said
    else:
        job.told("undid turn 1 of scripted in b.txt", "a.txt is on the disk as the agent left it")
    assert (path.exists(), other.exists()) == (is_taken, False)
    assert job.nvim.lines() == [*LINES.splitlines(), "mine"]
    job.command("write!")
    assert path.read_text() == LINES + "mine\n"


# --- a file that holds something else


@pytest.mark.parametrize("is_new", [True, False], ids=["new", "changed"])
@pytest.mark.parametrize("taken", ["Acp undo", "Acp reject file"])
def test_bytes_that_nobody_could_read_are_not_written_over(
    job: MainJob, taken: str, is_new: bool
) -> None:
    agent = job.start()
    path, rest = job.edit("a.txt", LINES), job.work / "rest.txt"
    rest.write_text(LINES)
    if is_new:
        path.unlink()
        job.command("bwipeout!")
    prompt = job.turn(agent)
    tool(agent, path, THEIRS)
    tool(agent, rest, THEIRS, "edit-2")
    until_files(job, {"a.txt": 1 if is_new else 2, "rest.txt": 2})
    ended(job, agent, prompt)
    job.command(f"wincmd t | edit {path} | set noautoread")
    path.write_bytes(b"\0\1mine")
    job.command(taken)
    job.told("a.txt is a binary file")
    assert path.read_bytes() == b"\0\1mine"
    assert job.nvim.lines() == THEIRS.splitlines()
    if taken == "Acp undo":
        assert rest.read_text() == LINES


# --- what cannot be had back


def test_what_cannot_be_taken_back_is_named_beside_what_is(job: MainJob) -> None:
    agent = job.start()
    rest, large = job.work / "rest.txt", job.work / "deep/large.txt"
    rest.write_text(LINES)
    large.parent.mkdir()
    large.write_text("long line\n" * 300_000)
    prompt = job.turn(agent)
    tool(agent, rest, THEIRS)
    command(agent, {large: None})
    until_files(job, {"rest.txt": 2})
    ended(job, agent, prompt)
    unknown = "cannot be reviewed or undone (too large): deep/large.txt"
    assert any(unknown in it for it in job.chat())
    answer(job, to_take=False)
    job.command("Acp undo")
    cannot = "cannot be undone: deep/large.txt (too large)"
    job.until(lambda: any(f"{cannot}. Undo" in it for it in asked(job)))
    assert rest.read_text() == THEIRS, "it was named before anything was done"
    answer(job, to_take=True)
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in rest.txt", cannot)
    assert rest.read_text() == LINES
    answer(job, to_take=False)
    job.command("Acp rewind 1")
    job.until(lambda: any(cannot in it for it in asked(job)))


def test_a_changed_text_that_is_binary_by_now_is_named_before_the_rest_is_undone(
    job: MainJob,
) -> None:
    agent = job.start()
    rest, image = job.work / "rest.txt", job.work / "image"
    rest.write_text(LINES)
    image.write_text(LINES)
    prompt = job.turn(agent)
    tool(agent, rest, THEIRS)
    tool(agent, image, THEIRS, "edit-2")
    until_files(job, {"rest.txt": 2, "image": 2})
    image.write_bytes(b"\x89PNG\0")
    command(agent, {})
    ended(job, agent, prompt)
    answer(job, to_take=False)
    job.command("Acp undo")
    wanted = "cannot be undone: image (binary). Undo its 1 other file?"
    job.until(lambda: any(wanted in it for it in asked(job)))
    assert rest.read_text() == THEIRS
    answer(job, to_take=True)
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in rest.txt", "cannot be undone: image (binary)")
    assert rest.read_text() == LINES


def test_a_turn_of_which_nothing_can_be_taken_back_says_so(job: MainJob) -> None:
    agent = job.start()
    data = job.work / "data.bin"
    data.write_bytes(b"\0\1")
    prompt = job.turn(agent)
    command(agent, {data: None})
    ended(job, agent, prompt)
    job.command("Acp undo 1")
    job.told("turn 1 has not changed anything that can be undone", "data.bin")


# --- a file that cannot be decided on, and others


def test_to_reject_all_asks_of_what_was_found_though_one_file_cannot_be(job: MainJob) -> None:
    agent = job.start()
    path, rest = job.work / "a.txt", job.work / "rest.txt"
    path.write_text(LINES)
    rest.write_text(LINES)
    prompt = job.turn(agent)
    tool(agent, path, THEIRS)
    command(agent, {rest: THEIRS})
    until_files(job, {"a.txt": 2, "rest.txt": 2})
    ended(job, agent, prompt)
    path.unlink()
    os.mkfifo(path)
    answer(job, to_take=True)
    job.command("Acp reject all")
    job.told("a.txt cannot be read")
    assert len(asked(job)) == 1
    assert rest.read_text() == LINES
