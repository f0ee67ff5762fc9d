"""Tool calls of ACP v1: one shape for `tool_call`, `tool_call_update` and permissions."""

from __future__ import annotations

from typing import Any

from acp_nvim.paths import named
from acp_nvim.protocol.base import compact
from acp_nvim.protocol.v1 import types
from acp_nvim.protocol.v1.content import decode_tool_content
from acp_nvim.session.content import ToolContent
from acp_nvim.session.event import UNSET, ToolCallUpdated, Unset
from acp_nvim.session.model import Location

KINDS = frozenset(
    {
        "read",
        "edit",
        "delete",
        "move",
        "search",
        "execute",
        "think",
        "fetch",
        "switch_mode",
        "other",
    }
)


def tool_call_event(call: types.ToolCall) -> ToolCallUpdated:
    """Return the upsert; what the agent did not say, or said wrongly, is UNSET (C-160, C-166)."""
    items = call.content
    known = (it for it in items or () if isinstance(it, dict))
    content = UNSET if items is None else tuple(map(decode_tool_content, known))
    return upsert(call, content, call.parent)


def upsert(call: Any, content: tuple[ToolContent, ...] | Unset, parent: str) -> ToolCallUpdated:
    """Return the same; `call` has the fields of a `types.ToolCall`, whoever has decoded them."""
    return ToolCallUpdated(
        id=call.tool_call_id,
        title=UNSET if call.title is None else call.title,
        kind=_kind(call.kind),
        status=UNSET if call.status is None else call.status,
        content=content,
        locations=UNSET if call.locations is None else tuple(map(_location, call.locations)),
        # an empty object in a permission must not wipe what is known (C-164)
        raw_input=UNSET if call.raw_input == {} else _json_text(call.raw_input),
        raw_output=_json_text(call.raw_output),
        name=call.name or UNSET,
        parent=parent,
    )


def _kind(kind: str | None) -> str | Unset:
    if kind is None:
        return UNSET
    return kind if kind in KINDS else "other"


def _location(location: Any) -> Location:
    path, named_line = named(location.path)
    line = location.line
    return Location(path, line if line is not None and line > 0 else named_line)


def _json_text(value: object) -> str | Unset:
    if value is None:
        return UNSET
    return value if isinstance(value, str) else compact(value)
