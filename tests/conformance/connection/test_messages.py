"""C-124 to C-135: chunks become messages, and nothing that an agent sends stops a session."""

from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.session.content import Text
from acp_nvim.session.model import Location
from acp_nvim.session.state import Message
from acp_nvim.view.chat.transcript import Transcript, render
from tests.conformance.connection.probe import chat, shows
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import PROJECT, Stage, texts, tool
from tests.unit.view.look import groups

IMAGE = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": "aGVsbG8=", "mimeType": "audio/wav"}
LINK = {"type": "resource_link", "uri": f"file://{PROJECT}/a.py", "name": "a.py"}
EMBEDDED = {"type": "resource", "resource": {"uri": f"file://{PROJECT}/b.py", "text": "x = 1\n"}}
BLOB: dict[str, Any] = {
    "type": "resource",
    "resource": {
        "uri": f"file://{PROJECT}/c.bin",
        "blob": "aGVsbG8=",
        "mimeType": "application/zip",
    },
}
BLOCKS: list[tuple[dict[str, Any], str]] = [
    ({"type": "text", "text": "plain words"}, "plain words"),
    (IMAGE, "[image/png, 5 B]"),
    (AUDIO, "[audio/wav, 5 B]"),
    (LINK, "@a.py"),
    (EMBEDDED, "@b.py"),
    (BLOB, "@c.bin [application/zip, 5 B]"),
]
BAD_BLOCKS: list[Any] = [
    {"type": "_x"},
    {"type": 5},
    {},
    {"type": "text"},
    {"type": "text", "text": 7},
    {"type": "image", "data": "aGVsbG8="},
    {"type": "resource", "resource": {"uri": "file:///a"}},
    {"type": "diff", "path": "/a", "newText": "b"},
]
BAD_UPDATES: list[Any] = [
    {"sessionUpdate": "plan_update", "plan": {}},
    {"sessionUpdate": "_vendor/x"},
    {"sessionUpdate": None},
    {"sessionUpdate": "agent_message_chunk"},
    {"sessionUpdate": "agent_message_chunk", "content": "bare text"},
    {"sessionUpdate": "tool_call", "title": "no id"},
    {"sessionUpdate": "plan", "entries": "none"},
    {"sessionUpdate": "usage_update", "used": -1, "size": "big"},
    {"sessionUpdate": "available_commands_update"},
    {"sessionUpdate": "current_mode_update"},
    {},
    [],
    None,
    "chunk",
]


async def said(stage: Stage, *chunks: tuple[str, str | None], role: str = "agent") -> list[str]:
    """Send chunks of text and message id in a turn; return the messages of that role."""
    session = await stage.start()
    await stage.turn(session)
    for text, message_id in chunks:
        stage.agent.say(text, messageId=message_id)
    await stage.agent.quiet()
    return texts(session, role)


async def test_c124_the_same_id_is_one_message():
    async with Stage() as stage:
        assert await said(stage, ("a1 ", "a"), ("a2", "a"), ("b1", "b")) == ["a1 a2", "b1"]


async def test_c124_a_message_goes_on_after_a_tool_call():
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.agent.say("one ", messageId="a")
        stage.agent.update("tool_call", toolCallId="call-1", title="Look")
        stage.agent.say("two", messageId="a")
        await stage.agent.quiet()
        assert texts(session) == ["one two"]


async def test_c124_the_variant_belongs_to_the_identity():
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        thought = {"type": "text", "text": "hm"}
        stage.agent.update("agent_thought_chunk", content=thought, messageId="a")
        stage.agent.say("so", messageId="a")
        await stage.agent.quiet()
        assert (texts(session, "thought"), texts(session)) == (["hm"], ["so"])


async def test_c125_null_is_no_id_and_ids_are_opaque():
    async with Stage() as stage:
        assert await said(
            stage, ("x", None), ("y", None), ("1", "1"), ("01", "01"), ("1", "1")
        ) == ["xy", "11", "01"]


async def test_c126_without_ids_what_comes_between_ends_a_message():
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        thought = {"type": "text", "text": "hm"}
        stage.agent.update("agent_thought_chunk", content=thought)
        stage.agent.say("one")
        stage.agent.update("tool_call", toolCallId="call-1", title="Look")
        stage.agent.update("agent_thought_chunk", content=thought)
        stage.agent.update("plan", entries=[])
        stage.agent.update("agent_thought_chunk", content=thought)
        stage.agent.say("two")
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.status == "idle")
        await stage.turn(session, "next")
        stage.agent.say("three")
        await stage.agent.quiet()
        assert texts(session, "thought") == ["hm", "hm", "hm"]
        assert texts(session) == ["one", "two", "three"]


async def test_c127_interleaved_ids_find_their_message():
    async with Stage() as stage:
        assert await said(stage, ("a1", "a"), ("b1", "b"), ("a2", "a")) == ["a1a2", "b1"]


async def test_c128_a_live_echo_is_not_shown_twice():
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session, "hello")
        echo = {"type": "text", "text": "hello"}
        stage.agent.update("user_message_chunk", content=echo, messageId="u1")
        stage.agent.say("hi")
        await stage.agent.quiet()
        assert (texts(session, "user"), texts(session)) == (["hello"], ["hi"])


async def test_c128_in_a_replay_the_users_words_are_shown():
    async with Stage() as stage:
        session = await stage.start(agentCapabilities={"loadSession": True})
        await stage.client.close(session)
        stage.tasks.start_soon(stage.client.reopen, session, SESSION)
        load = await stage.agent.expect("session/load")
        words = {"type": "text", "text": "what I said"}
        stage.agent.update("user_message_chunk", content=words)
        stage.agent.say("what it said")
        stage.agent.reply(load, {})
        await stage.until(lambda: session.state.status == "idle")
        assert texts(session, "user") == ["what I said"]
        assert texts(session) == ["what it said"]


