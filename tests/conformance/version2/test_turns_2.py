"""Turns of ACP v2: a prompt is taken, and what the agent says that it is at ends it."""

from __future__ import annotations

import pytest

from acp_nvim.session.model import BackgroundWork
from tests.conformance.version2.saying import begin, state, text
from tests.support.stage import Stage, notices, texts, tool


async def test_c2_010_the_answer_to_a_prompt_does_not_end_its_turn() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        request = await stage.turn(session)
        stage.agent.update("user_message", messageId="u1", content=[text("go")])
        stage.agent.reply(request, {"messageId": "u1"})
        state(stage.agent, "running")
        await stage.agent.quiet()
        assert session.state.status == "running"
        assert texts(session, "user") == ["go"]  # the echo is not shown again
        stage.agent.update("agent_message_chunk", messageId="a1", content=text("done"))
        state(stage.agent, "idle", stopReason="end_turn")
        await stage.until(lambda: session.state.status == "idle")
        assert texts(session) == ["done"]
        assert session.state.stop_reason == "end_turn"
        assert notices(session) == []


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, []),
        ({"stopReason": "max_tokens"}, ["limit of tokens"]),
        ({"stopReason": "_tired"}, ["_tired"]),
        ({"stopReason": "error", "error": {"code": -1, "message": "no net"}}, ["no net"]),
        ({"stopReason": "error"}, ["does not say why"]),
    ],
)
async def test_c2_011_reasons_to_stop_are_open(fields: dict[str, object], said: list[str]) -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        await begin(stage, session)
        state(stage.agent, "idle", **fields)
        await stage.until(lambda: session.state.status == "idle")
        told = notices(session)
        assert len(told) == len(said)
        assert all(word in sentence for word, sentence in zip(said, told, strict=True))


async def test_c2_012_an_idle_state_that_is_told_again_ends_no_other_turn() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        await begin(stage, session)
        stage.prompt(session, "next")
        state(stage.agent, "idle", stopReason="end_turn")
        request = await stage.agent.expect("session/prompt")
        state(stage.agent, "idle", stopReason="end_turn")
        stage.agent.reply(request, {"messageId": "u2"})
        state(stage.agent, "idle")
        await stage.agent.quiet()
        assert session.state.status == "running"
        state(stage.agent, "running")
        state(stage.agent, "idle", stopReason="end_turn")
        await stage.until(lambda: session.state.status == "idle")
        assert session.state.turn == 2


async def test_c2_012_a_turn_may_end_before_its_prompt_is_answered() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        request = await stage.turn(session)
        state(stage.agent, "running")
        state(stage.agent, "idle", stopReason="end_turn")
        await stage.until(lambda: session.state.status == "idle")
        again = await stage.turn(session, "again")
        stage.agent.refuse(request, -32603, "too late")
        await stage.agent.quiet()
        assert session.state.status == "running"
        stage.agent.refuse(again, -32603, "no")
        await stage.until(lambda: session.state.status == "idle")


async def test_c2_013_a_cancelled_turn_ends_when_the_agent_says_so() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        await begin(stage, session)
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        await stage.agent.quiet()
        assert session.state.status == "cancelling"
        state(stage.agent, "idle", stopReason="cancelled")
        await stage.until(lambda: session.state.status == "idle")
        assert session.state.stop_reason == "cancelled"


async def test_c2_014_an_agent_may_begin_by_itself_and_be_cancelled() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        state(stage.agent, "running")
        await stage.until(lambda: session.state.status == "running")
        assert session.state.prompted
        stage.agent.update("agent_message", messageId="a", content=[text("I woke up")])
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        state(stage.agent, "idle", stopReason="cancelled")
        await stage.until(lambda: session.state.status == "idle")
        assert texts(session) == ["I woke up"]
        assert texts(session, "user") == []


async def test_c2_015_an_unknown_state_is_told_once_and_ends_nothing() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        await begin(stage, session)
        state(stage.agent, "_dreaming")
        state(stage.agent, "_dreaming")
        await stage.agent.quiet()
        assert session.state.status == "running"
        assert len(notices(session)) == 1
        assert "'_dreaming'" in notices(session)[0]
        state(stage.agent, "requires_action")
        state(stage.agent, "idle", stopReason="end_turn")
        await stage.until(lambda: session.state.status == "idle")


async def test_c2_016_what_goes_on_in_the_background_outlives_its_turn() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        await begin(stage, session)
        for call in ("short", "long"):
            stage.agent.update("tool_call_update", toolCallId=call, status="in_progress")
        work = [{"type": "tool_call", "toolCallId": "long"}, {"type": "_x"}]
        state(stage.agent, "idle", stopReason="end_turn", background=work)
        await stage.until(lambda: session.state.status == "idle")
        assert session.state.background[0] == BackgroundWork("tool_call", "long")
        assert tool(session, "short").status == "ended"
        assert tool(session, "long").status == "in_progress"
        stage.agent.update("tool_call_update", toolCallId="long", status="completed")
        state(stage.agent, "idle")
        await stage.until(lambda: not session.state.background)
        assert tool(session, "long").status == "completed"


async def test_c2_016_what_is_in_the_background_no_more_is_over() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        await begin(stage, session)
        stage.agent.update("tool_call_update", toolCallId="long", status="in_progress")
        work = [{"type": "tool_call", "toolCallId": "long"}]
        state(stage.agent, "idle", stopReason="end_turn", background=work)
        state(stage.agent, "idle", background=None)
        await stage.until(lambda: session.state.status == "idle" and not session.state.background)
        assert tool(session, "long").status == "ended"
