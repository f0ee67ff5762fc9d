"""Turns of ACP v2: a prompt is taken, and what the agent says that it is at ends it."""

from __future__ import annotations

import pytest

from acp_nvim.errors import UserError
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


@pytest.mark.parametrize("snapshot", ["running", "requires_action"])
async def test_c2_018_a_session_may_be_at_work_when_it_is_opened_again(snapshot: str) -> None:
    async with Stage(protocol=2) as stage:
        stage.tasks.start_soon(stage.client.run)
        session = stage.reopen("old")
        await stage.agent.initialize_2()
        request = await stage.agent.expect("session/resume")
        stage.agent.update("user_message", "old", messageId="u", content=[text("hello")])
        stage.agent.update("state_update", "old", state=snapshot)
        stage.agent.reply(request, {})
        await stage.until(lambda: session.state.status == "running")
        stage.agent.update("agent_message", "old", messageId="a", content=[text("still digging")])
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        stage.agent.update("state_update", "old", state="idle", stopReason="cancelled")
        await stage.until(lambda: session.state.status == "idle")
        assert texts(session) == ["still digging"]


async def test_c2_018_one_that_has_ended_meanwhile_is_idle() -> None:
    async with Stage(protocol=2) as stage:
        stage.tasks.start_soon(stage.client.run)
        session = stage.reopen("old")
        await stage.agent.initialize_2()
        request = await stage.agent.expect("session/resume")
        stage.agent.update("user_message", "old", messageId="u", content=[text("hello")])
        stage.agent.update("state_update", "old", state="running")
        stage.agent.update("state_update", "old", state="idle", stopReason="end_turn")
        stage.agent.reply(request, {})
        await stage.until(lambda: session.state.status == "idle")
        stage.prompt(session, "go on")
        await stage.agent.expect("session/prompt")


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


async def test_c2_017_what_is_in_the_background_is_cancelled_where_the_agent_lets_it_be() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        await begin(stage, session)
        can = {"cancel": {}}
        stage.agent.update("tool_call_update", toolCallId="long", capabilities=can)
        stage.agent.update("terminal_update", terminalId="t", capabilities=can)
        stage.agent.update("tool_call_update", toolCallId="other")
        work = [
            {"type": "tool_call", "toolCallId": "long"},
            {"type": "tool_call", "toolCallId": "other"},
            {"type": "terminal", "terminalId": "t"},
        ]
        state(stage.agent, "idle", stopReason="end_turn", background=work)
        await stage.until(lambda: session.state.status == "idle")
        stage.client.cancel(session)
        request = await stage.agent.expect("tool_call/cancel")
        assert request["params"]["toolCallId"] == "long"
        stage.agent.reply(request, {})
        request = await stage.agent.expect("terminal/cancel")
        assert request["params"]["terminalId"] == "t"
        stage.agent.refuse(request, -32602, "it is over")
        await stage.until(lambda: notices(session))
        assert "it is over" in notices(session)[-1]
        await stage.agent.quiet()


async def test_c2_017_work_that_cannot_be_cancelled_is_left_alone() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        await begin(stage, session)
        work = [{"type": "_cron"}]
        state(stage.agent, "idle", stopReason="end_turn", background=work)
        await stage.until(lambda: session.state.status == "idle")
        with pytest.raises(UserError, match=":Acp stop"):
            stage.client.cancel(session)
        await stage.agent.quiet()
