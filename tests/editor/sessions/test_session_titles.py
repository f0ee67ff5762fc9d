"""`:Acp rename` and `:Acp sessions archive`, against agents that offer it and that do not."""

from __future__ import annotations

from typing import Any

from tests.editor.sessions.test_sessions import PICKER, choose, kept, listed, picked, talk
from tests.support.main_job import MainJob


def offers(**session: Any) -> dict[str, Any]:
    return {"agentCapabilities": {"loadSession": True, "sessionCapabilities": session}}


def title(job: MainJob) -> Any:
    return job.inspect()["sessions"][0].get("title")


def test_a_session_gets_the_title_that_the_agent_keeps(job: MainJob) -> None:
    agent = job.start(**offers(title={}))
    job.command("Acp rename  Fix the  bug ")
    request = agent.expect("session/set_title")
    assert request["params"]["title"] == "Fix the bug"
    agent.reply(request, {"title": "Fix the bug!"})
    job.until(lambda: title(job) == "Fix the bug!")
    job.command("Acp rename")
    job.told("a title is missing")


def test_a_title_that_the_agent_does_not_keep_is_ours(job: MainJob) -> None:
    job.start()
    job.command("Acp rename Mine")
    job.told("only acp.nvim knows this title")
    assert title(job) == "Mine"


def test_a_session_is_archived(job: MainJob) -> None:
    job.nvim.lua(PICKER)
    agent = job.start(**offers(archive={}, list={}))
    talk(job, agent)
    job.until(lambda: kept(job))
    job.command("Acp sessions archive")
    listed(agent)
    assert picked(job)[1] == "Archive a session"
    choose(job, 1)
    request = agent.expect("session/archive")
    assert request["params"] == {"sessionId": "sess 1/ü"}
    agent.reply(request, {})
    job.until(lambda: job.inspect()["sessions"][0]["state"] == "closed")
    job.until(lambda: not kept(job))
    job.told("keeps this session: :Acp sessions unarchive")
    job.command("AcpStart scripted")
    agent.open("sess 2")
    job.command("Acp sessions unarchive")
    asked = agent.expect("session/list")
    assert asked["params"]["archived"] == "only"
    agent.reply(asked, {"sessions": [{"sessionId": "sess 1/ü", "cwd": str(job.work)}]})
    assert picked(job, 2)[1] == "List an archived session again"
    choose(job, 1, 2)
    request = agent.expect("session/unarchive")
    assert request["params"] == {"sessionId": "sess 1/ü"}
    agent.reply(request, {})
    job.told("listed again")


def test_no_agent_has_an_archived_one(job: MainJob) -> None:
    agent = job.start(**offers(list={}))
    job.command("Acp sessions unarchive")
    job.told("no agent that runs here has an archived session")
    agent.quiet()
