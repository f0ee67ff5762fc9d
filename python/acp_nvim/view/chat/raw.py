"""What can be read out of a tool call's raw input and output, which are any JSON (C-172, C-173)."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from acp_nvim.session.terminal import command_line

LIMIT = 1_000_000
"""Characters of raw JSON that is laid out for reading."""
COMMANDS = frozenset(
    {
        *("command", "cmd", "commandLine", "command_line", "shell_command", "shellCommand"),
        *("script", "bash", "code"),
    }
)
"""Members of an input by which an agent may mean a command."""
IDLE = frozenset({"timeout", "timeout_ms", "timeoutMs", "call_id", "callId", "turn_id", "turnId"})
"""Members of an input that do not change what it does."""
ABOUT = frozenset({"description", "reason", "explanation", "justification"})
"""Members that say what a command is for; without a command they may be what it is about."""
SAID = frozenset({"command", "parsed_cmd", "parsedCmd"})
"""Others, that the command says already."""
ARGUMENTS = ("args", "argv", "arguments")
"""Members that have the arguments of a command, as a list of words."""
FOLDERS = frozenset(
    {
        *("cwd", "workdir", "work_dir", "workDir", "working_directory", "workingDirectory"),
        *("dir", "directory", "folder", "dir_path"),
    }
)
"""Members that say where a command runs."""


@lru_cache(maxsize=8)
def command(raw_input: str | None) -> str | None:
    """Return the command of a raw input with its arguments, in full; a list is joined.

    However long the input is: nothing that pads it hides the command.
    """
    value = _parsed(raw_input) if raw_input else None
    if not isinstance(value, dict):
        return None
    found, words = value.get("command"), _arguments(value)[1]
    if isinstance(found, list) and found and all(isinstance(word, str) for word in found):
        return shlex.join((*found, *words))
    return command_line(found, words) if isinstance(found, str) and found else None


def _arguments(value: dict[str, Any]) -> tuple[str, list[str]]:
    """Return the member that has a command's arguments, and these."""
    for name in ARGUMENTS:
        words = value.get(name)
        if isinstance(words, list) and words and all(isinstance(word, str) for word in words):
            return name, words
    return "", []


@lru_cache(maxsize=8)
def beside(raw_input: str | None) -> tuple[tuple[str, str], ...]:
    """Return what an object has besides its command, as names and texts: its leaves, without those
    that are empty. () for what is no object, or too long to be worth reading."""
    value = _value(raw_input)
    if not isinstance(value, dict):
        return ()
    is_about = COMMANDS.isdisjoint(value) and value.keys() - IDLE - ABOUT
    said = IDLE if is_about else IDLE | ABOUT
    if command(raw_input):  # one that cannot be read is not left out
        said |= SAID | {_arguments(value)[0]}
    return tuple(
        leaf for name, it in value.items() if name not in said for leaf in _leaves(name, it)
    )


def is_here(name: str, text: str, cwd: str) -> bool:
    """Tell whether a member of an input only says that a command runs in the session's folder."""
    return name in FOLDERS and text.rstrip("/") in (cwd.rstrip("/"), ".")


@lru_cache(maxsize=8)
def is_object(raw_input: str) -> bool:
    """Tell whether a raw input is nothing, or an object of JSON, or too long to be looked at."""
    return raw_input in ("", "null") or isinstance(_value(raw_input), dict)


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, it in value.items():
            yield from _leaves(f"{name}.{key}", it)
    elif isinstance(value, list) and value and all(map(_is_pair, value)):
        for pair in value:
            yield f"{name}.{pair['name']}", pair["value"]
    elif value is not None and value is not False and value not in ("", []):
        yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_pair(value: Any) -> bool:
    """Tell whether it is a variable as ACP writes it."""
    return (
        isinstance(value, dict)
        and value.keys() == {"name", "value"}
        and all(isinstance(it, str) for it in value.values())
    )


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
