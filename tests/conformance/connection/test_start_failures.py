"""Agents that never get as far as an open session, and what the user reads of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_nvim.session.terminal import ExitStatus
from tests.support.process_stage import ProcessStage
from tests.support.stage import Stage, notices, texts


async def test_an_agent_that_never_answers_can_be_killed() -> None:
    async with Stage() as stage:
        sessions = [stage.launch(), stage.open()]
        await stage.agent.expect("initialize")
        await stage.client.end(kill=True)
        await stage.until(lambda: stage.over)
        assert stage.link.killed
        assert stage.client.state == "closed"
        assert [session.state.status for session in sessions] == ["closed", "closed"]
        assert stage.announced == ["disconnected"]


async def test_an_agent_that_never_answers_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_nvim.client.client.PATIENCE", 0.0)
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.expect("initialize")
        await stage.until(lambda: notices(session))
        assert ":Acp cancel ends it" in notices(session)[0]
        assert session.state.status == "loading"


async def test_it_is_not_told_of_any_more_once_it_has_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("acp_nvim.client.client.PATIENCE", 0.0)
    async with Stage() as stage:
        session = stage.launch()
        request = await stage.agent.expect("initialize")
        await stage.until(lambda: notices(session))
        stage.agent.reply(request, {"protocolVersion": 1})
        await stage.agent.open()
        await stage.until(lambda: session.state.status == "idle")
        assert notices(session) == []


async def test_an_agent_that_is_absent(tmp_path: Path) -> None:
    fields: dict[str, Any] = {"command": "no-such-agent", "env": {"PATH": "/nowhere"}}
    async with ProcessStage(tmp_path, "", install="npm install -g it", **fields) as stage:
        session = await stage.start()
        assert notices(session) == [
            "no-such-agent is not installed. Install it with: npm install -g it"
            " (no 'no-such-agent' in PATH (/nowhere))"
        ]
        assert session.state.status == "closed"
        await stage.until(lambda: stage.over)
        assert stage.client.state == "failed"
        assert stage.announced == ["disconnected"]


async def test_an_agent_that_exits_at_once(tmp_path: Path) -> None:
    bad = "sys.stderr.write('no API key\\n'); sys.exit(41)"
    async with ProcessStage(tmp_path, bad) as stage:
        session = stage.launch()
        another = stage.open()
        await stage.until(lambda: stage.over)
        for each in (session, another):
            assert each.state.status == "closed"
            said = notices(each)[-1]
            assert "exit code 41" in said
            assert "no API key" in said
            assert ":Acp log scripted" in said
        assert stage.client.state == "failed"
        assert stage.client.exit == ExitStatus(41)


async def test_a_session_of_an_agent_that_is_gone_is_closed_at_once() -> None:
    async with Stage() as stage:
        await stage.start()
        stage.link.exit(2)
        await stage.until(lambda: stage.over)
        late = stage.session()
        await stage.client.open(late)
        assert late.state.status == "closed"
        assert "exit code 2" in notices(late)[-1]


async def test_after_the_end_nothing_touches_the_sessions() -> None:
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.prompt(session, "queued")
        await stage.client.end()
        assert stage.client.traffic.stderr == ""
        before = len(stage.events)
        await stage.until(lambda: stage.over)
        assert len(stage.events) == before
        assert session.state.status == "closed"
        assert texts(session, "user") == ["go"]
