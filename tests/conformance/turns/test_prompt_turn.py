"""C-110 to C-123: prompts go out when they may, and a turn ends however it ends."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from acp_nvim.session.content import Audio, Content, Image, Resource, ResourceLink, Text
from acp_nvim.session.model import Selection
from tests.conformance.connection.probe import bar, chat, shows
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import Stage, texts, tool

PIXEL = base64.b64encode(b"\x89PNG\r\n").decode()
RICH: tuple[Content, ...] = (
    Text("look"),
    Image(PIXEL, "image/png", "file:///p/a.png"),
    Audio(PIXEL, "audio/wav"),
    Resource("file:///p/a%20b.py", text="x = 1\n", mime_type="text/x-python"),
    Resource("file:///p/a.bin", blob=PIXEL),
    ResourceLink("file:///p/c.py", "c.py"),
)
ALL = {"image": True, "audio": True, "embeddedContext": True}
PYTHON = Selection(1, 1, "/p/a.py", 2, 3, ("x = 1", "y = 2"), "python")


def capable(**prompt: bool) -> dict[str, Any]:
    """Return the `initialize` fields of an agent with these prompt capabilities."""
    return {"agentCapabilities": {"promptCapabilities": prompt}}


def text_of(request: dict[str, Any]) -> str:
    """Return the first text of a `session/prompt`."""
    return str(request["params"]["prompt"][0]["text"])


async def sent(stage: Stage, *blocks: str | Content, **initialize: Any) -> list[dict[str, Any]]:
    """Start, submit a prompt, and return its blocks on the wire."""
    session = await stage.start(**initialize)
    stage.prompt(session, *blocks)
    request = await stage.agent.expect("session/prompt")
    assert request["params"]["sessionId"] == SESSION
    return list(request["params"]["prompt"])


async def test_c110_no_prompt_before_the_session_is_open():
    async with Stage() as stage:
        session = stage.launch()
        stage.prompt(session, "before initialize")
        await stage.agent.initialize()
        opening = await stage.agent.expect("session/new")
        stage.prompt(session, "before session/new is answered")
        await stage.agent.quiet()
        assert shows(session, "queued: before initialize")
        stage.agent.reply(opening, {"sessionId": SESSION})
        first = await stage.agent.expect("session/prompt")
        assert text_of(first) == "before initialize"
        stage.agent.reply(first, {"stopReason": "end_turn"})
        second = await stage.agent.expect("session/prompt")
        assert text_of(second) == "before session/new is answered"


async def test_c111_blocks_obey_the_prompt_capabilities():
    async with Stage() as stage:
        blocks = await sent(stage, *RICH)
    assert {block["type"] for block in blocks} == {"text", "resource_link"}
    assert blocks[0] == {"type": "text", "text": "look"}
    uris = [block["uri"] for block in blocks if block["type"] == "resource_link"]
    assert uris == ["file:///p/a%20b.py", "file:///p/a.bin", "file:///p/c.py"]
    assert {"type": "text", "text": "\n\n```\nx = 1\n```"} in blocks, (
        "some agents glue texts together"
    )


@pytest.mark.parametrize(
    ("capability", "kind"),
    [("image", "image"), ("audio", "audio"), ("embeddedContext", "resource")],
)
async def test_c111_each_capability_counts_alone(capability: str, kind: str):
    async with Stage() as stage:
        blocks = await sent(stage, *RICH, **capable(**{capability: True}))
    assert {block["type"] for block in blocks} == {"text", "resource_link", kind}


async def test_c112_text_and_links_are_always_allowed():
    link = ResourceLink("file:///p/a.py", "a.py")
    async with Stage() as stage:
        blocks = await sent(stage, "see", link)
    assert blocks == [
        {"type": "text", "text": "see"},
        {"type": "resource_link", "uri": "file:///p/a.py", "name": "a.py"},
    ]


async def test_c113_a_selection_is_embedded_with_the_live_text():
    async with Stage() as stage:
        session = await stage.start(**capable(embeddedContext=True))
        stage.prompt(session, "explain", selections=(PYTHON,))
        request = await stage.agent.expect("session/prompt")
    assert request["params"]["prompt"] == [
        {"type": "text", "text": "explain"},
        {
            "type": "resource",
            "resource": {
                "uri": "file:///p/a.py#L2-L3",
                "mimeType": "text/x-python",
                "text": "x = 1\ny = 2\n",
            },
        },
    ]


async def test_c114_blocks_have_their_required_fields():
    async with Stage() as stage:
        blocks = await sent(stage, *RICH, **capable(**ALL))
    kinds = [block["type"] for block in blocks]
    assert kinds == ["text", "image", "audio", "resource", "resource", "resource_link"]
    _, image, audio, text, blob, link = blocks
    for data in (image["data"], audio["data"], blob["resource"]["blob"]):
        assert base64.b64decode(data, validate=True) == b"\x89PNG\r\n"
    assert (image["mimeType"], audio["mimeType"]) == ("image/png", "audio/wav")
    assert text["resource"]["text"] == "x = 1\n" and "blob" not in text["resource"]
    assert (link["uri"], link["name"]) == ("file:///p/c.py", "c.py")


@pytest.mark.parametrize("name", ["a b.py", "a#b.py", "a?b.py", "ü.py", "100%.py"])
async def test_c115_file_uris_are_percent_encoded(name: str):
    path = f"/some dir/{name}"
    async with Stage() as stage:
        session = await stage.start(**capable(embeddedContext=True))
        stage.prompt(session, "x", selections=(Selection(1, 1, path, 2, 3, ("a", "b")),))
        request = await stage.agent.expect("session/prompt")
    uri = request["params"]["prompt"][1]["resource"]["uri"]
    parts = urlsplit(uri)
    assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("file", "", "", "L2-L3")
    assert unquote(parts.path) == path
    assert uri.isascii() and " " not in uri


async def test_c116_what_the_agent_cannot_take_is_explained():
    async with Stage() as stage:
        session = await stage.start()
        stage.prompt(session, *RICH)
        await stage.agent.expect("session/prompt")
        assert shows(session, "[image/png file:///p/a.png: this agent takes no images]")
        assert shows(session, "[audio/wav: this agent takes no audio]")


async def test_c117_one_prompt_at_a_time():
    async with Stage() as stage:
        session = await stage.start()
        first = await stage.turn(session, "one")
        stage.prompt(session, "two")
        await stage.agent.quiet()
        assert shows(session, "queued: two")
        stage.agent.reply(first, {"stopReason": "end_turn"})
        second = await stage.agent.expect("session/prompt")
        assert text_of(second) == "two"
        assert texts(session, "user") == ["one", "two"]


async def test_c118_the_response_ends_the_turn_whatever_runs():
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.agent.update("tool_call", toolCallId="call-1", title="Build", status="in_progress")
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.status == "idle")
        assert tool(session).status == "ended"
        assert shows(session, "• Build")


@pytest.mark.parametrize(
    "reason", ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "weird"]
)
async def test_c119_every_stop_reason_ends_the_turn(reason: str):
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.agent.reply(request, {"stopReason": reason})
        await stage.until(lambda: session.state.status == "idle")
        assert session.state.stop_reason == reason
        hows = {"end_turn": "done", "cancelled": "cancelled", "refusal": "refused"}
        assert chat(session)[-1].startswith(f"── {hows.get(reason, 'stopped')} · ")
        assert reason != "end_turn" or shows(session, "said nothing")
        assert reason != "weird" or shows(session, "The agent stopped: weird")
        await stage.turn(session, "next")


@pytest.mark.parametrize("result", [{}, {"stopReason": 5}, None, [], "done"])
async def test_c119_an_answer_without_a_reason_ends_the_turn(result: Any):
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.agent.reply(request, result)
        await stage.until(lambda: session.state.status == "idle")
        await stage.turn(session, "next")


async def test_c120_a_refusal_says_what_is_forgotten():
    async with Stage() as stage:
        session = await stage.start()
        stage.agent.reply(await stage.turn(session), {"stopReason": "refusal"})
        await stage.until(lambda: session.state.status == "idle")
        assert shows(session, "this prompt and what followed are not part of the conversation")


@pytest.mark.parametrize("reason", ["max_tokens", "max_turn_requests"])
async def test_c121_limits_are_shown(reason: str):
    async with Stage() as stage:
        session = await stage.start()
        stage.agent.reply(await stage.turn(session), {"stopReason": reason})
        await stage.until(lambda: session.state.status == "idle")
        assert shows(session, "! The agent stopped: it has reached its limit")
        assert f"idle ({reason})" in bar(session)


async def test_c122_an_error_ends_the_turn_and_is_shown():
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.agent.refuse(request, -32603, "the model is on fire")
        await stage.until(lambda: session.state.status == "idle")
        assert shows(session, "✗ The turn failed: the model is on fire")
        again = await stage.turn(session, "again")
        stage.agent.say("fine")
        stage.agent.reply(again, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.status == "idle")
        assert texts(session) == ["fine"]


async def test_an_error_without_words_is_still_a_sentence():
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.agent.send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -7}})
        await stage.until(lambda: session.state.status == "idle")
        assert shows(session, "✗ The turn failed: the agent does not say why (code -7)")


async def test_c123_updates_outside_a_turn_are_applied():
    async with Stage() as stage:
        session = await stage.start()
        stage.agent.say("before any turn")
        await stage.agent.quiet()
        request = await stage.turn(session)
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.status == "idle")
        stage.agent.say("late")
        stage.agent.update("tool_call", toolCallId="call-1", title="late call")
        await stage.agent.quiet()
        assert texts(session) == ["before any turn", "late"]
        assert tool(session).title == "late call"
