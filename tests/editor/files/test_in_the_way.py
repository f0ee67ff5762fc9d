"""What stands in the way of a decision: it does what it can, and names the rest."""

from __future__ import annotations

import os
import shutil
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
    found = (it for it in folder.rglob("*") if it.is_file() and not it.is_symlink())
    return {str(it.relative_to(folder)): it.read_text() for it in found}


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
    job.told("took back turn 1")
    if is_open:
        assert job.nvim.lines(job.nvim.eval("bufnr('folder/a.txt')")) == LINES.splitlines()
    until_files(job, {})
    job.usable()


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
