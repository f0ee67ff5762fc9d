"""Tool calls of ACP v1: one shape for `tool_call`, `tool_call_update` and permissions; and what
they show (v1/tool-calls)."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from acp_nvim.paths import named
from acp_nvim.protocol.common import types as common
from acp_nvim.protocol.common.content import (
    decode_content,
    json_text,
    kind_of,
    location_of,
    unknown_content,
)
from acp_nvim.protocol.v1 import types
from acp_nvim.session.content import Diff, TerminalOutput, ToolContent
from acp_nvim.session.event import UNSET, ToolCallUpdated, Unset


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
        kind=UNSET if call.kind is None else kind_of(call.kind),
        status=UNSET if call.status is None else call.status,
        content=content,
        locations=UNSET if call.locations is None else tuple(map(location_of, call.locations)),
        # an empty object in a permission must not wipe what is known (C-164)
        raw_input=UNSET if call.raw_input == {} else _json_text(call.raw_input),
        raw_output=_json_text(call.raw_output),
        name=call.name or UNSET,
        parent=parent,
    )


def _json_text(value: object) -> str | Unset:
    return UNSET if value is None else json_text(value)


def decode_tool_content(value: object) -> ToolContent:
    """Return an item of a tool call's content.

    A bare content block is taken for one too: the documentation's example of leaving plan mode
    has it (C-191).
    """
    kind = value.get("type") if isinstance(value, dict) else None
    try:
        match kind:
            case "content" if isinstance(value, dict):
                return decode_content(value.get("content"))
            case "diff":
                diff = types.DiffContent.model_validate(value)
                return Diff(named(diff.path)[0], diff.old_text, diff.new_text)
            case "terminal":
                return TerminalOutput(common.TerminalContent.model_validate(value).terminal_id)
            case _:
                return decode_content(value)
    except ValidationError:
        return unknown_content(value)
