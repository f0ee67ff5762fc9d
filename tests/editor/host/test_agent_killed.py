"""An agent that is killed, wherever it is: one sentence, nothing lost, and it goes on again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LOADS = {"agentCapabilities": {"loadSession": True}}
PROMPT, WAITING = "dig a hole", "and fill it"
DISK, TYPED = ["one", "two"], "what the user has typed"

Phase: TypeAlias = Callable[[MainJob], StdioAgent]


def initializing(job: MainJob) -> StdioAgent:
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.expect("initialize")
    return agent


def opening(job: MainJob) -> StdioAgent:
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize(**LOADS)
    agent.expect("session/new")
    return agent


def idle(job: MainJob) -> StdioAgent:
    agent = job.start(**LOADS)
    prompt = job.turn(agent, PROMPT)
    agent.say("it is dug")
    job.finish(agent, prompt)
    return agent


def prompted(job: MainJob) -> StdioAgent:
    agent = job.start(**LOADS)
    job.turn(agent, PROMPT)
    return agent


def streaming(job: MainJob) -> StdioAgent:
    agent = prompted(job)
    agent.say("half a sent")
    job.until(lambda: "half a sent" in job.chat())
    return agent


def asking(job: MainJob) -> StdioAgent:
    agent = prompted(job)
    agent.request_permission("may I")
    job.until(job.asks)
    return agent


def cancelling(job: MainJob) -> StdioAgent:
    agent = prompted(job)
    job.command("Acp cancel")
    agent.expect("session/cancel")
    return agent


def writing(job: MainJob) -> StdioAgent:
    """The user is in the middle of a command, for whose end the agent's write waits."""
    agent = prompted(job)
    path = str(job.work / "a.txt")
    job.command("wincmd t")
    job.nvim.input("V")
    job.nvim.lua(
        "local live = require('acp.files.live') local write = live.write "
        "live.write = function(...) local told = write(...) "
        "_G.refused = _G.refused or told.busy ~= nil return told end"
    )
    params = {"sessionId": "sess 1/ü", "path": path, "content": "ONE\ntwo\n"}
    agent.request("fs/write_text_file", params, "w")
    job.until(lambda: job.nvim.lua("return _G.refused"))
    return agent


def reading(job: MainJob) -> StdioAgent:
    agent = prompted(job)
    params = {"sessionId": "sess 1/ü", "path": str(job.work / "a.txt")}
    agent.request("fs/read_text_file", params, "r")
    return agent


def in_terminal(job: MainJob) -> StdioAgent:
    agent = prompted(job)
    agent.ask("terminal/create", command="sleep", args=["1000"])
    job.until(lambda: job.inspect()["terminals"][0]["running"])
    return agent


def loading(job: MainJob) -> StdioAgent:
    """It has died before, and replays the session now."""
    job.kill(idle(job).pid)
    job.until(lambda: job.session()["state"] == "closed")
    job.command("Acp restart")
    agent = job.stage.accept()
    agent.initialize(**LOADS)
    agent.expect("session/load")
    agent.say("half a replay")
    job.until(lambda: "half a replay" in job.chat())
    return agent


PHASES: Mapping[str, Phase] = {
    it.__name__: it
    for it in (
        *(initializing, opening, idle, prompted, streaming, asking, cancelling, writing, reading),
        *(in_terminal, loading),
    )
}
CUT_OFF = ("prompted", "streaming", "asking", "writing", "reading", "in_terminal")
"""Those in which a prompt may have run."""


def sentences(job: MainJob) -> list[str]:
    """Return the notices, without the rows below turns."""
    notices = [it["text"] for it in job.session()["entries"] if it["kind"] == "notice"]
    return [it for it in notices if not it.startswith("── ")]


def said(job: MainJob) -> list[str]:
    return [it["text"] for it in job.session()["entries"] if it["kind"] in ("user", "agent")]


def killed(job: MainJob, phase: str) -> None:
    """Kill the agent in that phase, with unsaved text of the user's on the screen."""
    buffer = job.edit("a.txt", "".join(f"{line}\n" for line in DISK))
    job.nvim.api.nvim_buf_set_lines(0, -1, -1, True, [TYPED])
    agent = PHASES[phase](job)
    before = set(said(job)) - {"half a replay"}
    job.kill(agent.pid)
    job.until(lambda: job.session()["state"] == "closed")
    job.gone(agent.pid)
    job.nvim.input("<Esc>")
    job.usable()
    assert len(sentences(job)) == (2 if phase == "loading" else 1), sentences(job)
    for word in ("scripted ended", "SIGKILL", ":Acp restart scripted", ":Acp log scripted"):
        assert word in sentences(job)[-1]
    assert before <= set(said(job))
    assert job.asks() == []
    assert not any(it["running"] for it in job.inspect()["terminals"])
    assert job.nvim.lines(job.nvim.eval(f"bufnr('{buffer}')")) == [*DISK, TYPED]
    assert buffer.read_text().splitlines() == DISK


