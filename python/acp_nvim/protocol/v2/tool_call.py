"""Tool calls of ACP v2: patches, in which null clears (schema ToolCallUpdate); and what they show:
content, diffs of file states, terminals (ToolCallContent)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from pydantic import ValidationError

from acp_nvim.protocol.common import types as common
from acp_nvim.protocol.common.content import (
    decode_content,
    json_text,
    kind_of,
    location_of,
    unknown_content,
)
from acp_nvim.protocol.v2 import types
from acp_nvim.protocol.v2.diff import decode_diff
from acp_nvim.session.content import TerminalOutput, ToolContent
from acp_nvim.session.event import UNSET, ToolCallUpdated, Unset
from acp_nvim.session.model import ToolStatus

T = TypeVar("T")

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
        kind=told.field("kind", "other", kind_of),
        status=told.field("status", "pending", lambda it: STATUSES.get(it, "in_progress")),
        content=told.field("content", (), _contents),
        locations=told.field("locations", (), lambda it: tuple(map(location_of, it))),
        raw_input=told.field("raw_input", None, json_text),
        raw_output=told.field("raw_output", None, json_text),
        name=told.field("name", None, str),
        cancellable=told.field("capabilities", False, lambda it: it.cancel is not None),
        parent=call.parent,
    )


def content_chunk_event(chunk: types.ToolCallContentChunk) -> ToolCallUpdated:
    """Return what follows in the content of a tool call."""
    return ToolCallUpdated(chunk.tool_call_id, more=(*_content(chunk.content),))


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


def _contents(values: Iterable[object]) -> tuple[ToolContent, ...]:
    """Return the whole content of a tool call, without what is no object at all."""
    parts = (_content(value) for value in values if isinstance(value, dict))
    return tuple(part for each in parts for part in each)


def _content(value: dict[str, object]) -> Iterator[ToolContent]:
    """Yield what an item of the content shows: a diff may be of several files."""
    try:
        match value.get("type"):
            case "content":
                yield decode_content(value.get("content"))
            case "diff":
                yield from decode_diff(types.Diff.model_validate(value))
            case "terminal":
                yield TerminalOutput(common.TerminalContent.model_validate(value).terminal_id)
            case _:
                yield unknown_content(value)
    except ValidationError:
        yield unknown_content(value)
