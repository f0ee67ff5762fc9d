"""Calls of sub-agents stand in the call that made them, wherever the talk goes on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.editor.sessions.test_left_open import end, later, sessions
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

AGREE = "vim.ui.select = function(items, _, done) done(items[#items], #items) end"
LOADS = {"agentCapabilities": {"loadSession": True}}


def calls(agent: StdioAgent, word: str, *, session: str = "", status: str = "in_progress") -> None:
    """Make the calls of a turn, whose ids are those of every turn."""
    where = {"session": session} if session else {}
    task = {"toolCallId": "t1", "title": f"Task {word}", "kind": "think", "status": status}
    agent.update("tool_call", **where, **task)
    for number in (2, 3):
        agent.update(
            "tool_call",
            **where,
            toolCallId=f"t{number}",
            title=f"Read {word}{number}.py",
            kind="read",
            status="completed",
            _meta={"claudeCode": {"parentToolUseId": "t1"}},
        )
    agent.update("tool_call_update", **where, toolCallId="t1", status="completed")


def turn(job: MainJob, agent: StdioAgent, word: str) -> None:
    prompt = job.turn(agent, f"do {word}")
    calls(agent, word)
    agent.say("I will")
    job.finish(agent, prompt)


def two_turns(job: MainJob, **initialize: Any) -> StdioAgent:
    agent = job.start(**initialize)
    turn(job, agent, "one")
    turn(job, agent, "two")
    return agent


def shows(nvim: Neovim, *words: str) -> None:
    """Open everything in the chat: the calls of these turns are there, and nothing is wrong."""
    number = sessions(nvim)[-1]["bufnr"]
    each = ([f"Task {it}", f"Read {it}2.py", f"Read {it}3.py"] for it in words)
    rows = [row for rows in each for row in rows]
    nvim.command(f"sbuffer {number}")
    nvim.input("zR")
    nvim.wait(lambda: [it for it in nvim.lines(number) if it.startswith(("Task", "Read"))] == rows)
    assert "cannot be shown" not in "\n".join(nvim.lines(number))
    assert "internal error" not in nvim.messages()


def test_counted_anew_they_stand_in_the_task_of_their_turn(job: MainJob) -> None:
    two_turns(job)
    shows(job.nvim, "one", "two")


def test_rewound(job: MainJob) -> None:
    job.nvim.lua(AGREE)
    agent = two_turns(job)
    job.command("Acp rewind 2")
    agent.open("sess 2")
    job.until(lambda: [it["state"] for it in sessions(job.nvim)] == ["idle", "idle"])
    shows(job.nvim, "one")
    assert "do one" in job.nvim.lines(sessions(job.nvim)[1]["bufnr"])


def test_carried_over_and_gone_on_with(job: MainJob) -> None:
    agent = two_turns(job)
    job.command("Acp new!")
    agent.open("sess 2")
    job.until(lambda: [it["state"] for it in sessions(job.nvim)] == ["idle", "idle"])
    job.command("AcpPrompt do three")
    prompt = agent.prompted()
    calls(agent, "three", session="sess 2")
    job.finish(agent, prompt)
    job.until(lambda: sessions(job.nvim)[1]["state"] == "idle")
    shows(job.nvim, "one", "two", "three")


@pytest.mark.parametrize("how", ["qall", "killed"])
def test_reopened_where_the_agent_cannot_load(job: MainJob, how: str) -> None:
    end(job, two_turns(job), how)
    with later(job, restore=True) as nvim:
        agent = job.stage.accept()
        agent.initialize()
        agent.open("sess 2")
        nvim.wait(lambda: [it["state"] for it in sessions(nvim)] == ["idle"])
        shows(nvim, "one", "two")


def test_loaded(job: MainJob) -> None:
    """The agent replays each call as it has become."""
    end(job, two_turns(job, **LOADS), "qall")
    with later(job, restore=True) as nvim:
        agent = job.stage.accept()
        agent.initialize(**LOADS)
        request = agent.expect("session/load")
        for word in ("one", "two"):
            agent.update("user_message_chunk", content={"type": "text", "text": f"do {word}"})
            calls(agent, word, status="completed")
            agent.say("I will")
        agent.reply(request, {})
        nvim.wait(lambda: [it["state"] for it in sessions(nvim)] == ["idle"])
        shows(nvim, "one", "two")
