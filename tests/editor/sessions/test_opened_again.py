"""Sessions that are to be opened, for the first time or again: what is said to them waits."""

from __future__ import annotations

import pytest

from tests.editor.faults.test_two_neovims import beside
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LOADS = {"agentCapabilities": {"loadSession": True}}


def said(agent: StdioAgent) -> str:
    prompt = agent.prompted()
    agent.end(prompt)
    return str(prompt["params"]["prompt"][0]["text"])


def at_once(job: MainJob, *commands: str) -> None:
    """Run the commands with nothing in between, not even a frame."""
    job.nvim.lua("vim.iter(...):each(vim.cmd)", list(commands))


def ended(job: MainJob) -> None:
    """Let the agent end, and everybody know."""
    agent = job.start(**LOADS)
    job.kill(agent.pid)
    job.until(lambda: job.nvim.lua("return require('acp').status().state") == "closed")


def opened(job: MainJob) -> StdioAgent:
    agent = job.stage.accept()
    agent.initialize(**LOADS)
    agent.reply(agent.expect("session/load"), {})
    return agent


@pytest.mark.parametrize("command", ["Acp restart", "Acp restart scripted"])
@pytest.mark.parametrize("where", ["in the chat", "in the code"])
def test_a_prompt_behind_a_restart_waits(job: MainJob, command: str, where: str) -> None:
    ended(job)
    if where == "in the code":
        job.edit("a.txt", "one\n")
    at_once(job, command, "AcpPrompt waits")
    assert said(opened(job)) == "waits"
    assert len(job.inspect()["sessions"]) == 1, "no other session was begun"


def test_a_prompt_behind_a_restart_of_what_runs_waits(job: MainJob) -> None:
    agent = job.start(**LOADS)
    at_once(job, "Acp restart", "AcpPrompt waits")
    job.gone(agent.pid)
    assert said(opened(job)) == "waits"


def test_two_restarts_at_once_are_one(job: MainJob) -> None:
    agent = job.start(**LOADS)
    at_once(job, "Acp restart", "Acp restart", "AcpPrompt waits")
    job.gone(agent.pid)
    assert said(opened(job)) == "waits"
    alive = [it for it in job.inspect()["connections"] if it["state"] == "ready"]
    assert len(alive) == 1


def test_a_chat_whose_agent_was_started_for_another_one_is_restarted(job: MainJob) -> None:
    ended(job)
    number = job.session()["bufnr"]
    job.command("AcpStart scripted")
    beside = job.stage.accept()
    beside.initialize(**LOADS)
    beside.open("beside")
    job.until(lambda: [it["state"] for it in job.inspect()["sessions"]] == ["closed", "idle"])
    job.command(f"sbuffer {number}")
    at_once(job, "Acp restart", "AcpPrompt waits")
    assert said(opened(job)) == "waits"
    beside.quiet()


def test_a_stop_behind_a_restart_ends_it(job: MainJob) -> None:
    agent = job.start(**LOADS)
    at_once(job, "Acp restart", "Acp stop")
    job.gone(agent.pid)
    job.until(lambda: job.session()["state"] == "closed")
    assert job.inspect()["connections"][-1]["state"] == "closed"


def test_what_the_host_refuses_stands_in_the_prompt_again(job: MainJob) -> None:
    agent = job.start()
    job.nvim.lua("require('acp.ui.apply').frame = function() return {} end")  # nothing is drawn
    job.kill(agent.pid)
    job.until(lambda: job.session()["state"] == "closed")
    job.nvim.input("ifor you<Esc><CR>")
    job.told("this session is closed")
    assert job.nvim.eval("getline(1, '$')") == ["for you"]


def waiting(job: MainJob) -> StdioAgent:
    """Send two prompts, of two lines and by Lua, before there is a session; write a third one."""
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize()
    job.nvim.input("ifirst<CR>of all<Esc><CR>")
    job.command("AcpPrompt second")
    job.nvim.input("ithird<Esc>")
    job.until(lambda: drafts(job) == ["first\nof all\nsecond\nthird\n"])
    return agent


def drafts(job: MainJob) -> list[str]:
    folder = job.nvim.folder / "state" / "nvim" / "acp.nvim" / "drafts"
    return [it.read_text() for it in folder.glob("*.md")]


def test_a_prompt_before_the_first_opening_survives_neovim(job: MainJob) -> None:
    waiting(job)
    job.nvim.kill()
    with beside(job) as other:
        other.command("AcpStart scripted")
        assert other.lines() == ["first", "of all", "second", "third"]


def test_a_prompt_before_the_first_opening_survives_the_host(job: MainJob) -> None:
    waiting(job)
    job.kill(job.host())
    job.told("the host ended")
    assert job.nvim.lines() == ["first", "of all", "second", "third"]


def test_what_waits_is_kept_only_until_it_is_open(job: MainJob) -> None:
    agent = waiting(job)
    agent.open()
    assert said(agent) == "first\nof all"
    job.until(lambda: drafts(job) == ["third\n"])


def test_what_the_user_takes_back_is_kept_no_more(job: MainJob) -> None:
    waiting(job)
    job.command("Acp cancel")
    job.until(lambda: job.session()["state"] == "closed")
    job.command("Acp queue")
    job.until(lambda: "second" in "".join(job.nvim.lines()))
    job.nvim.input("dddd")
    job.until(lambda: drafts(job) == ["third\n"])