async def test_c129_text_is_markdown_however_it_is_cut():
    text = "# Title\n\nSome **bold** words.\n\n```python\nx = 1\n```\n\nafter\n"
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        drawn = Transcript()
        for character in text:
            stage.agent.say(character)
            await stage.agent.quiet()
            drawn = render(session.state, frozenset(), drawn)
        whole = render(session.state, frozenset(), None)
        assert [block.lines for block in drawn.blocks] == [block.lines for block in whole.blocks]
        lines = {line.text: line for block in drawn.blocks for line in block.lines}
        assert "AcpHeading" in " ".join(groups(lines["# Title"]))
        assert groups(lines["x = 1"]) and not groups(lines["after"])


@pytest.mark.parametrize(("block", "look"), BLOCKS)
async def test_c130_all_block_types_are_shown(block: dict[str, Any], look: str):
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.agent.update("agent_message_chunk", content=block)
        item = {"type": "content", "content": block}
        stage.agent.update("tool_call", toolCallId="call-1", title="Look", content=[item])
        await stage.agent.quiet()
        assert shows(session, look)
        assert shows(session, f"│ {look}", "tool:call-1")


@pytest.mark.parametrize("block", BAD_BLOCKS)
async def test_c131_a_bad_block_is_a_placeholder(block: Any):
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        before = len(chat(session))
        stage.agent.update("agent_message_chunk", content=block)
        await stage.agent.quiet()
        assert chat(session)[before:] == [f"[{_kind(block)}]"]
        stage.agent.update("tool_call", toolCallId="call-1", title="T", content=[block, IMAGE])
        stage.agent.say("still here")
        await stage.agent.quiet()
        assert shows(session, "[image/png, 5 B]", "tool:call-1")
        assert texts(session)[-1] == "still here"


def _kind(block: dict[str, Any]) -> str:
    return block["type"] if isinstance(block.get("type"), str) else ""


@pytest.mark.parametrize(
    "annotations",
    [{"audience": ["assistant"], "priority": 0.5}, {"audience": 1}, {"priority": "high"}, None],
)
async def test_c132_annotations_do_no_harm(annotations: Any):
    async with Stage() as stage:
        session = await stage.start()
        content = {"type": "text", "text": "noted", "annotations": annotations}
        stage.agent.update("agent_message_chunk", content=content)
        await stage.agent.quiet()
        assert texts(session) == ["noted"]


@pytest.mark.parametrize("update", BAD_UPDATES)
async def test_c133_a_bad_update_is_dropped_alone(update: Any):
    async with Stage() as stage:
        session = await stage.start()
        before = session.state
        stage.agent.notify("session/update", {"sessionId": SESSION, "update": update})
        await stage.agent.quiet()
        assert session.state == before
        stage.agent.say("still here")
        await stage.agent.quiet()
        assert texts(session) == ["still here"]


async def test_c133_a_notice_is_shown_plainly():
    async with Stage() as stage:
        session = await stage.start()
        stage.agent.update("notice", title="Quota", description="nearly used up", severity=9)
        await stage.agent.quiet()
        assert shows(session, "Quota: nearly used up")


async def test_c134_bad_optional_fields_become_defaults():
    async with Stage() as stage:
        session = await stage.start()
        stage.agent.update(
            "tool_call",
            toolCallId="call-1",
            title="Read",
            status=5,
            kind="teleport",
            locations=[1, {"path": "/a"}, {"line": 3}, {"path": "/b", "line": "x"}],
            content="nothing",
        )
        stage.agent.say("text", messageId=7)
        await stage.agent.quiet()
        call = tool(session)
        assert (call.status, call.kind, call.content) == ("pending", "other", ())
        assert call.locations == (Location("/a"), Location("/b"))
        assert texts(session) == ["text"]


async def test_c135_unknown_fields_are_ignored():
    extra: dict[str, Any] = {"zzz": 1, "_meta": {"zzz": [None]}}
    block = {"type": "text", "text": "hi", **extra}
    async with Stage() as stage:
        session = stage.launch()
        capabilities = {"promptCapabilities": {"image": True, **extra}, **extra}
        await stage.agent.initialize(agentCapabilities=capabilities, **extra)
        await stage.agent.open(SESSION, **extra)
        await stage.until(lambda: session.state.status == "idle")
        request = await stage.turn(session)
        stage.agent.update("agent_message_chunk", content=block, **extra)
        item = {"type": "content", "content": block, **extra}
        place = {"path": "/a", "line": 1, **extra}
        call = {"toolCallId": "call-1", "content": [item], "locations": [place], **extra}
        stage.agent.update("tool_call", title="T", **call)
        step = {"content": "c", "priority": "low", "status": "pending", **extra}
        stage.agent.update("plan", entries=[step], **extra)
        option = {"optionId": "yes", "name": "Yes", "kind": "allow_once", **extra}
        stage.agent.request_permission(9, toolCall=call, options=[option], **extra)
        await stage.until(lambda: session.state.questions)
        assert stage.choose(session.state.questions[0].id, "yes")
        answer = await stage.agent.answer_to(9)
        assert answer["result"] == {"outcome": {"outcome": "selected", "optionId": "yes"}}
        stage.agent.reply(request, {"stopReason": "end_turn", **extra})
        await stage.until(lambda: session.state.status == "idle")
        assert texts(session) == ["hi"]
        assert tool(session).content == (Text("hi"),)
        assert session.state.plan and session.state.plan.entries[0].content == "c"
        assert [type(entry) for entry in session.state.entries].count(Message) == 2
