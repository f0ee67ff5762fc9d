"""A host, or Neovim, is killed in the middle of `:Acp rewind`: it is done again, whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.editor.faults.test_two_neovims import beside
from tests.editor.review.test_rewind import AGREE, turn
from tests.support import dying
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

LOADS = {"agentCapabilities": {"loadSession": True}}
SESSIONS = "return require('acp').inspect().sessions"
SAID = [("first", "I write ONE"), ("second", "I write EINS"), ("third", "I write UN")]


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[MainJob]:
    """Yield a job whose host can be made to die, with three turns that have changed a file."""
    monkeypatch.setenv(dying.VARIABLE, str(tmp_path / "death"))
    with MainJob() as started:
        started.nvim.lua(AGREE)
        agent = started.start(**LOADS)
        started.edit("code.py", "one\ntwo\n")
        for prompt, said in SAID:
            turn(started, agent, prompt, said.split()[-1])
        yield started


def line(job: MainJob) -> str:
    """Return what the agent has made of the file's first line."""
    return (job.work / "code.py").read_text().partition("\n")[0]


def sessions(nvim: Neovim) -> list[dict[str, Any]]:
    return list(nvim.lua(SESSIONS))


def loaded(job: MainJob, nvim: Neovim) -> StdioAgent:
    """Start the agent anew, which tells what was said; one that was never opened begins anew."""
    agent = job.stage.accept()
    agent.initialize(**LOADS)
    while (request := agent.next())["method"] == "session/new":
        agent.reply(request, {"sessionId": "empty"})
    assert (request["method"], request["params"]["sessionId"]) == ("session/load", "sess 1/ü")
    for prompt, said in SAID:
        agent.update("user_message_chunk", content={"type": "text", "text": prompt})
        agent.say(said)
    agent.reply(request, {})
    nvim.wait(lambda: ("sess 1/ü", "idle", 3) in [states(it) for it in sessions(nvim)])
    return agent


def states(session: dict[str, Any]) -> tuple[str, str, int]:
    return session.get("id", ""), session["state"], session["turn"]


def rewinds(job: MainJob, nvim: Neovim, agent: StdioAgent) -> None:
    """Do it again, and take it back: all is as if nothing had happened."""
    nvim.command("messages clear | Acp rewind 2")
    agent.open("again")
    nvim.wait(lambda: nvim.lines(sessions(nvim)[-1]["prompt_bufnr"]) == ["second"])
    assert line(job) == "ONE"
    nvim.command("Acp redo")
    nvim.wait(lambda: "rewind undone" in nvim.messages())
    while line(job) != "UN":  # what was taken back before the death is an undo of its own
        nvim.command("messages clear | Acp redo")
        nvim.wait(lambda: "is back in" in nvim.messages())


@pytest.mark.parametrize("moment", ["turned", "rewound", "begun"])
def test_the_host_dies(job: MainJob, moment: str) -> None:
    old = job.session()
    dying.after(moment)
    job.command("Acp rewind 2")
    job.told("the host ended")
    assert dying.is_over() and line(job) == ("EINS" if moment == "turned" else "ONE")
    job.command(f"sbuffer {old['bufnr']}")
    job.command("Acp restart")
    rewinds(job, job.nvim, loaded(job, job.nvim))
    job.usable()


def test_neovim_dies(job: MainJob) -> None:
    host = job.host()
    dying.after("turned", neovim=True)
    job.nvim.rpc.notify("nvim_command", "Acp rewind 2")
    job.nvim.exit_code()
    job.gone(host)
    with beside(job) as nvim:
        nvim.lua(AGREE)
        nvim.lua("require('acp').setup({ ui = { sessions = 'pick' } })")
        nvim.command("edit code.py | Acp sessions")
        rewinds(job, nvim, loaded(job, nvim))
