"""Updates that are in no stable schema and come all the same: shown plainly, never fatal."""

from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.client.session import Session
from tests.conformance.connection.probe import bar, chat, shows
from tests.support.stage import Stage, tool


async def told(stage: Stage, session: Session, update: str, **fields: Any) -> None:
    """Send an update and wait until it is handled."""
    stage.agent.update(update, **fields)
    await stage.agent.quiet()


def items(plan_id: str, *steps: str) -> dict[str, Any]:
    """Return a plan of steps that are not done."""
    entries = [{"content": it, "priority": "medium", "status": "pending"} for it in steps]
    return {"type": "items", "planId": plan_id, "entries": entries}


async def test_a_plan_of_items_is_shown_and_removed():
    async with Stage() as stage:
        session = await stage.start()
        await told(stage, session, "plan_update", plan=items("a", "dig", "fill"))
        assert chat(session) == ["Plan 0/2", "☐ dig", "☐ fill"]
        await told(stage, session, "plan_removed", planId="a")
        assert chat(session) == []


async def test_of_several_plans_the_newest_is_shown():
    async with Stage() as stage:
        session = await stage.start()
        await told(stage, session, "plan_update", plan=items("a", "dig"))
        await told(stage, session, "plan_update", plan=items("b", "fill"))
        await told(stage, session, "plan_removed", planId="a")
        assert chat(session) == ["Plan 0/1", "☐ fill"]
        await told(stage, session, "plan_update", plan=items("b"))
        assert chat(session) == []


async def test_a_plan_as_text_is_shown_line_by_line():
    async with Stage() as stage:
        session = await stage.start()
        plan = {"type": "markdown", "planId": "a", "content": "# Hole\n\n- [x] dig\n- [ ] fill\n"}
        await told(stage, session, "plan_update", plan=plan)
        assert chat(session) == ["Plan 1/2", "• # Hole", "☑ dig", "☐ fill"]
        plan = {"type": "file", "planId": "a", "uri": "file:///p/PLAN.md"}
        await told(stage, session, "plan_update", plan=plan)
        assert chat(session) == ["Plan", "• file:///p/PLAN.md"]


async def test_a_tool_is_called_by_its_name_until_it_has_a_title():
    async with Stage() as stage:
        session = await stage.start()
        await told(stage, session, "tool_call_update", toolCallId="call-1", name="read_file")
        assert tool(session).title == "read_file"
        await told(stage, session, "tool_call_update", toolCallId="call-1", title="Read a.txt")
        assert tool(session).name == "read_file"
        assert shows(session, "read_file", "tool:call-1")


async def test_what_a_turn_took_is_shown_where_no_usage_is():
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        usage = {"totalTokens": 12_000, "inputTokens": 11_000, "outputTokens": 1_000}
        stage.agent.reply(request, {"stopReason": "end_turn", "usage": usage})
        await stage.until(lambda: session.state.status == "idle")
        assert "12k tokens" in bar(session)
        await told(stage, session, "usage_update", used=10, size=100)
        assert "12k tokens" not in bar(session) and "10/100" in bar(session)


BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("plan_update", {}),
    ("plan_update", {"plan": 5}),
    ("plan_update", {"plan": {"type": "items", "planId": "a", "entries": "x"}}),
    ("plan_update", {"plan": {"type": "file", "planId": "a"}}),
    ("plan_removed", {"planId": None}),
    ("compaction_update", {"status": "completed"}),
    ("compaction_update", {"compactionId": "c", "status": 5}),
    ("compaction_summary_chunk", {"content": 5}),
    ("notice", {"severity": "error"}),
    ("an_update_of_tomorrow", {"a": [1]}),
]


@pytest.mark.parametrize(("update", "fields"), BROKEN)
async def test_c133_a_broken_one_is_dropped_alone(update: str, fields: dict[str, Any]):
    async with Stage() as stage:
        session = await stage.start()
        await told(stage, session, update, **fields)
        assert chat(session) == []
        stage.agent.say("still here")
        await stage.agent.quiet()
        assert chat(session) == ["still here"]
