"""The system's own limits, put on a real host: what is too much for it, and what it cannot keep."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import pytest

from tests.support.agents.agent_edits import tool, write
from tests.support.files.kept import kept
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 11))
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of another process")


def kept_of(job: MainJob, pattern: str) -> str:
    return kept(Path(job.nvim.eval("stdpath('state')"), "acp.nvim"), pattern)


def test_a_disk_that_takes_nothing_more_costs_only_what_would_be_kept(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    resource.prlimit(job.host(), resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    prompt = job.turn(agent)
    for each in (path, job.work / "new.txt"):
        refused = write(agent, each, "new\n")
        assert each.name in refused["error"]["message"]
    assert (path.read_text(), job.nvim.lines()) == (LINES, LINES.splitlines())
    assert not (job.work / "new.txt").exists()
    tool(agent, path, LINES.replace("line 5\n", "five\n"))
    agent.say("I have done so")
    job.finish(agent, prompt)
    job.told("what is said is not kept on disk", "File too large")
    job.told("what agents change is not kept on disk")
    assert job.nvim.messages().count("what agents change is not kept") == 1
    resource.prlimit(job.host(), resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    assert not [*job.work.glob(".acp*")]
    prompt = job.turn(agent, "again")
    assert write(agent, path, LINES.replace("line 5\n", "5\n"))["result"] == {}
    job.finish(agent, prompt)
    job.until(lambda: "I have done so" in kept_of(job, "sessions/*.jsonl"))
    job.until(lambda: "five" in kept_of(job, "edits/*.history"))
    job.command("Acp undo 2")
    job.told("undid turn 2")
    job.command("Acp undo 1")
    job.until(lambda: path.read_text() == LINES)
    job.usable()


def test_a_draft_that_is_cut_does_not_take_the_place_of_a_whole_one(job: MainJob) -> None:
    job.start()
    job.nvim.input("iwhat I was about to say<Esc>")
    job.command("doautocmd CursorHold")
    whole = "what I was about to say\n"
    job.until(lambda: kept_of(job, "drafts/*.md") == whole)
    job.nvim.lua(
        "_G.real = vim.uv.fs_write "
        "vim.uv.fs_write = function(file, text) return _G.real(file, text:sub(1, 3)) end"
    )
    for _ in range(2):
        job.nvim.input("A, and more<Esc>")
        job.command("doautocmd CursorHold")
    job.told("the unsent prompt is not kept on disk")
    assert job.nvim.messages().count("unsent prompt") == 1
    assert kept_of(job, "drafts/*") == whole
    job.nvim.lua("vim.uv.fs_write = _G.real")
    job.command("doautocmd CursorHold")
    job.until(lambda: "and more, and more" in kept_of(job, "drafts/*.md"))
