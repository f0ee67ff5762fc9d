"""C-317, C-318, C-330, C-331: what agents tell beside the talk, as it is in the chat."""

from __future__ import annotations

from typing import Any

from acp_nvim.client.session import Session
from tests.conformance.connection.probe import bar, chat, shows
from tests.support.stage import Stage, tool


async def told(stage: Stage, session: Session, update: str, **fields: Any) -> None:
    """Send an update and wait until it is handled."""
    stage.agent.update(update, **fields)
    await stage.agent.quiet()


async def compacted(stage: Stage, session: Session, **fields: Any) -> None:
    """Tell of the compaction `c`."""
    await told(stage, session, "compaction_update", compactionId="c", **fields)


async def test_c317_notices_and_compactions_are_advertised():
    async with Stage() as stage:
        await stage.start()
        offered = stage.agent.received[0]["params"]["clientCapabilities"]["session"]
        assert (offered["notices"], offered["compaction"]) == ({}, {})


async def test_c317_notices_are_shown_by_their_severity():
    async with Stage() as stage:
        session = await stage.start()
        await told(stage, session, "notice", severity="info", title="Hm", description="so so")
        await told(stage, session, "notice", severity="error", title="Oh", description=None)
        await told(stage, session, "notice", severity="_odd", title="Eh")
        assert chat(session) == ["· Hm: so so", "✗ Oh", "· Eh"]


async def test_c318_a_compaction_stays_where_it_began():
    async with Stage() as stage:
        session = await stage.start()
        await compacted(stage, session, status="in_progress")
        stage.agent.say("meanwhile")
        await stage.agent.quiet()
        assert chat(session) == ["· Compacting the context …", "meanwhile"]
        summary = [{"type": "text", "text": "We dug.\nThen we filled."}]
        await compacted(stage, session, status="completed", summary=summary)
        shown = ["· Context compacted: We dug.", "meanwhile"]
        assert chat(session) == shown
        await compacted(stage, session, status="completed")
        assert chat(session) == shown
        assert chat(session, "compaction:c")[:3] == [
            "· Context compacted",
            "We dug.",
            "Then we filled.",
        ]


async def test_c318_chunks_of_a_summary_begin_it_and_follow():
    async with Stage() as stage:
        session = await stage.start()
        for text in ("We ", "dug."):
            content = {"type": "text", "text": text}
            await told(
                stage, session, "compaction_summary_chunk", compactionId="c", content=content
            )
        assert chat(session) == ["· Compacting the context …: We dug."]
        await compacted(stage, session, status="completed")
        assert chat(session) == ["· Context compacted: We dug."]
        await compacted(stage, session, status="completed", summary=[])
        assert chat(session) == ["· Context compacted"]


async def test_c318_what_is_absent_stays_and_null_clears():
    async with Stage() as stage:
        session = await stage.start()
        await compacted(stage, session, status="failed", error="too long")
        assert chat(session) == ["! Context not compacted: too long"]
        await compacted(stage, session, status="failed")
        assert chat(session) == ["! Context not compacted: too long"]
        await compacted(stage, session, status="_later", error=None)
        assert chat(session) == ["· Compaction of the context: _later"]


async def test_c318_one_that_goes_on_when_the_session_ends_is_cut_off():
    async with Stage() as stage:
        session = await stage.start()
        await compacted(stage, session, status="in_progress")
        await stage.end()
        assert chat(session)[0] == "· Context not compacted: cancelled"


async def test_c330_the_name_of_a_tool_stays():
    async with Stage() as stage:
        session = await stage.start()
        await told(stage, session, "tool_call", toolCallId="call-1", title="Go", name="run")
        await told(stage, session, "tool_call_update", toolCallId="call-1", name=None)
        await told(stage, session, "tool_call_update", toolCallId="call-1", status="completed")
        assert (tool(session).name, tool(session).status) == ("run", "completed")
        assert shows(session, "run", "tool:call-1")


async def test_c331_a_cost_is_shown_in_what_the_agent_counts():
    async with Stage() as stage:
        session = await stage.start()
        for cost, shown in (
            ({"amount": 12, "currency": "credits"}, "12 credits"),
            ({"amount": 0.125, "currency": "credits"}, "0.125 credits"),
            ({"amount": 0.125, "currency": "USD"}, "0.12 USD"),
        ):
            await told(stage, session, "usage_update", used=10, size=100, cost=cost)
            assert shown in bar(session)
