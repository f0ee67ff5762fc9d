"""What tool calls of ACP v1 show (v1/tool-calls § Content)."""

from __future__ import annotations

from pydantic import ValidationError

from acp_nvim.paths import named
from acp_nvim.protocol.common.content import decode_content, unknown_content
from acp_nvim.protocol.v1 import types
from acp_nvim.session.content import Diff, TerminalOutput, ToolContent


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
                return TerminalOutput(types.TerminalContent.model_validate(value).terminal_id)
            case _:
                return decode_content(value)
    except ValidationError:
        return unknown_content(value)
