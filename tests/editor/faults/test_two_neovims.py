"""Two Neovims in one project, with one folder of state: neither takes the other for dead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.agents.agent_edits import answer_in
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

STATE = "return require('acp').inspect().sessions[1].state"


@contextmanager
def beside(job: MainJob) -> Iterator[Neovim]:
    """Yield another Neovim in the same project."""
    options = {"default_agent": "scripted", "agents": {"scripted": job.stage.options()}}
    env = {"XDG_STATE_HOME": str(job.nvim.folder / "state")}
    with Neovim(options, cwd=job.work, env=env) as nvim:
        yield nvim


def writing(job: MainJob, nvim: Neovim, path: Path) -> StdioAgent:
    """Let the agent of another Neovim change a file in a turn that goes on."""
    nvim.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize()
    agent.open("beside")
    nvim.wait(lambda: nvim.lua(STATE) == "idle")
    nvim.command("AcpPrompt go")
    agent.prompted()
    params = {"sessionId": "beside", "path": str(path), "content": "theirs\n"}
    agent.request("fs/write_text_file", params, "w")
    assert agent.answer_to("w")["result"] == {}
    return agent


def journals(job: MainJob) -> set[str]:
    folder = job.nvim.folder / "state" / "nvim" / "acp.nvim" / "edits" / "turns"
    return {it.stem for it in folder.glob("*.acts")}


def test_one_is_killed_while_the_other_works(job: MainJob) -> None:
    agent = job.start()
    mine, theirs = job.edit("mine.txt", "one\n"), job.work / "theirs.txt"
    theirs.write_text("one\n")
    prompt = job.turn(agent)
    write = {"path": str(mine), "content": "two\n"}
    assert agent.ask("fs/write_text_file", **write)["result"] == {}
    (of_mine,) = journals(job)
    with beside(job) as other:
        killed = writing(job, other, theirs)
        host = int(other.lua("return require('acp').inspect().host.pid"))
        other.kill()
        job.gone(host, killed.pid)
    assert len(journals(job)) == 2
    with beside(job) as third:
        answer_in(third, to_take=True)
        third.command("Acp review")
        third.wait(lambda: "turn that ran when Neovim ended has changed 1 file" in third.messages())
        third.wait(lambda: of_mine in journals(job) and "theirs.txt" in edits(third))
        third.command("Acp undo")
        third.wait(lambda: theirs.read_text() == "one\n")
        assert mine.read_text() == "two\n"
    write["content"] = "two\nthree\n"
    assert agent.ask("fs/write_text_file", **write)["result"] == {}
    job.finish(agent, prompt)
    job.command("Acp undo")
    job.until(lambda: mine.read_text() == "one\n")


def edits(nvim: Neovim) -> str:
    return str(nvim.lua("return require('acp').inspect().edits"))
