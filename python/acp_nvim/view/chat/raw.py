"""What can be read out of a tool call's raw input and output, which are any JSON (C-172, C-173)."""

from __future__ import annotations

import json
import shlex
from typing import Any

LIMIT = 1_000_000


def command(raw_input: str | None) -> str | None:
    """Return the shell command of a raw input, in full, if it has one; a list is joined."""
    value = _value(raw_input)
    found = value.get("command") if isinstance(value, dict) else None
    if isinstance(found, list) and found and all(isinstance(word, str) for word in found):
        return shlex.join(found)
    return found if isinstance(found, str) and found else None


def readable(raw: str | None) -> str:
    """Return raw JSON for reading: a string as its text, all else indented; "" for nothing."""
    value = _value(raw)
    if value is None:
        return raw if raw and raw != "null" else ""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _value(raw: str | None) -> Any:
    """Return the JSON value; None if there is none, or it is too long to be worth reading."""
    if not raw or len(raw) > LIMIT:
        return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None
