"""Sessions that are not opened: taken back (C-154), refused, or lost with their agent."""

from __future__ import annotations

import pytest

from acp_nvim.errors import UserError
from tests.support.agents.scripted_agent import line
from tests.support.stage import Stage, notices


@pytest.mark.parametrize("answer", ["none", "late", "error"])
async def test_c154_a_slow_opening_can_be_taken_back(answer: str) -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities={"loadSession": True})
        slow = stage.reopen()
        request = await stage.agent.expect("session/load")
        stage.client.cancel(slow)
        await stage.until(lambda: slow.state.status == "closed")
        told = await stage.agent.expect("$/cancel_request")
        assert told["params"] == {"requestId": request["id"]}
        assert "id" not in told
        if answer == "late":
            stage.agent.reply(request, {})
        elif answer == "error":
            stage.agent.refuse(request, -32800, "cancelled")
        await stage.agent.quiet()
        assert slow.state.status == "closed"
        another = await stage.start_another("next")
        assert another.state.status == "idle"


async def test_c154_closing_a_chat_takes_its_opening_back() -> None:
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize()
        request = await stage.agent.expect("session/new")
        await stage.client.close(session)
        told = await stage.agent.expect("$/cancel_request")
        assert told["params"] == {"requestId": request["id"]}
        await stage.agent.quiet()


async def test_a_session_closed_while_it_waits_is_never_asked_for() -> None:
    async with Stage() as stage:
        session = stage.launch()
        await stage.client.close(session)
        await stage.agent.initialize()
        await stage.agent.quiet()
        with pytest.raises(UserError):
            stage.prompt(session, "hello")


@pytest.mark.parametrize("result", [None, {}, {"sessionId": 5}, {"sessionId": ""}, "x"])
async def test_a_new_session_without_an_id_is_said_to_have_none(result: object) -> None:
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize()
        stage.agent.reply(await stage.agent.expect("session/new"), result)
        await stage.until(lambda: session.state.status == "closed")
        assert "no sessionId" in notices(session)[-1]
        await stage.agent.quiet()
        assert (await stage.start_another("two")).id == "two"


async def test_an_error_closes_the_session_and_nothing_else() -> None:
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize()
        stage.agent.refuse(await stage.agent.expect("session/new"), -32603, "disk full")
        await stage.until(lambda: session.state.status == "closed")
        assert "disk full" in notices(session)[-1]
        assert stage.client.state == "ready"
        assert (await stage.start_another("two")).id == "two"


async def test_a_login_that_was_missing_can_be_made_up_for() -> None:
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize()
        stage.agent.refuse(await stage.agent.expect("session/new"), -32000, "log in")
        await stage.until(lambda: session.state.status == "closed")
        assert stage.client.state == "needs_login"
        await stage.start_another("two")
        await stage.agent.quiet()
        assert (stage.client.state, stage.client.error) == ("ready", None)


async def test_an_agent_that_dies_while_sessions_wait() -> None:
    async with Stage() as stage:
        one, two = stage.launch(), stage.open()
        await stage.agent.initialize()
        request = await stage.agent.expect("session/new")
        # The answer and the end in one read: the first is open for a moment.
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": {"sessionId": "one"}}
        stage.agent.write(line(answer))
        stage.link.exit(1)
        await stage.until(lambda: two.state.status == "closed")
        assert one.state.status == "closed"
        assert "exit code 1" in notices(one)[-1]
        assert "exit code 1" in notices(two)[-1]
