"""C-140 to C-149: a cancel is felt at once, and leaves no question unanswered."""

from __future__ import annotations

import pytest

from tests.conformance.connection.probe import bar, chat
from tests.conformance.requests.asking import CANCELLED, asked
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import AcpError, Stage, texts, tool


async def test_c140_cancel_is_a_notification():
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.client.cancel(session)
        message = await stage.agent.expect("session/cancel")
        assert "id" not in message
        assert message["params"] == {"sessionId": SESSION}


async def test_c141_open_tool_calls_are_shown_as_cancelled_at_once():
    async with Stage() as stage:
        session = await stage.start()
        first = await stage.turn(session)
        stage.agent.update("tool_call", toolCallId="old", title="Old", status="completed")
        stage.agent.reply(first, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.status == "idle")
        await stage.turn(session)
        for status in ("pending", "in_progress", "completed", "failed"):
            stage.agent.update("tool_call", toolCallId=status, title=status, status=status)
        await stage.agent.quiet()
        stage.client.cancel(session)
        assert [line[0] for line in chat(session) if line[0] in "○◐✓✗⊘"] == list("✓⊘⊘✓✗")
        assert "cancelling" in bar(session)


async def test_c142_cancel_answers_all_permissions():
    async with Stage() as stage:
        session = await stage.start()
        await asked(stage, session, 1, 2)
        stage.client.cancel(session)
        assert (await stage.agent.answer_to(1))["result"] == CANCELLED
        assert (await stage.agent.answer_to(2))["result"] == CANCELLED
        await stage.agent.expect("session/cancel")
        await stage.until(lambda: not session.state.questions)
        assert stage.questions.pending == ()


async def test_c142_only_those_of_its_own_session():
    async with Stage() as stage:
        session = await stage.start()
        other = await stage.start_another("other")
        await asked(stage, session, 1)
        stage.agent.request_permission(2, "other")
        await stage.until(lambda: other.state.questions)
        stage.client.cancel(session)
        assert (await stage.agent.answer_to(1))["result"] == CANCELLED
        await stage.agent.expect("session/cancel")
        await stage.agent.quiet()
        assert len(other.state.questions) == 1


async def test_c143_a_permission_after_cancel_is_cancelled_too():
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        stage.agent.request_permission(1)
        assert (await stage.agent.answer_to(1))["result"] == CANCELLED
        assert session.state.questions == ()
        assert tool(session).status == "cancelled"
        stage.agent.reply(request, {"stopReason": "cancelled"})
        await stage.until(lambda: session.state.status == "idle")
        stage.agent.request_permission(2)
        await stage.until(lambda: session.state.questions)


async def test_c145_late_updates_win_over_cancelled():
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        for call in ("done", "failed", "running"):
            stage.agent.update("tool_call", toolCallId=call, title=call, status="in_progress")
        await stage.agent.quiet()
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        stage.agent.update("tool_call_update", toolCallId="done", status="completed")
        stage.agent.update("tool_call_update", toolCallId="failed", status="failed")
        stage.agent.update("tool_call_update", toolCallId="running", status="in_progress")
        stage.agent.update("tool_call", toolCallId="new", title="new")
        stage.agent.say("last words")
        await stage.agent.quiet()
        calls = ("done", "failed", "running", "new")
        statuses = [tool(session, call).status for call in calls]
        assert statuses == ["completed", "failed", "cancelled", "cancelled"]
        assert texts(session) == ["last words"]


async def test_c146_the_turn_runs_until_the_response():
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.client.cancel(session)
        stage.prompt(session, "next")
        await stage.agent.expect("session/cancel")
        await stage.agent.quiet()
        assert session.state.status == "cancelling"
        stage.agent.reply(request, {"stopReason": "cancelled"})
        following = await stage.agent.expect("session/prompt")
        assert following["params"]["prompt"] == [{"type": "text", "text": "next"}]


@pytest.mark.parametrize("reason", ["cancelled", "end_turn"])
async def test_c147_a_cancelled_turn_is_no_error(reason: str):
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.client.cancel(session)
        stage.agent.reply(request, {"stopReason": reason})
        await stage.until(lambda: session.state.status == "idle")
        assert session.state.stop_reason == reason
        assert [said.split(" · ")[0] for said in chat(session)[1:]] == ["── cancelled"]


@pytest.mark.parametrize(
    ("code", "said"),
    [(-32800, []), (-32603, ["· Cancelled; the agent said: aborted"])],
)
async def test_c147_an_error_after_cancel_is_shown_softly(code: int, said: list[str]):
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.client.cancel(session)
        stage.agent.refuse(request, code, "aborted")
        await stage.until(lambda: session.state.status == "idle")
        *told, row = chat(session)[1:]
        assert told == said
        assert row.startswith("── cancelled")


async def test_c148_an_agent_that_ignores_cancel_can_be_killed():
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        await stage.client.end(kill=True)
        await stage.until(lambda: session.state.status == "closed")
        assert stage.link.killed


async def test_c149_cancel_without_a_turn_sends_nothing():
    async with Stage() as stage:
        session = await stage.start()
        with pytest.raises(AcpError, match="nothing is running"):
            stage.client.cancel(session)
        await stage.agent.quiet()
        await stage.turn(session)
        stage.client.cancel(session)
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        await stage.agent.quiet()
