"""What agents tell of a tool call besides what is in the schema."""

from __future__ import annotations

from pydantic import Field

from acp_nvim.protocol.base import Lenient, WireModel


class ClaudeCode(WireModel):
    """`_meta.claudeCode` of a tool call."""

    parent_tool_use_id: Lenient[str]


class ToolCallMeta(WireModel):
    """`_meta` of a tool call: in which one a sub-agent has made it, in the words of two agents."""

    claude_code: Lenient[ClaudeCode]
    parent_tool_call_id: Lenient[str]

    @property
    def parent(self) -> str:
        """Id of that call, "" for none."""
        told = self.claude_code.parent_tool_use_id if self.claude_code else None
        return told or self.parent_tool_call_id or ""


class WithMeta(WireModel):
    """A tool call with what is told besides."""

    meta: Lenient[ToolCallMeta] = Field(default=None, alias="_meta")

    @property
    def parent(self) -> str:
        """Id of the call in which it was made, "" for none."""
        return self.meta.parent if self.meta else ""
