"""Where the user and an agent have changed the same lines: both are shown, the user decides."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.support.agents.agent_edits import (
    CONFLICTS,
    files,
    looked,
    put,
    tool,
    until_files,
    write,
)
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 11))
THEIRS = LINES.replace("line 5\n", "line five\n").replace("line 9\n", "line nine\n")
MINE = LINES.replace("line 5\n", "line 5, mine\n")
MERGED = MINE.replace("line 9\n", "line nine\n")


def refused(job: MainJob) -> Path:
    """Let the agent write through the client what the user has changed since."""
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    agent.ask("fs/read_text_file", path=str(path))
    type_mine(job)
    assert "at line 5" in write(agent, path, THEIRS)["error"]["message"]
    job.finish(agent, prompt)
    job.command("wincmd t")
    return path


def disputed(job: MainJob) -> Path:
    """Let the agent write to the disk what the user has unsaved edits in."""
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    type_mine(job)
    put(path, THEIRS)
    later = time.time() + 10
    os.utime(path, (later, later))
    agent.update(
        "tool_call",
        toolCallId="1",
        title="sed",
        kind="edit",
        status="completed",
        locations=[{"path": str(path)}],
    )
    until_files(job, {"a.txt": 1})
    job.finish(agent, prompt)
    job.command("wincmd t")
    return path


def type_mine(job: MainJob) -> None:
    job.command("wincmd t")
    job.nvim.input("5GA, mine<Esc>")


def marked(job: MainJob) -> list[int]:
    return list(job.nvim.lua(CONFLICTS))


def sides(job: MainJob) -> None:
    """Assert that both sides stand beside each other, with the cursor in the user's."""
    job.until(lambda: job.nvim.eval("tabpagenr('$')") == 2)
    assert job.nvim.eval("[&diff, winnr('$'), line('.'), expand('%:t')]") == [1, 2, 5, "a.txt"]
    theirs = job.nvim.eval("getbufline(winbufnr(2), 1, '$')")
    assert theirs == THEIRS.splitlines()


def test_a_refused_write_is_marked_listed_and_shown_beside_the_users_text(job: MainJob) -> None:
    refused(job)
    job.until(lambda: marked(job) == [4])
    job.nvim.input("ggOzero<Esc>")
    job.until(lambda: marked(job) == [5])
    job.nvim.input("u")
    job.until(lambda: marked(job) == [4])
    job.command("Acp review")
    sides(job)
    assert job.nvim.lines() == MINE.splitlines()


@pytest.mark.parametrize("scope", ["", " file", " all"])
def test_keeping_takes_the_agents_text(job: MainJob, scope: str) -> None:
    path = refused(job)
    job.command(f"5 | Acp keep{scope}")
    job.told("kept")
    assert job.nvim.lines() == THEIRS.splitlines()
    assert (job.nvim.eval("&modified"), path.read_text()) == (1, LINES)
    job.until(lambda: marked(job) == [])
    job.nvim.input("u")
    assert job.nvim.lines() == MINE.splitlines()


def test_rejecting_leaves_the_users_text(job: MainJob) -> None:
    path = refused(job)
    job.command("Acp review")
    sides(job)
    job.command("Acp reject file")
    job.told("rejected 1 hunk, none is left")
    job.until(lambda: job.nvim.eval("tabpagenr('$')") == 1)
    assert job.nvim.lines() == MINE.splitlines()
    job.until(lambda: marked(job) == [])
    job.nvim.input(":write<CR>")
    assert path.read_text() == MINE


def test_a_change_is_taken_by_hand_and_the_conflict_is_over(job: MainJob) -> None:
    refused(job)
    job.command("Acp review")
    sides(job)
    job.command("%diffget")
    assert job.nvim.lines() == THEIRS.splitlines()
    job.until(lambda: marked(job) == [])


def test_a_disk_that_stands_against_unsaved_edits_is_shown(job: MainJob) -> None:
    disputed(job)
    assert job.nvim.lines() == MERGED.splitlines()
    job.until(lambda: marked(job) == [4])
    job.command("Acp review")
    sides(job)


def test_it_is_told_once_that_the_disk_stands_against_the_user(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    job.turn(agent)
    type_mine(job)
    for number in range(3):
        tool(agent, path, THEIRS.replace("five", f"five {number}"), f"edit-{number}")
        looked(job)
    told = "you and scripted have both changed line 5 of a.txt: :Acp review"
    job.until(lambda: told in " ".join(job.chat()))  # the command begins a row
    assert job.nvim.messages().splitlines() == [f"acp: {told}"]
    job.usable()


@pytest.mark.parametrize(
    ("verdict", "text"), [("keep", THEIRS), ("reject", MINE)], ids=["keep", "reject"]
)
def test_once_the_user_has_decided_saving_asks_nothing(
    job: MainJob, verdict: str, text: str
) -> None:
    path = disputed(job)
    job.command(f"Acp {verdict} file")
    job.told("kept" if verdict == "keep" else "rejected", "none is left")
    assert (job.nvim.lines(), files(job)) == (text.splitlines(), {})
    job.command("checktime")
    job.nvim.input(":write<CR>")
    job.usable()
    assert path.read_text() == text
    assert "W1" not in job.nvim.messages()


def test_an_agent_that_reads_again_ends_the_conflict(job: MainJob) -> None:
    agent: StdioAgent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    agent.ask("fs/read_text_file", path=str(path))
    type_mine(job)
    assert "error" in write(agent, path, THEIRS)
    job.until(lambda: marked(job) == [4])
    again = agent.ask("fs/read_text_file", path=str(path))["result"]["content"]
    assert write(agent, path, again.replace("mine", "ours"))["result"] == {}
    job.finish(agent, prompt)
    job.until(lambda: marked(job) == [])
    until_files(job, {"a.txt": 1})


LONGER = LINES.replace("line 5\n", "line five\nand a half\n").replace("line 9\n", "")


@pytest.mark.parametrize("row", [5, 9])
def test_what_is_taken_is_kept_in_all_its_places(job: MainJob, row: int) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    agent.ask("fs/read_text_file", path=str(path))
    type_mine(job)
    job.nvim.input("9GA, mine<Esc>")
    assert "error" in write(agent, path, LONGER)
    job.finish(agent, prompt)
    job.command("wincmd t")
    job.until(lambda: marked(job) == [4, 8])
    job.command(f"{row} | Acp keep")
    job.told("kept 2 hunks, none is left")
    assert job.nvim.lines() == LONGER.splitlines()
