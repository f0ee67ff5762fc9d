"""`require('acp')` with the real host: what a user's script may rely on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.main_job import MainJob

BLOCKS = [
    {"type": "text", "text": "look"},
    {"type": "resource_link", "uri": "file:///tmp/a", "name": "a"},
]
ON_DONE = "{ on_done = function(err, result) _G.done = { err or vim.NIL, result or vim.NIL } end }"


def done(job: MainJob, call: str, *args: Any) -> list[Any]:
    """Run a call of the API with `on_done`, and wait for what that gets: error and result."""
    job.nvim.lua(f"_G.done = nil ; require('acp').{call.replace('DONE', ON_DONE)}", *args)
    return list(job.until(lambda: job.nvim.lua("return _G.done")))


def status(job: MainJob) -> dict[str, Any]:
    return dict(job.nvim.lua("return require('acp').status()"))


def test_start_tells_when_the_session_is_open(job: MainJob) -> None:
    job.nvim.lua(f"_G.done = nil ; require('acp').start('scripted', {ON_DONE})")
    agent = job.stage.accept()
    agent.initialize()
    assert job.nvim.lua("return _G.done") is None
    agent.open("s1")
    job.until(lambda: job.nvim.lua("return _G.done"))
    assert job.nvim.lua("return _G.done") == [None, {"agent": "scripted", "session": "s1"}]
    job.until(lambda: "session" in status(job))
    assert done(job, "start('scripted', DONE)") == [None, {"agent": "scripted", "session": "s1"}]


def test_start_of_an_unknown_agent_tells_why(job: MainJob) -> None:
    err, result = done(job, "start('nobody', DONE)")
    assert "no agent is called 'nobody'" in err
    assert result is None


def test_a_prompt_of_blocks(job: MainJob) -> None:
    agent = job.start()
    assert done(job, "prompt(..., DONE)", BLOCKS)[0] is None
    assert agent.prompted()["params"]["prompt"] == BLOCKS


@pytest.mark.parametrize("blocks", [[{"type": "video"}], [{"type": "image"}], [{}]])
def test_a_block_that_is_none_is_told(job: MainJob, blocks: list[dict[str, Any]]) -> None:
    agent = job.start()
    err, _ = done(job, "prompt(..., DONE)", blocks)
    assert ":help acp-lua-prompt" in err
    agent.quiet()
    job.told("a content block")


def test_a_prompt_without_a_session_waits_for_the_default_agent(job: MainJob) -> None:
    job.command("AcpPrompt fix  the | bug")
    agent = job.stage.accept()
    job.until(lambda: job.session().get("queue") == [{"text": "fix  the | bug"}])
    agent.initialize()
    agent.open()
    text = {"type": "text", "text": "fix  the | bug"}
    assert agent.prompted()["params"]["prompt"] == [text]


def test_the_status_is_that_of_the_session(job: MainJob) -> None:
    assert status(job) == {}
    agent = job.start()
    prompt = job.turn(agent)
    agent.update("usage_update", used=10, size=200)
    agent.request_permission("p")
    job.until(lambda: status(job).get("pending") == 1)
    shown = status(job)
    assert [shown[key] for key in ("agent", "state", "used", "size")] == [
        "scripted",
        "running",
        10,
        200,
    ]
    assert job.nvim.lua("return require('acp').statusline()") == "scripted running 1 waiting 5%%"
    job.until(job.asks)  # it is on the screen: the status may come a frame before
    job.command("Acp permit 1")
    agent.answer_to("p")
    job.finish(agent, prompt)
    job.until(lambda: status(job)["state"] == "idle")


def test_a_question_is_answered_once(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    agent.request_permission("p")
    ask = job.until(job.asks)[0]
    for option in (ask["options"][0]["id"], ask["options"][-1]["id"]):
        job.nvim.lua("require('acp').respond(...)", ask["id"], option)
    outcome = agent.answer_to("p")["result"]["outcome"]
    assert outcome == {"outcome": "selected", "optionId": ask["options"][0]["id"]}
    job.nvim.lua("require('acp').respond('no such question', 'yes')")
    agent.quiet()
    assert job.nvim.messages() == ""


def test_cancel_ends_the_turn(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    job.nvim.lua("require('acp').cancel()")
    agent.expect("session/cancel")
    agent.end(prompt, "cancelled")
    job.until(lambda: job.session().get("stop_reason") == "cancelled")
