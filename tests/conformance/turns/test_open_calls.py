"""C-322, C-324: what becomes of what a turn leaves open: tool calls, and commands in terminals."""

from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.client.session import Session
from tests.conformance.connection.probe import chat
from tests.conformance.requests.terminals import Terminals
from tests.support.stage import Stage, notices, tool

OPTIONS = [
    {"optionId": "y", "name": "Yes", "kind": "allow_once"},
    {"optionId": "n", "name": "No", "kind": "reject_once"},
]


async def asked(stage: Stage, session: Session, call: str = "call-1") -> str:
    """Ask for permission for a call that nothing else tells of; return the question's id."""
    params = {
        "sessionId": session.id,
        "toolCall": {"toolCallId": call, "title": "Dig"},
        "options": OPTIONS,
    }
    stage.agent.request("session/request_permission", params, call)
    await stage.until(lambda: session.state.questions)
    return session.state.questions[0].id


async def ended(stage: Stage, session: Session, request: dict[str, Any], reason: str) -> None:
    stage.agent.reply(request, {"stopReason": reason})
    await stage.until(lambda: session.state.status == "idle")


@pytest.mark.parametrize(
    ("reason", "status", "shown"),
    [
        ("end_turn", "ended", "• Dig"),
        ("cancelled", "cancelled", "⊘ Dig"),
        ("max_tokens", "cancelled", "⊘ Dig"),
    ],
)
async def test_c322_a_call_is_left_open(reason: str, status: str, shown: str):
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.agent.update("tool_call", toolCallId="call-1", title="Dig", status="in_progress")
        await ended(stage, session, request, reason)
        assert tool(session).status == status
        assert shown in chat(session)


async def test_c322_a_permission_with_an_id_of_its_own_has_ended_when_it_was_given():
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.choose(await asked(stage, session), "y")
        await stage.agent.answer_to("call-1")
        await ended(stage, session, request, "end_turn")
        assert tool(session).status == "ended"


async def test_c322_a_call_that_was_refused_is_cancelled_and_the_agent_has_the_last_word():
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.choose(await asked(stage, session), "n")
        await stage.agent.answer_to("call-1")
        assert tool(session).status == "cancelled"
        stage.agent.update("tool_call_update", toolCallId="call-1", status="failed")
        await ended(stage, session, request, "end_turn")
        assert tool(session).status == "failed"


async def test_c322_what_comes_late_is_taken():
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.agent.update("tool_call", toolCallId="call-1", title="Dig", status="pending")
        await ended(stage, session, request, "end_turn")
        stage.agent.update("tool_call_update", toolCallId="call-1", status="completed")
        await stage.agent.quiet()
        assert tool(session).status == "completed"


async def test_c324_a_command_that_is_left_alone_is_told():
    async with Terminals() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        terminal = await stage.create("sleep 100")
        await ended(stage, session, request, "cancelled")
        assert notices(session)[-1].startswith("The turn is cancelled, a command of it still runs")
        request = await stage.turn(session)
        await stage.call("release", terminalId=terminal)
        await ended(stage, session, request, "cancelled")
        assert len(notices(session)) == 1
