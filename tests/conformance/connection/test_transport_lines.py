"""Obligations C-011 to C-015 and C-027: lines that are cut, long, broken, or no messages."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from acp_nvim.client import registry
from acp_nvim.transport import link
from tests.support.agents.scripted_agent import SESSION, line
from tests.support.stage import Stage, notices, texts

BARRIER = {"jsonrpc": "2.0", "id": "b", "method": "_test/after", "params": {}}


NOISE = [
    b"Starting...",
    b"42",
    b"null",
    b"true",
    b'"text"',
    b"{}",
    b"[]",
    b"[1,[2]]",
    b'{"level":"info"}',
    b'{"id":1}',
    b'{"jsonrpc":"2.0","id":[1],"method":"x"}',
    b'{"jsonrpc":"2.0","id":[1],"result":{}}',
    b'{"jsonrpc":"2.0","id":12345,"result":{}}',
    b'{"method":5}',
    b"\x1b[2J",
    b"\0",
    b"[" * 100_000,
    b"{" * 1_000,
]


async def test_c011_noise_on_stdout_is_logged_and_skipped() -> None:
    async with Stage() as stage:
        session = await stage.start()
        before = len(stage.events)
        for noise in NOISE:
            stage.agent.write(noise + b"\n")
        await stage.agent.quiet()
        assert len(stage.events) == before
        assert stage.logged().count("skipped") >= len(NOISE)
        request = await stage.turn(session)
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason == "end_turn")


async def test_c012_broken_json_fails_nothing() -> None:
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.agent.write(b'{"jsonrpc":"2.0","id":\n')
        stage.agent.write(b'{"jsonrpc":"2.0","id":%d,"result":\n' % request["id"])
        stage.agent.say("still here")
        await stage.agent.quiet()
        assert texts(session) == ["still here"]
        assert session.state.status == "running"


async def test_c013_invalid_utf8_is_replaced() -> None:
    async with Stage() as stage:
        session = await stage.start()
        for text in (b"caf\xff ", b"\xed\xa0\x80 ", b"good"):
            update = (
                b'{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}'
            )
            params = b'{"sessionId":"%s","update":%s}' % (SESSION.encode(), update % text)
            stage.agent.write(b'{"jsonrpc":"2.0","method":"session/update","params":%s}\n' % params)
        await stage.agent.quiet()
        assert texts(session) == ["caf\ufffd \ufffd\ufffd\ufffd good"]


def _bytewise(data: bytes) -> Iterable[bytes]:
    return [data[i : i + 1] for i in range(len(data))]


CUTS: dict[str, Callable[[bytes], Iterable[bytes]]] = {
    "one byte at a time": _bytewise,
    "CRLF": lambda data: [data.replace(b"\n", b"\r\n")],
    "CRLF, one byte at a time": lambda data: _bytewise(data.replace(b"\n", b"\r\n")),
    "blank lines": lambda data: [b"\n \n\r\n" + data + b"\n\n"],
    "a BOM": lambda data: [b"\xef\xbb\xbf" + data],
    "the newline first": lambda data: [b"\n", data[:-1], b"\n"],
}


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
async def test_c014_lines_may_be_cut_anyhow(cut: Callable[[bytes], Iterable[bytes]]) -> None:
    async with Stage() as stage:
        stage.agent.cut = cut
        session = await stage.start()
        request = await stage.turn(session)
        stage.agent.say("größe 😀")
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason == "end_turn")
        assert texts(session) == ["größe 😀"]
        await stage.agent.quiet()


async def test_c014_two_messages_in_one_write() -> None:
    async with Stage() as stage:
        session = await stage.start()
        stage.agent.write(line(_chunk("a")) + line(_chunk("b")) + line(BARRIER)[:10])
        stage.agent.write(line(BARRIER)[10:])
        assert (await stage.agent.next())["id"] == "b"
        assert texts(session) == ["ab"]


async def test_c014_the_last_line_needs_no_newline() -> None:
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": {"stopReason": "refusal"}}
        stage.agent.write(line(answer).rstrip(b"\n"))
        stage.link.exit()
        await stage.until(lambda: session.state.status == "closed")
        assert session.state.stop_reason == "refusal"


async def test_c015_a_line_of_20_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: dict[bool, set[threading.Thread]] = {False: set(), True: set()}
    parse = link.parse_text

    def spy(text: str, *load: Any) -> Any:
        threads[len(text) > 1_000_000].add(threading.current_thread())
        return parse(text, *load)

    monkeypatch.setattr(link, "parse_text", spy)
    monkeypatch.setattr(registry, "MOST_IN_TURN", 64 << 20)
    async with Stage() as stage:
        session = await stage.start()
        whole = line(_chunk("x" * 20_000_000))
        for start in range(0, len(whole), 65_536):
            stage.link.write(whole[start : start + 65_536])
        stage.agent.say("y")
        await stage.until(lambda: texts(session) and texts(session)[-1].endswith("y"))
        assert "".join(texts(session)) == "x" * 20_000_000 + "y"  # a message for each million
    # The loop, and with it the user interface, goes on meanwhile.
    assert threads[False] == {threading.main_thread()}
    assert threading.main_thread() not in threads[True] != set()


async def test_c027_the_messages_of_an_array_are_handled() -> None:
    async with Stage() as stage:
        session = await stage.start()
        stage.agent.write(json.dumps([_chunk("a"), 5, _chunk("b"), BARRIER]).encode() + b"\n")
        assert (await stage.agent.next())["id"] == "b"
        assert texts(session) == ["ab"]


def _chunk(text: str) -> dict[str, Any]:
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    params = {"sessionId": SESSION, "update": update}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


TITLE = b"\x1b]0;agent\x07"


async def test_a_title_before_the_answers_hides_none_of_them() -> None:
    async with Stage() as stage:
        stage.agent.cut = lambda data: [TITLE + data]
        session = await stage.start()
        request = await stage.turn(session)
        stage.agent.say("hello")
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason == "end_turn")
        assert texts(session) == ["hello"]
        told = [it for it in notices(session) if "prints text among its messages" in it]
        assert len(told) == 1 and ":Acp log scripted" in told[0]
        assert stage.logged().count("text before a message") == 4


async def test_an_agent_that_logs_its_traffic_to_stdout_is_understood() -> None:
    def logged(data: bytes) -> Iterable[bytes]:
        return [b"[debug] sent " + data, data]

    async with Stage() as stage:
        stage.agent.cut = logged
        session = await stage.start()
        request = await stage.turn(session)
        stage.link.write(b"[debug] received " + line(request))
        stage.link.write(b'[debug] received {"jsonrpc":"2.0","id":"x","result":{}}\n')
        stage.agent.say("a")
        stage.agent.say("a")
        stage.agent.request("_test/after", {}, "b")
        assert (await stage.agent.next())["id"] == "b"
        assert texts(session) == ["aa"]
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason == "end_turn")
