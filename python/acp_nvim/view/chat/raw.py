"""What can be read out of a tool call's raw input and output, which are any JSON (C-172, C-173)."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

LIMIT = 1_000_000
"""Characters of raw JSON that is laid out for reading."""
COMMANDS = frozenset(
    {
        *("command", "cmd", "commandLine", "command_line", "shell_command", "shellCommand"),
        *("script", "bash", "code"),
    }
)
"""Members of an input by which an agent may mean a command."""
IDLE = frozenset(
    {
        *("description", "reason", "explanation", "justification"),
        *("timeout", "timeout_ms", "timeoutMs", "call_id", "callId", "turn_id", "turnId"),
    }
)
"""Members of an input that do not change what it does."""
SAID = frozenset({"command", "parsed_cmd", "parsedCmd"})
"""Others, that the command says already."""


@lru_cache(maxsize=8)
def command(raw_input: str | None) -> str | None:
    """Return the shell command of a raw input, in full, if it has one; a list is joined.

    However long the input is: nothing that pads it hides the command.
    """
    value = _parsed(raw_input) if raw_input else None
    found = value.get("command") if isinstance(value, dict) else None
    if isinstance(found, list) and found and all(isinstance(word, str) for word in found):
        return shlex.join(found)
    return found if isinstance(found, str) and found else None


@lru_cache(maxsize=8)
def beside(raw_input: str | None) -> tuple[tuple[str, str], ...]:
    """Return what an object has besides its command, as names and texts: its leaves, without those
    that are empty. () for what is no object, or too long to be worth reading."""
    value = _value(raw_input)
    if not isinstance(value, dict):
        return ()
    # a command that cannot be read is not left out
    said = IDLE | SAID if command(raw_input) else IDLE
    return tuple(
        leaf for name, it in value.items() if name not in said for leaf in _leaves(name, it)
    )


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, it in value.items():
            yield from _leaves(f"{name}.{key}", it)
    elif value not in (None, False, "", []):
        yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def readable(raw: str | None) -> str:
    """Return raw JSON for reading: a string as its text, all else indented; "" for nothing."""
    value = _value(raw)
    if value is None:
        return raw if raw and raw != "null" else ""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _value(raw: str | None) -> Any:
    """Return the JSON value; None if there is none, or it is too long to be worth reading."""
    return None if not raw or len(raw) > LIMIT else _parsed(raw)


def _parsed(raw: str) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None
