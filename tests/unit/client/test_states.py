"""What may be asked of a client that is not ready: it waits, or is refused in a sentence."""

from __future__ import annotations

import pytest

from acp_nvim.errors import UserError
from tests.conformance.connection.logins import LoginStage
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import PROJECT, Stage


async def test_before_the_answer_nothing_can_be_set_or_cancelled() -> None:
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.expect("initialize")
        with pytest.raises(UserError, match="still being opened"):
            await stage.client.set_mode(session, "code")
        with pytest.raises(UserError, match="still being opened"):
            await stage.client.set_option(session, "model", "fast")
        with pytest.raises(UserError, match="nothing to cancel"):
            stage.client.cancel(session)
        assert (stage.client.ready, stage.client.info, stage.client.exit) == (None, None, None)
        assert stage.client.label == "scripted"
        await stage.agent.quiet()


async def test_a_session_that_is_closed_before_the_answer_is_never_opened() -> None:
    async with Stage() as stage:
        session = stage.launch()
        request = await stage.agent.expect("initialize")
        await stage.client.close(session)
        stage.agent.reply(request, {"protocolVersion": 1})
        await stage.until(lambda: stage.client.state == "ready")
        assert session.state.status == "closed"
        await stage.agent.quiet()


async def test_before_the_answer_nobody_logs_in() -> None:
    async with LoginStage() as stage:
        stage.start()
        await stage.agent.expect("initialize")
        assert "has not answered yet" in await stage.log_in("key").done()
        assert "has not answered yet" in await stage.log_out().done()
        await stage.agent.quiet()


async def test_requests_before_the_answer_are_answered() -> None:
    async with Stage() as stage:
        stage.launch()
        await stage.agent.expect("initialize")
        answer = await stage.agent.ask("fs/read_text_file", {"sessionId": SESSION, "path": "/a"})
        assert answer["error"]["code"] == -32002


async def test_what_is_ready_stays_when_the_agent_is_gone() -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities={"sessionCapabilities": {"list": {}}})
        stage.link.exit(3)
        await stage.until(lambda: stage.over)
        assert stage.client.ready is not None
        assert await stage.client.ready.listing.all(PROJECT) == ()
        assert stage.client.exit is not None and stage.client.exit.code == 3
