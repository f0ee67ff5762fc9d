"""A host that dies: its chats are listed, the next command names them, and they go on in place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.files.kept import kept
from tests.support.main_job import MainJob

pytestmark = pytest.mark.usefixtures("cold")

LOADS = {"agentCapabilities": {"loadSession": True, "sessionCapabilities": {"list": {}}}}
NAME = "sess 1/ü"


def talked(job: MainJob, **initialize: Any) -> StdioAgent:
    """Start a session and say something in it that is kept."""
    agent = job.start(**initialize)
    prompt = job.turn(agent, "remember the milk")
    agent.say("I will")
    job.finish(agent, prompt)
    folder = Path(job.nvim.eval("stdpath('state')"), "acp.nvim", "sessions")
    job.until(lambda: '"I will"' in kept(folder, "*.jsonl"))
    return agent


def died(job: MainJob) -> dict[str, Any]:
    """Kill the host; return its session as it was."""
    before = job.session()
    job.kill(job.host())
    job.told("the host ended")
    return before


def sessions(job: MainJob) -> list[dict[str, Any]]:
    """Return the sessions of the snapshot."""
    return list(job.inspect()["sessions"])


def enter(job: MainJob, session: dict[str, Any]) -> None:
    """Go to the chat of a session."""
    job.command(f"sbuffer {session['bufnr']}")


def test_without_a_host_the_chats_that_stayed_are_listed(job: MainJob) -> None:
    talked(job)
    before = died(job)
    [stayed] = sessions(job)
    assert job.inspect()["host"]["running"] is False
    same = ("id", "agent", "cwd", "bufnr", "prompt_bufnr", "turn")
    assert {key: stayed[key] for key in same} == {key: before[key] for key in same}
    assert stayed["state"] == "closed" and stayed["entries"] == []
    job.command(f"bwipeout! {before['bufnr']}")
    assert sessions(job) == []


def test_the_next_command_names_them_and_the_snapshot_has_what_was_said(job: MainJob) -> None:
    talked(job)
    before = died(job)
    lines = job.nvim.lines(before["bufnr"])
    job.command("Acp log")
    job.told("1 session ended with the host", ":Acp restart")
    assert "remember the milk" in job.nvim.messages()
    [stayed] = sessions(job)
    assert (stayed["state"], stayed["bufnr"], stayed["id"]) == ("closed", before["bufnr"], NAME)
    said = ["remember the milk", "I will", "── done · 0:00"]
    assert [it["text"] for it in stayed["entries"]] == said
    assert job.nvim.lines(before["bufnr"]) == lines
    job.command("Acp log")
    job.inspect()
    assert job.nvim.messages().count("ended with the host") == 1


@pytest.mark.parametrize("command", ["Acp restart", "Acp restart scripted"])
def test_restart_goes_on_with_them_in_place(job: MainJob, command: str) -> None:
    talked(job)
    before = died(job)
    job.command(command)
    agent = job.stage.accept()
    agent.initialize(**LOADS)
    request = agent.expect("session/load")
    assert request["params"]["sessionId"] == NAME
    text = {"type": "text", "text": "remember the milk"}
    agent.update("user_message_chunk", content=text)
    agent.say("I will")
    agent.reply(request, {})
    job.until(lambda: job.session()["state"] == "idle")
    [session] = sessions(job)
    assert (session["id"], session["bufnr"]) == (NAME, before["bufnr"])
    assert job.chat().count("I will") == 1
    prompt = job.turn(agent, "and the bread")
    agent.say("That too")
    job.finish(agent, prompt)
    assert "That too" in job.chat()


def test_a_new_session_stands_beside_them_and_they_can_still_go_on(job: MainJob) -> None:
    talked(job)
    before = died(job)
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize(**LOADS)
    agent.open("new")
    job.until(lambda: job.session().get("state") == "idle")
    assert [(it["id"], it["state"]) for it in sessions(job)] == [(NAME, "closed"), ("new", "idle")]
    enter(job, before)
    job.command("Acp restart")
    request = agent.expect("session/load")
    assert request["params"]["sessionId"] == NAME
    agent.reply(request, {})
    job.until(lambda: [it["state"] for it in sessions(job)] == ["idle", "idle"])
    assert "I will" in job.nvim.lines(before["bufnr"])


def test_they_are_among_the_sessions_and_go_on_in_their_chat(job: MainJob) -> None:
    job.nvim.lua("require('acp').setup({ ui = { sessions = 'pick' } })")
    job.nvim.lua("vim.ui.select = function(items, _, done) _G.rows = items done(items[1], 1) end")
    talked(job)
    before = died(job)
    job.command("Acp sessions")
    agent = job.stage.accept()
    agent.initialize(agentCapabilities={"sessionCapabilities": {"resume": {}}})
    request = agent.expect("session/resume")
    assert request["params"]["sessionId"] == NAME
    agent.reply(request, {})
    job.until(lambda: job.session()["state"] == "idle")
    assert [it["bufnr"] for it in sessions(job)] == [before["bufnr"]]
    assert len(job.nvim.lua("return _G.rows")) == 1
    assert "I will" in job.chat()


def test_what_nobody_can_go_on_with_stays_to_be_read(job: MainJob) -> None:
    job.command("AcpStart scripted")
    job.stage.accept().expect("initialize")
    died(job)
    assert [it["state"] for it in sessions(job)] == ["closed"]
    job.start()
    assert [it["state"] for it in sessions(job)] == ["closed", "idle"]
    assert "ended with the host" not in job.nvim.messages()


def test_every_death_is_survived(job: MainJob) -> None:
    talked(job)
    for _ in range(2):
        before = died(job)
        job.nvim.command("messages clear")
        job.command("Acp restart scripted")
        agent = job.stage.accept()
        agent.initialize(agentCapabilities={"sessionCapabilities": {"resume": {}}})
        agent.reply(agent.expect("session/resume"), {})
        job.until(lambda: job.session()["state"] == "idle")
        assert [it["bufnr"] for it in sessions(job)] == [before["bufnr"]]
        assert job.chat().count("I will") == 1


def test_keys_in_a_chat_of_an_earlier_host_harm_nothing(job: MainJob) -> None:
    talked(job)
    before = died(job)
    job.command("Acp log")
    job.told("ended with the host")
    lines = job.nvim.lines(before["bufnr"])
    enter(job, before)
    for keys in ("za", "zR", "zM", "gf", "K", "ya", "<CR>", "]]", "<C-c>", "gx"):
        job.nvim.input(f"gg{keys}")
        job.inspect()
        job.usable()
    assert job.nvim.lines(before["bufnr"]) == lines
    assert "rror" not in job.nvim.messages()
