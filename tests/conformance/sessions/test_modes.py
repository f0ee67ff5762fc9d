"""C-246 to C-249: session modes; C-245 is in `test_config_options`."""

from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.client.session import Session
from acp_nvim.view.status import summary
from tests.conformance.connection.burst import burst
from tests.conformance.connection.probe import bar
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import AcpError, Stage

MODES = {
    "currentModeId": "ask",
    "availableModes": [
        {"id": "ask", "name": "Ask first", "description": "asks"},
        {"id": "code", "name": "Write code"},
    ],
}


async def opened(stage: Stage, **result: Any) -> Session:
    """Open a session with modes."""
    session = stage.launch()
    await stage.agent.initialize()
    await stage.agent.open(SESSION, **({"modes": MODES} | result))
    await stage.until(lambda: session.state.status == "idle")
    return session


async def test_c246_a_mode_is_set():
    async with Stage() as stage:
        session = await opened(stage)
        listed = summary(session.state)["modes"]
        assert listed == [{"id": "ask", "name": "Ask first"}, {"id": "code", "name": "Write code"}]
        stage.tasks.start_soon(stage.client.set_mode, session, "code")
        request = await stage.agent.expect("session/set_mode")
        assert request["params"] == {"sessionId": SESSION, "modeId": "code"}
        await stage.agent.quiet()
        assert "Ask first" in bar(session)
        stage.agent.reply(request, {})
        await stage.until(lambda: session.state.mode == "code")
        assert "Write code" in bar(session)


async def test_c246_a_refused_mode_is_not_shown():
    async with Stage() as stage:
        session = await opened(stage)
        refusals = []

        async def switch() -> None:
            with pytest.raises(AcpError) as caught:
                await stage.client.set_mode(session, "code")
            refusals.append(str(caught.value))

        stage.tasks.start_soon(switch)
        request = await stage.agent.expect("session/set_mode")
        stage.agent.refuse(request, -32603, "not now")
        await stage.agent.quiet()
        assert session.state.mode == "ask"
        assert refusals == ["scripted did not switch to mode code: not now"]


async def test_c247_only_listed_modes_are_sent():
    async with Stage() as stage:
        session = await opened(stage)
        with pytest.raises(AcpError, match="it has ask, code"):
            await stage.client.set_mode(session, "yolo")
        await stage.agent.quiet()


@pytest.mark.parametrize("modes", [None, {"currentModeId": "a", "availableModes": []}, 5])
async def test_c247_an_agent_without_modes(modes: Any):
    async with Stage() as stage:
        session = await opened(stage, modes=modes)
        with pytest.raises(AcpError, match="has no session modes"):
            await stage.client.set_mode(session, "ask")
        await stage.agent.quiet()


@pytest.mark.parametrize(
    ("update", "look"),
    [
        ({"currentModeId": "code"}, "Write code"),
        ({"modeId": "code"}, "Write code"),
        ({"currentModeId": "unlisted"}, "unlisted"),
        ({}, "Ask first"),
    ],
)
async def test_c248_the_agent_changes_the_mode(update: dict[str, Any], look: str):
    async with Stage() as stage:
        session = await opened(stage)
        stage.agent.update("current_mode_update", **update)
        await stage.agent.quiet()
        assert look in bar(session)
        await stage.turn(session)
        stage.agent.update("current_mode_update", currentModeId="ask")
        await stage.agent.quiet()
        assert "Ask first" in bar(session)


async def test_c248_an_update_after_the_response_wins():
    async with Stage() as stage:
        session = await opened(stage)
        stage.tasks.start_soon(stage.client.set_mode, session, "code")
        request = await stage.agent.expect("session/set_mode")
        with burst(stage.agent):
            stage.agent.reply(request, {})
            stage.agent.update("current_mode_update", currentModeId="ask")
        await stage.agent.quiet()
        assert session.state.mode == "ask"


async def test_c249_the_mode_is_set_during_a_turn():
    async with Stage() as stage:
        session = await opened(stage)
        await stage.turn(session)
        stage.tasks.start_soon(stage.client.set_mode, session, "code")
        request = await stage.agent.expect("session/set_mode")
        stage.agent.reply(request, {})
        await stage.until(lambda: session.state.mode == "code")
        assert session.state.status == "running"
