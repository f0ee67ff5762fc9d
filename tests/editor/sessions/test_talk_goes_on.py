"""`:Acp new!`: what was said with one agent goes on with another."""

from __future__ import annotations

from typing import Any

import pytest

from tests.editor.review.test_rewind import turn
from tests.support.agents.stdio_agent import AgentStage
from tests.support.main_job import MainJob


@pytest.fixture
def other(job: MainJob) -> Any:
    """Yield the stage of a second agent, "other"."""
    folder = job.folder / "other"
    folder.mkdir()
    stage = AgentStage(folder)
    job.nvim.lua("local acp = vim.g.acp acp.agents.other = ... vim.g.acp = acp", stage.options())
    yield stage
    stage.close()


def talk(job: MainJob) -> list[str]:
    return [it["text"] for it in job.session()["entries"] if it["kind"] in ("user", "agent")]


def test_the_talk_goes_on_with_another_agent(job: MainJob, other: AgentStage) -> None:
    agent = job.start()
    prompt = job.turn(agent, "what is 6 times 7")
    agent.say("It is 42.")
    job.finish(agent, prompt)
    job.command("Acp new! other")
    second = other.accept()
    second.initialize()
    assert second.open("sess 2")["params"]["cwd"] == str(job.work)
    job.until(lambda: job.session()["state"] == "idle" and job.session()["agent"] == "other")
    assert talk(job) == ["what is 6 times 7", "It is 42."]
    assert "conversation with scripted until here" in "\n".join(job.chat())
    job.command("AcpPrompt and twice that")
    asked = second.prompted()
    blocks: list[dict[str, Any]] = asked["params"]["prompt"]
    assert blocks[0] == {"type": "text", "text": "and twice that"}
    assert "It is 42." in str(blocks[1:])
    second.say("84.", session="sess 2")
    second.end(asked)
    job.until(lambda: job.session()["state"] == "idle")
    job.command("AcpPrompt thanks")
    assert len(second.prompted()["params"]["prompt"]) == 1  # it knows by now
    assert [it["agent"] for it in job.inspect()["sessions"]] == ["scripted", "other"]


def test_what_the_first_agent_has_changed_is_undone_in_the_session_of_the_other(
    job: MainJob, other: AgentStage
) -> None:
    agent = job.start()
    path = job.edit("code.py", "one\ntwo\n")
    turn(job, agent, "first", "ONE")
    job.command("Acp new! other")
    second = other.accept()
    second.initialize()
    second.open("sess 2")
    job.until(lambda: job.session()["state"] == "idle" and job.session()["agent"] == "other")
    job.command("Acp undo")
    job.told("undid turn 1 of scripted")
    assert path.read_text() == "one\ntwo\n"


def test_what_an_agent_that_begins_anew_has_changed_is_undone(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("code.py", "one\ntwo\n")
    turn(job, agent, "first", "ONE")
    job.command("Acp restart")
    again = job.stage.accept()
    again.initialize()
    again.open("sess 2")
    job.until(lambda: job.session()["state"] == "idle" and job.session()["id"] == "sess 2")
    job.command("Acp undo")
    job.told("undid turn 1")
    assert path.read_text() == "one\ntwo\n"


def test_amid_a_turn_nothing_is_opened(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    job.nvim.wait("require('acp').status().state == 'running'")  # the agent may know before
    job.command("Acp new!")
    job.told("a turn is running: :Acp cancel ends it")
    assert len(job.inspect()["sessions"]) == 1
