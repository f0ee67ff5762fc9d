"""`:Acp forget`: what was kept is gone from the disk, and what is said is kept no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.files.kept import read
from tests.support.main_job import MainJob

PICK = "local n = ... vim.ui.select = function(items, _, done) done(items[n], n) end"
WORD = "platypus"


def texts(job: MainJob) -> str:
    """Return all that is kept."""
    state = Path(job.nvim.eval("stdpath('state')"), "acp.nvim")
    files = [it for it in state.rglob("*") if it.is_file() and it.parent.name != "turns"]
    return "\n".join(map(read, files))


def talk(job: MainJob, agent: StdioAgent) -> None:
    """Play a turn that leaves a trace in everything that is kept."""
    prompt = job.turn(agent, WORD)
    path = job.work / "a.txt"
    agent.ask("fs/write_text_file", path=str(path), content=f"{WORD}\n")
    agent.say(WORD)
    job.finish(agent, prompt)


@pytest.mark.parametrize("what", ["", "session", "all"])
def test_nothing_is_left(job: MainJob, what: str) -> None:
    agent = job.start()
    talk(job, agent)
    job.nvim.input(f"iunsent {WORD}<Esc>")
    job.until(lambda: texts(job).count(WORD) >= 4)
    job.nvim.lua(PICK, 2)
    job.command(f"Acp forget {what}")
    job.told("is gone")
    leave = "vim.api.nvim_exec_autocmds('BufLeave', { buffer = ... })"
    job.nvim.lua(leave, job.session()["prompt_bufnr"])  # saves the draft, as a timer does
    job.until(lambda: WORD not in texts(job))
    assert job.inspect()["edits"] == []
    assert (job.work / "a.txt").read_text() == f"{WORD}\n"
    # the session goes on, and is kept no more
    prompt = job.turn(agent, WORD)
    agent.say(WORD)
    job.finish(agent, prompt)
    job.command("Acp stop")
    job.until(lambda: job.session()["state"] == "closed")
    state = Path(job.nvim.eval("stdpath('state')"), "acp.nvim")
    assert list(state.glob("sessions/*")) == []


def test_nothing_is_forgotten_without_a_yes_or_in_a_turn(job: MainJob) -> None:
    agent = job.start()
    talk(job, agent)
    job.until(lambda: texts(job).count(WORD) >= 3)
    job.nvim.lua(PICK, 1)
    job.command("Acp forget all")
    job.turn(agent, "go on")
    job.nvim.lua(PICK, 2)
    job.command("Acp forget")
    job.told("not while a turn runs")
    assert texts(job).count(WORD) >= 3


def test_the_health_check_says_how_much_is_kept(job: MainJob) -> None:
    agent = job.start()
    talk(job, agent)
    job.until(lambda: texts(job).count(WORD) >= 3)
    job.command("checkhealth acp")
    shown = "\n".join(job.nvim.lines())
    assert "sessions: what was said: 1 files, " in shown
    assert "log: traffic with agents: 1 files, " in shown
