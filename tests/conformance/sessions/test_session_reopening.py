"""Obligations C-084 to C-095: sessions are loaded, resumed, closed, as far as that is served."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.session.event import SessionReopening
from tests.conformance.connection.whole import EVERYTHING, MODES
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import Stage, notices, texts


@pytest.mark.parametrize("marker", [None, False, "yes"])
async def test_c084_no_load_without_the_capability(marker: object) -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities={"loadSession": marker})
        session = stage.reopen()
        await stage.agent.open("new")
        await stage.until(lambda: session.state.status == "idle")
        assert session.id == "new"
        assert "cannot load sessions" in notices(session)[0]


async def test_c085_load_says_all_that_is_needed(tmp_path: Path) -> None:
    async with Stage(tmp_path) as stage:
        await stage.start(agentCapabilities={"loadSession": True})
        stage.reopen("old one")
        params = (await stage.agent.expect("session/load"))["params"]
        assert params == {"sessionId": "old one", "cwd": str(tmp_path), "mcpServers": []}


@pytest.mark.parametrize("result", [None, {}, [], {"sessionId": "another", "modes": 5}])
async def test_c088_any_result_of_load_is_success(result: object) -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities={"loadSession": True})
        session = stage.reopen()
        request = await stage.agent.expect("session/load")
        stage.agent.say("before", "old")
        stage.agent.reply(request, result)
        await stage.until(lambda: session.state.status == "idle")
        assert session.id == "old"
        assert texts(session) == ["before"]


@pytest.mark.parametrize("marker", [None, False, True])
async def test_c090_no_resume_without_the_capability(marker: object) -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities={"sessionCapabilities": {"resume": marker}})
        stage.reopen()
        await stage.agent.expect("session/new")


async def test_c091_resume_says_all_that_is_needed(tmp_path: Path) -> None:
    async with Stage(tmp_path) as stage:
        await stage.start(agentCapabilities={"sessionCapabilities": {"resume": {}}})
        stage.reopen()
        params = (await stage.agent.expect("session/resume"))["params"]
        assert params == {"sessionId": "old", "cwd": str(tmp_path), "mcpServers": []}


async def test_c092_a_resumed_session_keeps_its_transcript() -> None:
    async with Stage() as stage:
        session = await stage.start(agentCapabilities={"sessionCapabilities": {"resume": {}}})
        stage.agent.say("I was here")
        await stage.until(lambda: texts(session))
        session.apply(SessionReopening())
        stage.tasks.start_soon(stage.client.reopen, session, SESSION)
        request = await stage.agent.expect("session/resume")
        option = {"id": "m", "name": "Model", "type": "select", "currentValue": "x", "options": []}
        stage.agent.reply(request, {"modes": MODES, "configOptions": [option]})
        await stage.until(lambda: session.state.status == "idle")
        assert texts(session) == ["I was here"]
        assert session.state.mode == "ask"
        assert [each.id for each in session.state.config] == ["m"]


async def test_c093_close_is_sent_only_to_those_who_know_it() -> None:
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        await stage.client.close(session)
        await stage.agent.expect("session/cancel")
        await stage.agent.quiet()


async def test_c093_close_names_the_session() -> None:
    async with Stage() as stage:
        session = await stage.start(agentCapabilities=EVERYTHING)
        stage.tasks.start_soon(stage.client.close, session)
        request = await stage.agent.expect("session/close")
        assert request["params"] == {"sessionId": SESSION}
        stage.agent.reply(request, {})


async def test_c094_closing_in_the_middle_of_a_turn() -> None:
    async with Stage() as stage:
        session = await stage.start(agentCapabilities=EVERYTHING)
        prompt = await stage.turn(session)
        stage.agent.request_permission("ask")
        await stage.until(lambda: session.state.questions)
        stage.tasks.start_soon(stage.client.close, session)
        answer = await stage.agent.answer_to("ask")
        assert answer["result"] == {"outcome": {"outcome": "cancelled"}}
        await stage.agent.expect("session/cancel")
        request = await stage.agent.expect("session/close")
        stage.agent.reply(prompt, {"stopReason": "cancelled"})
        stage.agent.reply(request, {})
        await stage.agent.quiet()
        assert session.state.status == "closed"
        assert notices(session) == []


async def test_c095_an_agent_may_refuse_to_close() -> None:
    async with Stage() as stage:
        session = await stage.start(agentCapabilities=EVERYTHING)
        stage.tasks.start_soon(stage.client.close, session)
        stage.agent.refuse(await stage.agent.expect("session/close"), -32002, "no such session")
        await stage.agent.quiet()
        assert session.state.status == "closed"
        assert notices(session) == []
