"""Every number that an agent may send, in the place of every other: what scripts and the editor
are told are numbers that they have, and everything can be drawn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Any

import msgpack
import pytest

from acp_nvim.errors import RequestFailed
from acp_nvim.protocol.dialect import Dialect
from acp_nvim.protocol.records import ClientCapabilities, SessionUpdated
from acp_nvim.protocol.v1.dialect import V1
from acp_nvim.protocol.v2.dialect import V2
from acp_nvim.session.event import Event, SessionOpened
from acp_nvim.session.reduce.reduce import reduce
from acp_nvim.session.state import SessionState
from acp_nvim.view.announcement import announce
from acp_nvim.view.chat.transcript import Transcript, render
from acp_nvim.view.snapshot import snapshot
from acp_nvim.view.status import summary, winbar
from acp_nvim.wire.long_line import load
from acp_nvim.wire.message import Notification, Request, Response, parse_text

GOLDEN = Path(__file__).parents[2] / "golden"
DIALECTS = {"v1": V1(), "v2": V2()}
NUMBERS = ["9" * 4_299, "-" + "9" * 4_299, "1e999", "-1e999", "1e308", "-1e308", "NaN", "Infinity"]
NUMBERS += ["-Infinity", str(2**63), str(-(2**63) - 1), str(2**64), "1e-999", "-0", "0"]
LARGEST = 2**63 - 1
ALL = ClientCapabilities(*[True] * 9)
MARK = 4_711_471_147


def files() -> Iterator[tuple[str, Path]]:
    for version in DIALECTS:
        yield from ((version, path) for path in sorted((GOLDEN / version).glob("*.json")))


def marked(value: Any) -> Any:
    """Put a mark in the place of each number but those that name the protocol or a request."""
    match value:
        case dict():
            kept = ("id", "protocolVersion", "requestId", "code")
            return {key: it if key in kept else marked(it) for key, it in value.items()}
        case list():
            return [marked(it) for it in value]
        case bool() | None | str():
            return value
        case _:
            return MARK


def numbers(value: Any) -> Iterator[float]:
    match value:
        case dict():
            for it in value.values():
                yield from numbers(it)
        case list() | tuple():
            for it in value:
                yield from numbers(it)
        case int() | float():
            yield value


def understood(dialect: Dialect, text: str) -> tuple[Event, ...]:
    (message,) = parse_text(text)
    match message:
        case Notification(method, params):
            told = dialect.decode_notification(method, params)
            return told.events if isinstance(told, SessionUpdated) else ()
        case Request(_, method, params):
            try:
                asked = dialect.decode_request(method, params, ALL)
            except RequestFailed:
                return ()
            call = getattr(asked, "tool_call", None)
            return () if call is None else (call,)
        case Response(_, result) if isinstance(result, dict) and "sessionId" in result:
            return (dialect.decode_session("session/new", result),)
        case _:
            return ()


def cases() -> list[Any]:
    found = []
    for version, path in files():
        text = json.dumps(marked(json.loads(path.read_text(encoding="utf-8"))))
        if str(MARK) in text:
            found.append(pytest.param(version, text, id=f"{version}-{path.stem}"))
    return found


@pytest.mark.parametrize(("version", "text"), cases())
def test_every_number_in_every_place(version: str, text: str) -> None:
    for number in NUMBERS:
        sent = text.replace(str(MARK), number)
        assert parse_text(sent) == parse_text(sent, load)
        state = reduce(SessionState("a", "/w"), SessionOpened("s"))
        for event in understood(DIALECTS[version], sent):
            before, state = state, reduce(state, event)
            told = announce(before, event, state)
            plain = [told, summary(state), snapshot(state)]
            winbar(state, title="a", now=0.0)
            render(state, frozenset({entry.key for entry in state.entries}), Transcript())
            msgpack.packb(plain, default=list)
            for found in numbers(plain):
                assert isfinite(found)
                assert abs(found) <= LARGEST
