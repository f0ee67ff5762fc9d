"""Characters that a program of UTF-16 strings cuts in two: they are whole on our side (C-013)."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import anyio
import msgpack
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_nvim.nvim.call import fitting
from acp_nvim.session.content import Text
from acp_nvim.session.saved import saved_of
from acp_nvim.storage.sessions import SessionCodec
from acp_nvim.view.snapshot import snapshot
from acp_nvim.view.talk import talk
from tests.conformance.version2.saying import begin
from tests.fuzz.play import draw
from tests.support.stage import SESSION, Stage, texts, tool

FEW = settings(
    max_examples=40,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def cut(text: str, size: int) -> list[str]:
    """Return the text in pieces of so many UTF-16 units; a half is a lone surrogate."""
    data = text.encode("utf-16-le", "surrogatepass")
    pieces = (data[at : at + 2 * size] for at in range(0, len(data), 2 * size))
    return [piece.decode("utf-16-le", "surrogatepass") for piece in pieces]


def say(stage: Stage, update: dict[str, Any], session: str = SESSION, **more: Any) -> None:
    """Send an update as JavaScript writes it: lone surrogates, and they alone, are escaped."""
    params = {**more, "sessionId": session, "update": update}
    text = json.dumps(
        {"jsonrpc": "2.0", "method": "session/update", "params": params}, ensure_ascii=False
    )
    escaped = [
        f"\\u{ord(it):04x}" if "\ud800" <= it <= "\udfff" else it for it in text
    ]  # the pieces hold no pairs but as one character
    stage.agent.write("".join(escaped).encode() + b"\n")


def chunk(kind: str, text: str, **more: Any) -> dict[str, Any]:
    return {"sessionUpdate": kind, "content": {"type": "text", "text": text}, **more}


@pytest.mark.parametrize("role", ["agent", "thought"])
@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("version", [1, 2])
async def test_a_message_is_joined(role: str, size: int, version: int) -> None:
    async with Stage(protocol=version) as stage:
        session = await (stage.start() if version == 1 else stage.start_2())
        if version == 2:
            await begin(stage, session)
        else:
            await stage.turn(session)
        kind = {"agent": "agent_message_chunk", "thought": "agent_thought_chunk"}[role]
        for piece in cut('😀a😀😀"\\ud83d\\', size):
            say(stage, chunk(kind, piece, messageId="m"))
        await stage.agent.quiet()
        assert texts(session, role) == ['😀a😀😀"\\ud83d\\']


async def test_pieces_that_an_agent_counts_are_joined() -> None:
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        for number, piece in enumerate(cut("a😀b", 2)):
            say(stage, chunk("agent_message_chunk", piece, _meta={"chunkId": number}))
        await stage.agent.quiet()
        assert texts(session, "agent") == ["a😀b"]


async def test_texts_that_come_at_the_same_time_are_joined_each() -> None:
    async with Stage() as stage:
        session = await stage.start()
        other = await stage.start_another("other")
        await stage.turn(session)
        first, second = cut("😀", 1), cut("🦀", 1)
        say(stage, chunk("agent_message_chunk", first[0]))
        say(stage, chunk("agent_message_chunk", second[0]), "other")
        say(stage, chunk("agent_message_chunk", first[1]), **{"_meta": {"n": 1}})
        say(stage, chunk("agent_message_chunk", second[1]), "other")
        await stage.agent.quiet()
        assert (texts(session), texts(other)) == (["😀"], ["🦀"])


async def test_a_half_that_stays_alone_is_the_replacement_character() -> None:
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        for piece in ("a\ud83d", "b", "\ude00c", "d\ud83d"):
            say(stage, chunk("agent_message_chunk", piece))
        await stage.agent.quiet()
        assert texts(session) == ["a\ufffdb\ufffdcd"]


@pytest.mark.parametrize("key", ["terminal_output", "terminal_output_delta"])
async def test_the_output_of_an_agents_terminal_is_joined(key: str) -> None:
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        embedded = [{"type": "terminal", "terminalId": "t"}]
        stage.agent.update("tool_call", toolCallId="call-1", title="run", content=embedded)
        for piece in cut("1😀2😀", 2):
            meta = {key: {"terminal_id": "t", "data": piece}}
            say(stage, {"sessionUpdate": "tool_call_update", "toolCallId": "call-1", "_meta": meta})
        await stage.agent.quiet()
        assert tool(session).terminals[0].tail == "1😀2😀"


async def test_what_replaces_a_text_is_not_joined() -> None:
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        for text in ("a\ud83d", "a😀b"):
            content = [{"type": "content", "content": {"type": "text", "text": text}}]
            say(
                stage,
                {"sessionUpdate": "tool_call_update", "toolCallId": "call-1", "content": content},
            )
        await stage.agent.quiet()
        assert tool(session).content[0] == Text("a😀b")


async def test_the_content_of_a_call_is_joined_in_version_2() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        await begin(stage, session)
        stage.agent.update("tool_call_update", toolCallId="call-1", title="look")
        for piece in cut("x😀y", 2):
            block = {"type": "content", "content": {"type": "text", "text": piece}}
            say(
                stage,
                {"sessionUpdate": "tool_call_content_chunk", "toolCallId": "call-1"}
                | {"content": block},
            )
        await stage.agent.quiet()
        assert "x😀y" in "".join(str(getattr(it, "text", it)) for it in tool(session).content)


async def test_bytes_of_a_character_in_two_frames_are_joined_in_version_2() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        await begin(stage, session)
        embedded = [{"type": "terminal", "terminalId": "t"}]
        stage.agent.update("tool_call_update", toolCallId="call-1", title="x", content=embedded)
        for byte in "ü😀".encode():
            data = b64encode(bytes([byte])).decode()
            stage.agent.update("terminal_output_chunk", terminalId="t", data=data)
        await stage.agent.quiet()
        assert tool(session).terminals[0].tail == "ü😀"


TEXTS = st.text(st.characters(categories=["Cs", "L", "So", "Cc"]) | st.sampled_from("😀🦀"))


@FEW
@given(st.lists(TEXTS, max_size=5), st.binary(max_size=8), st.sampled_from((1, 2)))
def test_halves_break_nothing(pieces: list[str], data: bytes, version: int) -> None:
    async def run() -> None:
        async with Stage(protocol=version) as stage:
            session = await (stage.start() if version == 1 else stage.start_2())
            for number, piece in enumerate(pieces):
                say(stage, chunk("agent_message_chunk", piece))
                say(stage, chunk("agent_thought_chunk", piece, messageId=piece))
                call = {"toolCallId": f"c{number}", "title": piece, "rawInput": {piece: piece}}
                say(stage, {"sessionUpdate": "tool_call_update", **call})
                meta = {"terminal_output": {"terminal_id": "t", "data": piece}}
                say(stage, {"sessionUpdate": "tool_call_update", **call, "_meta": meta})
            coded = b64encode(data).decode()
            stage.agent.update("terminal_output_chunk", terminalId="t", data=coded)
            say(stage, {"sessionUpdate": "session_info_update", "title": "".join(pieces)})
            await stage.agent.quiet()
            draw(session)
            msgpack.packb(fitting(snapshot(session.state)))
            stage.logged().encode()
            saved = saved_of(session.state, 1.0)
            codec = SessionCodec()
            codec.from_text(codec.to_text(saved))
            talk(session.state.entries, "").encode()

    anyio.run(run)
