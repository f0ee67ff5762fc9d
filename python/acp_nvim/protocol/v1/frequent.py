"""What comes by thousands in ACP v1, from a line to events in one pass: see `common.frequent`."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct, UnsetType, field

from acp_nvim.paths import named
from acp_nvim.protocol.base import LARGEST
from acp_nvim.protocol.common.frequent import (
    AgentChunk,
    Block,
    ThoughtChunk,
    UserChunk,
    absent,
    reader,
)
from acp_nvim.protocol.v1.tool_call import upsert
from acp_nvim.session.content import Diff, TerminalOutput, Text, ToolContent
from acp_nvim.session.event import UNSET, Event

Line: TypeAlias = Annotated[int, Meta(ge=-LARGEST, le=LARGEST)]


class _Content(Struct, tag_field="type", tag="content"):
    content: Block

    def decoded(self) -> ToolContent:
        return Text(self.content.text)


class _Diff(Struct, tag_field="type", tag="diff", rename="camel"):
    path: str
    new_text: str
    old_text: str | None = None
    other_old_text: UnsetType = absent("old_text")

    def decoded(self) -> ToolContent:
        return Diff(named(self.path)[0], self.old_text, self.new_text)


class _Terminal(Struct, tag_field="type", tag="terminal", rename="camel"):
    terminal_id: str

    def decoded(self) -> ToolContent:
        return TerminalOutput(self.terminal_id)


class _Location(Struct):
    path: str
    line: Line | None = None


class _ClaudeCode(Struct, rename="camel"):
    parent_tool_use_id: str | None = None
    other_id: UnsetType = absent("parent_tool_use_id")


class _Meta(Struct, rename="camel"):
    claude_code: _ClaudeCode | None = None
    parent_tool_call_id: str | None = None
    other_code: UnsetType = absent("claude_code")
    other_id: UnsetType = absent("parent_tool_call_id")
    info: UnsetType = absent("terminal_info")
    output: UnsetType = absent("terminal_output")
    more_output: UnsetType = absent("terminal_output_delta")
    exit: UnsetType = absent("terminal_exit")

    @property
    def parent(self) -> str:
        told = self.claude_code.parent_tool_use_id if self.claude_code else None
        return told or self.parent_tool_call_id or ""


class _ToolCall(Struct, tag_field="sessionUpdate", rename="camel"):
    tool_call_id: str
    title: str | None = None
    kind: str | None = None
    status: Literal["pending", "in_progress", "completed", "failed"] | None = None
    content: list[_Content | _Diff | _Terminal] | None = None
    locations: list[_Location] | None = None
    raw_input: Any = None
    raw_output: Any = None
    name: str | None = None
    meta: _Meta | None = field(name="_meta", default=None)
    other_meta: UnsetType = absent("meta")
    other_raw_input: UnsetType = absent("raw_input")
    other_raw_output: UnsetType = absent("raw_output")

    def events(self) -> tuple[Event, ...]:
        shown = self.content
        content = UNSET if shown is None else tuple([it.decoded() for it in shown])
        return (upsert(self, content, self.meta.parent if self.meta else ""),)


class _NewCall(_ToolCall, tag="tool_call"):
    """A new tool call."""


class _CallUpdate(_ToolCall, tag="tool_call_update"):
    """What there is to be said of it since."""


read_update = reader(UserChunk | AgentChunk | ThoughtChunk | _NewCall | _CallUpdate)
