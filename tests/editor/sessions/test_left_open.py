"""What was open when Neovim ended: named in the list, and brought back where that is configured."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.files.kept import kept
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

LOADS = {"agentCapabilities": {"loadSession": True}}
SELECT = """
_G.labels = {}
vim.ui.select = function(items, _, done)
  _G.labels = items
  done(nil)
end
"""


@contextmanager
def later(job: MainJob, **options: Any) -> Iterator[Neovim]:
    """Yield another Neovim in the same project."""
    merged = {"agents": {"scripted": job.stage.options()}, "ui": {"sessions": "pick"}} | options
    env = {"XDG_STATE_HOME": str(job.nvim.folder / "state")}
    with Neovim(merged, cwd=job.work, env=env) as nvim:
        nvim.lua(SELECT)
        yield nvim


def talk(job: MainJob) -> StdioAgent:
    agent = job.start(**LOADS)
    prompt = job.turn(agent, "remember the milk")
    agent.say("I will")
    job.finish(agent, prompt)
    return agent


def end(job: MainJob, agent: StdioAgent, how: str) -> None:
    host = job.host()
    folder = job.nvim.folder / "state" / "nvim" / "acp.nvim" / "sessions"
    job.until(lambda: "I will" in kept(folder, "*.jsonl"))
    if how == "qall":
        job.nvim.rpc.notify("nvim_command", "qall!")
        job.nvim.exit_code()
    else:
        job.nvim.kill()
    job.gone(host, agent.pid)


def sessions(nvim: Neovim) -> list[dict[str, Any]]:
    return list(nvim.lua("return require('acp').inspect()")["sessions"])


def load(job: MainJob) -> StdioAgent:
    """Play the agent until the session is loaded, of which it tells nothing."""
    agent = job.stage.accept()
    agent.initialize(**LOADS)
    request = agent.expect("session/load")
    assert request["params"]["sessionId"] == "sess 1/ü"
    agent.reply(request, {})
    return agent


@pytest.mark.parametrize("how", ["qall", "killed"])
def test_it_is_back_without_a_question(job: MainJob, how: str) -> None:
    end(job, talk(job), how)
    with later(job, restore=True) as nvim:
        agent = load(job)
        nvim.wait(lambda: [it["state"] for it in sessions(nvim)] == ["idle"])
        assert "I will" in nvim.lines(sessions(nvim)[0]["bufnr"])
        assert len(nvim.api.nvim_list_wins()) == 1
        assert nvim.eval("bufname()") == "" and nvim.mode()["mode"] == "n"
        nvim.wait(lambda: "1 session is open again" in nvim.messages())
        agent.quiet()
        nvim.command("Acp chat")
        nvim.command("AcpPrompt go on")
        prompt = agent.prompted()
        assert [it["text"] for it in prompt["params"]["prompt"]] == ["go on"]
        with later(job, restore=True) as another:  # it is open, so not left
            another.command("Acp sessions")
            another.wait(lambda: another.lua("return _G.labels[1]"))
            assert "was open" not in another.lua("return _G.labels[1]")
            assert sessions(another) == []
        agent.end(prompt)


def test_who_wants_the_chat_before_it_is_back_gets_it_then(job: MainJob) -> None:
    end(job, talk(job), "killed")
    with later(job, restore=True) as nvim:
        nvim.command("Acp chat")
        load(job)
        types = "vim.tbl_map(function(it) return vim.bo[it].filetype end, vim.fn.tabpagebuflist())"
        nvim.wait(lambda: "acp_chat" in nvim.lua(f"return {types}"))


def test_without_being_wanted_it_is_only_named(job: MainJob) -> None:
    end(job, talk(job), "killed")
    with later(job) as nvim:
        assert nvim.lua("return require('acp').inspect().host.running") is False
        nvim.command("Acp sessions")
        nvim.wait(lambda: nvim.lua("return _G.labels[1]"))
        label = nvim.lua("return _G.labels[1]")
        assert "was open" in label and "remember the milk" in label
        assert sessions(nvim) == []


def test_what_was_closed_stays_closed(job: MainJob) -> None:
    agent = talk(job)
    job.command("Acp stop")
    job.until(lambda: job.session()["state"] == "closed")
    end(job, agent, "qall")
    with later(job, restore=True) as nvim:
        nvim.command("Acp sessions")
        nvim.wait(lambda: nvim.lua("return _G.labels[1]"))
        assert "was open" not in nvim.lua("return _G.labels[1]")
        assert sessions(nvim) == []


def test_one_whose_agent_had_died_is_back_too(job: MainJob) -> None:
    agent = talk(job)
    job.kill(agent.pid)
    job.until(lambda: job.session()["state"] == "closed")
    end(job, agent, "qall")
    with later(job, restore=True) as nvim:
        load(job)
        nvim.wait(lambda: [it["state"] for it in sessions(nvim)] == ["idle"])
