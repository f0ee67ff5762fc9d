"""Long answers are written in steps, and are what they would be at once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_nvim.wire import long_line
from acp_nvim.wire.message import Response, to_line


@pytest.mark.parametrize(
    "value",
    [
        {"content": 'ü"\n\\\x00😀' * 100_000},
        {"content": "\ud800" * 300_000, "more": [1, None, True, 1.5]},
        {"a": {"b": {}, "c": []}, "content": "x" * 600_000},
        {},
        "y" * 600_000,
        float("nan"),
    ],
)
def test_it_is_the_same_line(value: Any) -> None:
    message = Response(1, value)
    assert to_line(message, long_line.pieces) == to_line(message)
    json.loads(to_line(message, long_line.pieces))
