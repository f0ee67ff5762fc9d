"""What the user decides on is what was meant, whatever changes above it meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.agents.agent_edits import conflicts, hunks, write
from tests.support.main_job import MainJob

LINES = [f"line {number}" for number in range(1, 11)]
AT_ONCE = """
for _, command in ipairs(...) do
  vim.cmd(command)
end
"""
MEANWHILE = {
    "lines above": "call append(0, ['x', 'y', 'z', 'u'])",
    "no lines above": "1,2delete",
    "right above": "6put! ='x'",
    "right below": "6put ='x'",
    "in it": "6s/$/!/",
    "away and back": "6move 0 | undo",
}


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def reviewed(job: MainJob) -> Path:
    """Let the agent change the lines 2 and 6 of a file that is shown."""
    agent = job.start()
    path = job.edit("a.txt", text(*LINES))
    theirs = [f"theirs {at}" if at in (2, 6) else line for at, line in enumerate(LINES, 1)]
    prompt = job.turn(agent)
    assert write(agent, path, text(*theirs))["result"] == {}
    job.finish(agent, prompt)
    job.command("wincmd t | Acp review")
    job.told("2 hunks in 1 file")
    return path


@pytest.mark.parametrize("decision", ["Acp reject", "6,6Acp reject"])
@pytest.mark.parametrize("case", MEANWHILE)
def test_a_hunk_that_moves_meanwhile_is_rejected(job: MainJob, case: str, decision: str) -> None:
    reviewed(job)
    job.command("6")
    job.nvim.lua(AT_ONCE, [decision, MEANWHILE[case]])
    job.told("rejected 1 hunk, ")
    assert ("theirs 2" in job.nvim.lines()) is (case != "no lines above")
    assert not [line for line in job.nvim.lines() if line.startswith("theirs 6")]


def test_a_hunk_that_moves_meanwhile_is_kept(job: MainJob) -> None:
    reviewed(job)
    job.command("6")
    job.nvim.lua(AT_ONCE, ["Acp keep", MEANWHILE["lines above"]])
    job.told("kept 1 hunk, 1 left")
    assert [it[2] for it in hunks(job)] == [6]


def test_lines_that_are_gone_meanwhile_decide_on_no_others(job: MainJob) -> None:
    reviewed(job)
    job.command("6")
    job.nvim.lua(AT_ONCE, ["Acp reject", "6delete", "2move 6"])
    job.told("these lines have changed meanwhile: look again")
    assert "theirs 2" in job.nvim.lines()


def test_the_place_of_a_conflict_that_moves_meanwhile(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", text(*LINES))
    prompt = job.turn(agent)
    job.command("wincmd t | 6s/$/ mine")
    write(agent, path, text(*LINES).replace("line 6", "theirs 6"))
    job.until(lambda: conflicts(job))
    job.finish(agent, prompt)
    job.command("6")
    job.nvim.lua(AT_ONCE, ["Acp keep", "call append(0, ['x', 'y', 'z', 'u'])"])
    job.until(lambda: not conflicts(job))
    assert job.nvim.lines()[9] == "theirs 6"
