"""Tool calls of ACP v2: patches, in which null clears (schema ToolCallUpdate)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from acp_nvim.paths import named
from acp_nvim.protocol.base import compact
from acp_nvim.protocol.v2 import types
from acp_nvim.protocol.v2.content import decode_tool_content, decode_tool_contents
from acp_nvim.session.event import UNSET, ToolCallUpdated, Unset
from acp_nvim.session.model import Location, ToolStatus

T = TypeVar("T")

KINDS = frozenset(
    {"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode"}
)
STATUSES: dict[str, ToolStatus] = {
    "pending": "pending",
    "completed": "completed",
    "failed": "failed",
    "cancelled": "cancelled",
}
"""All others, `paused` and unknown ones too, are under way."""


def tool_call_event(call: types.ToolCall) -> ToolCallUpdated:
    """Return the upsert: what the agent did not say is UNSET, what it has cleared is empty."""
    told = _Told(call)
    return ToolCallUpdated(
        id=call.tool_call_id,
        title=told.field("title", "", str),
        kind=told.field("kind", "other", _kind),
        status=told.field("status", "pending", lambda it: STATUSES.get(it, "in_progress")),
        content=told.field("content", (), decode_tool_contents),
        locations=told.field("locations", (), lambda it: tuple(map(_location, it))),
        raw_input=told.field("raw_input", None, _json_text),
        raw_output=told.field("raw_output", None, _json_text),
        name=told.field("name", None, str),
        cancellable=told.field("capabilities", False, lambda it: it.cancel is not None),
        parent=call.parent,
    )


def content_chunk_event(chunk: types.ToolCallContentChunk) -> ToolCallUpdated:
    """Return what follows in the content of a tool call."""
    return ToolCallUpdated(chunk.tool_call_id, more=(*decode_tool_content(chunk.content),))


class _Told:
    """What a patch says of each field."""

    def __init__(self, call: types.ToolCall) -> None:
        self._call = call

    def field(self, name: str, cleared: T, read: Callable[[Any], T]) -> T | Unset:
        """Return the value as read; null clears, and what was not given is UNSET."""
        if name not in self._call.model_fields_set:
            return UNSET
        value = getattr(self._call, name)
        return cleared if value is None else read(value)


def _kind(kind: str) -> str:
    return kind if kind in KINDS else "other"


def _location(location: types.ToolCallLocation) -> Location:
    path, named_line = named(location.path)
    line = location.line
    return Location(path, line if line is not None and line > 0 else named_line)


def _json_text(value: object) -> str | None:
    return value if isinstance(value, str) else compact(value)