@pytest.mark.parametrize("phase", PHASES)
def test_it_goes_on_after_a_restart(job: MainJob, phase: str) -> None:
    killed(job, phase)
    before = said(job)
    job.command("Acp restart scripted")
    again = job.stage.accept()
    again.initialize(**LOADS)
    if phase in ("initializing", "opening"):
        again.open()
    else:
        again.reply(again.expect("session/load"), {})  # and replays nothing
    job.until(lambda: job.session()["state"] == "idle")
    assert said(job) == before
    asked = job.until(job.asks) if phase in CUT_OFF else job.asks()
    assert [it["title"] for it in asked] == [
        "scripted ended while this prompt ran. Send it again?"
    ] * (phase in CUT_OFF)
    again.quiet()
    prompt = job.turn(again, "go on")
    assert prompt["params"]["prompt"][0]["text"] == "go on"
    again.say("I go on")
    job.finish(again, prompt)
    assert job.asks() == []  # the user has gone on with something else
    assert said(job)[-2:] == ["go on", "I go on"]
    job.command("Acp stop")
    job.gone(again.pid)


@pytest.mark.parametrize(("option", "is_sent"), [("again", True), ("leave", False)])
def test_a_prompt_that_may_have_run_is_sent_by_the_user(
    job: MainJob, option: str, *, is_sent: bool
) -> None:
    killed(job, "streaming")
    job.command("Acp restart scripted")
    again = job.stage.accept()
    again.initialize(**LOADS)
    again.reply(again.expect("session/load"), {})
    ask = job.until(job.asks)[0]
    assert PROMPT in "\n".join(job.nvim.lines(ask["bufnr"]))
    job.nvim.lua("require('acp').respond(...)", ask["id"], option)
    job.until(lambda: not job.asks())
    if is_sent:
        assert again.prompted()["params"]["prompt"][0]["text"] == PROMPT
    again.quiet()


def again_with_a_queue(job: MainJob, *, waiting: bool = True) -> StdioAgent:
    """Restart an agent that died in a turn; what was said after it waits for the user's answer."""
    agent = prompted(job)
    if waiting:
        job.command(f"AcpPrompt {WAITING}")
    job.kill(agent.pid)
    job.until(lambda: job.session()["state"] == "closed")
    job.command("Acp restart")
    if not waiting:
        job.command(f"AcpPrompt {WAITING}")
    again = job.stage.accept()
    again.initialize(**LOADS)
    again.reply(again.expect("session/load"), {})
    job.until(job.asks)
    job.until(lambda: [it["text"] for it in job.session()["queue"]] == [WAITING])
    again.quiet()
    return again


@pytest.mark.parametrize("waiting", [True, False], ids=["before", "while it is opened"])
@pytest.mark.parametrize(("option", "first"), [("again", [PROMPT]), ("leave", [])])
def test_what_waits_is_sent_after_the_answer(
    job: MainJob, option: str, first: list[str], *, waiting: bool
) -> None:
    again = again_with_a_queue(job, waiting=waiting)
    job.nvim.lua("require('acp').respond(...)", job.asks()[0]["id"], option)
    for text in (*first, WAITING):
        prompt = again.prompted()
        assert prompt["params"]["prompt"][0]["text"] == text
        again.end(prompt)
    job.until(lambda: job.session()["state"] == "idle" and not job.session()["queue"])
    assert job.asks() == []


def test_what_waits_is_sent_when_the_user_says_so(job: MainJob) -> None:
    again = again_with_a_queue(job)
    job.command("AcpPrompt go on")
    for text in (WAITING, "go on"):
        prompt = again.prompted()
        assert prompt["params"]["prompt"][0]["text"] == text
        assert job.asks() == []
        again.end(prompt)
    job.until(lambda: job.session()["state"] == "idle")


def test_an_agent_that_opens_nothing_again_is_told_what_was_said(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent, "remember the milk")
    agent.say("I will remember the milk")
    job.finish(agent, prompt)
    job.kill(agent.pid)
    job.until(lambda: job.session()["state"] == "closed")
    job.command("Acp restart")
    again = job.stage.accept()
    again.initialize(agentCapabilities={"promptCapabilities": {"embeddedContext": True}})
    again.open("another")
    job.until(lambda: job.session()["state"] == "idle")
    assert (
        "cannot load sessions: this one starts anew, and the conversation is sent with your next "
        "prompt" in sentences(job)[-1]
    )
    assert said(job) == ["remember the milk", "I will remember the milk"]
    first, talk = job.turn(again, "what was it?")["params"]["prompt"]
    assert first == {"type": "text", "text": "what was it?"}
    assert talk["resource"]["uri"] == "acp:talk.md"
    assert talk["resource"]["text"].startswith("<!-- You do not know this conversation")
    assert "## Agent\n\nI will remember the milk" in talk["resource"]["text"]
    assert "what was it?" not in talk["resource"]["text"]


def test_a_session_that_is_gone_when_it_is_prompted_is_opened_again(job: MainJob) -> None:
    agent = job.start(**LOADS)
    agent.refuse(job.turn(agent, PROMPT), -32603, "Session not found: sess")
    agent.refuse(agent.expect("session/load"), -32603, "Session not found: sess")
    agent.open("another")
    ask = job.until(job.asks)[0]
    assert any("did not take this prompt" in it for it in sentences(job))
    agent.quiet()
    job.nvim.lua("require('acp').respond(...)", ask["id"], "again")
    blocks = agent.prompted()["params"]["prompt"]
    assert blocks[0]["text"] == PROMPT
    assert job.session()["id"] == "another"
