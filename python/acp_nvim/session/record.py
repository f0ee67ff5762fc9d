"""A session as it is kept on disk: lines of JSON, the first of which says what it is.

Pure: lines in, lines out. Reading is tolerant: what another version wrote, or a crash has cut off,
is left out. Used by `services.store`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from acp_nvim.session.content import (
    Audio,
    Diff,
    Image,
    Resource,
    ResourceLink,
    TerminalOutput,
    Text,
    UnknownContent,
)
from acp_nvim.session.model import (
    NOTHING_CHOSEN,
    Chosen,
    ConfigChoice,
    ConfigOption,
    Location,
    Mode,
)
from acp_nvim.session.state import Entry, Message, Notice, SessionState, ToolCall
from acp_nvim.session.terminal import ExitStatus, Terminal

VERSION = 1
MOST_OF_ENTRY = 256_000
"""Characters of one entry; what is longer (an image, for instance) is not kept."""
MOST = 4_000_000
"""Characters of one session; the oldest entries are not kept."""

Value: TypeAlias = Any
"""A JSON value."""

_KINDS: Mapping[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        Message,
        ToolCall,
        Notice,
        Text,
        Image,
        Audio,
        ResourceLink,
        Resource,
        UnknownContent,
        Diff,
        TerminalOutput,
        Location,
        Chosen,
        ConfigOption,
        ConfigChoice,
        Mode,
        Terminal,
        ExitStatus,
    )
}
_ENTRIES = (Message, ToolCall, Notice)
_ROLES = ("user", "agent", "thought")


@dataclass(frozen=True, slots=True)
class SavedSession:
    """One session that was kept; `updated` in seconds since 1970."""

    agent: str
    id: str
    cwd: str
    title: str | None = None
    updated: float = 0.0
    entries: tuple[Entry, ...] = ()
    chosen: Chosen = NOTHING_CHOSEN


def is_worth_keeping(state: SessionState) -> bool:
    """Tell whether the user has said anything in it, and the agent has named it."""
    said = any(isinstance(entry, Message) and entry.role == "user" for entry in state.entries)
    return state.id is not None and said


def record_of(state: SessionState, updated: float) -> SavedSession:
    """Return what is to be kept of a session; a title that it lacks is the first prompt."""
    title = state.title or _first_words(state.entries)
    chosen = Chosen(state.config, state.modes, state.mode)
    return SavedSession(
        state.agent, state.id or "", state.cwd, title, updated, state.entries, chosen
    )


def _first_words(entries: tuple[Entry, ...]) -> str | None:
    for entry in entries:
        if isinstance(entry, Message) and entry.role == "user":
            words = (block.text for block in entry.content if isinstance(block, Text))
            return " ".join(" ".join(words).split())[:80] or None
    return None


# --- to lines


def to_lines(record: SavedSession) -> list[str]:
    """Return the lines, the head first; bounded by `MOST`."""
    head = {
        "acp": VERSION,
        "agent": record.agent,
        "id": record.id,
        "cwd": record.cwd,
        "title": record.title,
        "updated": record.updated,
        "chosen": _plain(record.chosen),
    }
    lines: list[str] = []
    room = MOST
    for entry in reversed(record.entries):
        line = _entry_line(entry)
        room -= len(line)
        if room < 0:
            break
        lines.append(line)
    return [_dump(head), *reversed(lines)]


def _entry_line(entry: Entry) -> str:
    line = _dump(_plain(entry))
    if len(line) <= MOST_OF_ENTRY:
        return line
    said = "(this was too long to be kept)"
    return _dump(_plain(Notice(entry.key, entry.turn, said)))


def _plain(value: object) -> Value:
    """Return a dataclass as an object that names its kind, without fields at their default."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if type(value).__name__ not in _KINDS:
        return value
    told = {
        field.name: _plain(item)
        for field in fields(value)  # type: ignore[arg-type]
        if (item := getattr(value, field.name)) != field.default
    }
    return {"kind_": type(value).__name__} | told


def _dump(value: Value) -> str:
    # ASCII, so that a lone surrogate survives, and no line end can be in it
    return json.dumps(value, separators=(",", ":"))


# --- from lines


def head_from(line: str) -> SavedSession | None:
    """Return the record that the first line promises, without entries; None if it is none."""
    head = _load(line)
    if not isinstance(head, dict) or head.get("acp") != VERSION:
        return None
    agent, session_id, cwd = (str(head.get(name) or "") for name in ("agent", "id", "cwd"))
    title, updated = head.get("title"), head.get("updated")
    if not (agent and session_id and cwd.startswith("/")):
        return None
    return SavedSession(
        agent,
        session_id,
        cwd,
        title if isinstance(title, str) else None,
        float(updated) if isinstance(updated, int | float) else 0.0,
        chosen=_chosen(head.get("chosen")),
    )


def _chosen(value: Value) -> Chosen:
    """Return what was set, without what another version may have written otherwise."""
    made = _made(value)
    if not isinstance(made, Chosen):
        return Chosen()
    config = tuple(it for it in _items(made.config) if _is_option(it))
    modes = tuple(it for it in _items(made.modes) if isinstance(it, Mode))
    return Chosen(config, modes, made.mode if isinstance(made.mode, str) else None)


def _is_option(value: object) -> bool:
    if not isinstance(value, ConfigOption) or not isinstance(value.id, str):
        return False
    return all(isinstance(choice, ConfigChoice) for choice in _items(value.choices))


def _items(value: object) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else ()


def entries_from(lines: Iterable[str]) -> tuple[Entry, ...]:
    """Return the entries of the lines that are some."""
    return tuple(it for it in (_made(_load(line)) for line in lines) if _is_entry(it))


def _load(line: str) -> Value:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _made(value: Value) -> Any:
    """Return the value that `_plain` has made plain; None for what it cannot have made."""
    if isinstance(value, list):
        return tuple(item for item in map(_made, value) if item is not None)
    if not isinstance(value, dict):
        return value
    kind = _KINDS.get(str(value.get("kind_")))
    if kind is None:
        return None
    known = {field.name for field in fields(kind)}
    try:
        return kind(**{name: _made(item) for name, item in value.items() if name in known})
    except TypeError:
        return None


def _is_entry(value: object) -> bool:
    """Tell whether it can be drawn: of the right kinds, all the way down as far as is looked at."""
    if not isinstance(value, _ENTRIES) or not isinstance(value.turn, int):
        return False
    if isinstance(value, Message):
        return value.role in _ROLES and _is_content(value.content)
    if isinstance(value, ToolCall):
        texts = (value.title, value.kind, value.status, value.id)
        return all(isinstance(it, str) for it in texts) and _is_content(value.content)
    return isinstance(value.text, str)


def _is_content(value: object) -> bool:
    return isinstance(value, tuple) and not any(isinstance(it, str | int | float) for it in value)
