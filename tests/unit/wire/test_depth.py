"""JSON nested too deeply: whoever asks or waits in it is answered, and nothing else is taken."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_nvim.wire.depth import DEEPEST, is_too_deep
from acp_nvim.wire.message import (
    BEFORE,
    TOO_DEEP,
    Failure,
    Noise,
    Notification,
    Request,
    Response,
    parse_text,
)


def nested(depth: int) -> Any:
    value: Any = 1
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


@pytest.mark.parametrize("depth", [0, 1, 2, DEEPEST])
def test_what_is_deep_enough(depth: int) -> None:
    assert not is_too_deep(nested(depth))
    assert not is_too_deep([nested(depth - 1), *range(100)] if depth else 1)


@pytest.mark.parametrize("depth", [DEEPEST + 1, 900, 100_000])
def test_what_is_too_deep(depth: int) -> None:
    assert is_too_deep(nested(depth))
    assert is_too_deep({"many": [1, 2, 3], "deep": nested(depth)})


@pytest.mark.parametrize("depth", [DEEPEST, 400, 900])
def test_the_parts_of_a_message_that_can_still_be_told(depth: int) -> None:
    deep = nested(depth)
    request, noise = {"id": "r", "method": "m", "params": {"x": deep}}, TOO_DEEP
    first, second = parse_text(json.dumps(request))
    assert isinstance(first, Noise) and first.reason == noise
    assert second == Request("r", "m")
    first, second = parse_text(json.dumps({"id": 3, "jsonrpc": "2.0", "result": {"x": deep}}))
    assert isinstance(first, Noise) and second == Failure(3, 0, f"the answer is {noise}")
    (only,) = parse_text(json.dumps({"method": "m", "params": {"x": deep}}))
    assert isinstance(only, Noise) and only.reason == noise


def test_what_stands_beside_it_is_whole() -> None:
    texts = [{"method": "a"}, {"method": "b", "params": nested(900)}, {"id": 1, "result": {}}]
    said = parse_text(json.dumps([*texts[:2], texts[2] | {"jsonrpc": "2.0"}]))
    assert said[0] == Notification("a")
    assert isinstance(said[1], Noise)
    assert said[2] == Response(1, {})


BOTTOMLESS = '"params":' + "[" * 200_000
"""What no parser takes."""


def test_who_asks_in_what_no_parser_takes_is_answered() -> None:
    first, second = parse_text('{"jsonrpc":"2.0","id":4,"method":"m",' + BOTTOMLESS)
    assert isinstance(first, Noise) and first.reason == TOO_DEEP and second == Request(4, "m")
    first, second = parse_text('{"jsonrpc":"2.0","id":4,"result":' + "[" * 200_000)
    assert isinstance(first, Noise) and second == Failure(4, 0, f"the answer is {TOO_DEEP}")
    (only,) = parse_text('{"method":"m",' + BOTTOMLESS)
    assert isinstance(only, Noise)


@pytest.mark.parametrize("params", [BOTTOMLESS, f'"params":{json.dumps(nested(400))}}}'])
def test_who_asks_so_behind_text_is_answered(params: str) -> None:
    text, noise, request = parse_text('sent {"jsonrpc":"2.0","id":4,"method":"m",' + params)
    assert isinstance(text, Noise) and isinstance(noise, Noise) and request == Request(4, "m")
    assert (text.reason, noise.reason) == (BEFORE, TOO_DEEP)
