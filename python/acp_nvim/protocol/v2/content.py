"""What tool calls of ACP v2 show: content, diffs of file states, terminals (ToolCallContent)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from acp_nvim.protocol.common.content import decode_content, unknown_content
from acp_nvim.protocol.v2 import types
from acp_nvim.protocol.v2.diff import decode_diff
from acp_nvim.session.content import TerminalOutput, ToolContent


def decode_tool_contents(values: Iterable[object]) -> tuple[ToolContent, ...]:
    """Return the whole content of a tool call, without what is no object at all."""
    parts = (decode_tool_content(value) for value in values if isinstance(value, dict))
    return tuple(part for each in parts for part in each)


def decode_tool_content(value: dict[str, object]) -> Iterator[ToolContent]:
    """Yield what an item of the content shows: a diff may be of several files."""
    try:
        match value.get("type"):
            case "content":
                yield decode_content(value.get("content"))
            case "diff":
                yield from decode_diff(types.Diff.model_validate(value))
            case "terminal":
                yield TerminalOutput(types.TerminalContent.model_validate(value).terminal_id)
            case _:
                yield unknown_content(value)
    except ValidationError:
        yield unknown_content(value)
