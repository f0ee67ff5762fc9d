"""A message for which there is not enough memory: it is skipped, and told; all others arrive."""

from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.protocol.v1.dialect import V1
from acp_nvim.transport import link
from acp_nvim.wire.framing import Cut, Framer
from tests.faults.whole_app import WholeApp
from tests.support.agents.scripted_agent import SESSION

HUGE = "too much"
UPDATE = {"sessionUpdate": "plan", "entries": [{"content": HUGE}]}
CHUNK = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": HUGE}}


class Uncopied(bytearray):
    """A line that does not fit into the memory once more."""

    def __bytes__(self) -> bytes:
        raise MemoryError


class Full(bytearray):
    """The beginning of a line that does not fit into the memory."""

    def __iadd__(self, _part: object) -> Full:  # type: ignore[override,misc]
        raise MemoryError


def test_a_line_that_cannot_be_joined_is_let_go_and_the_lines_behind_it_are_not() -> None:
    framer = Framer()
    framer._begun = Uncopied()
    assert framer.feed(b"end\none\ntwo") == [b"one"]
    assert framer.lost
    assert framer.feed(b" more\n") == [b"two more"]


def test_a_line_that_cannot_be_kept_is_one_that_is_too_long() -> None:
    framer = Framer()
    framer._begun = Full(b"beginning")
    assert framer.feed(b"end") == []
    (first, second) = framer.feed(b"more\none\n")
    assert isinstance(first, Cut) and (first, second) == (b"beginning", b"one")


async def test_a_line_that_cannot_be_parsed_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    parse = link.parse_text

    def parsed(text: str, *more: Any) -> Any:
        if HUGE in text:
            raise MemoryError
        return parse(text, *more)

    monkeypatch.setattr(link, "parse_text", parsed)
    async with WholeApp() as app:
        await app.open()
        app.agent.notify("session/update", {"sessionId": SESSION, "update": UPDATE})
        assert all("result" in it for it in await app.job())
        assert ["does not fit" in str(it) for it in app.notifier.faults] == [True]


@pytest.mark.parametrize("decoder", ["decode_notification", "decode_request"])
async def test_a_message_that_cannot_be_understood_is_skipped(
    decoder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    decode = getattr(V1, decoder)

    def decoded(dialect: V1, method: str, params: Any, *more: Any) -> Any:
        if HUGE in str(params):
            raise MemoryError
        return decode(dialect, method, params, *more)

    monkeypatch.setattr(V1, decoder, decoded)
    async with WholeApp() as app:
        await app.open()
        app.agent.notify("session/update", {"sessionId": SESSION, "update": UPDATE})
        if decoder == "decode_request":
            params = {"sessionId": SESSION, "path": "/b", "content": HUGE}
            answer = await app.agent.ask("fs/write_text_file", params)
            assert answer["error"]["code"] == -32603
        assert all("result" in it for it in await app.job())
        assert list(map(type, app.notifier.faults)) == [MemoryError]


async def test_an_update_that_comes_by_thousands_is_skipped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = V1.read_update

    def decoded(dialect: V1, line: bytes | str) -> Any:
        if HUGE.encode() in (line if isinstance(line, bytes) else line.encode()):
            raise MemoryError
        return read(dialect, line)

    monkeypatch.setattr(V1, "read_update", decoded)
    async with WholeApp() as app:
        await app.open()
        app.agent.notify("session/update", {"sessionId": SESSION, "update": CHUNK})
        assert all("result" in it for it in await app.job())
        assert list(map(type, app.notifier.faults)) == [MemoryError]
