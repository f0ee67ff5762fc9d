"""What is the same in every version of ACP, as the schemas say.

A version adds its own types; unions are told apart by their decoders.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AliasChoices, Field

from acp_nvim.protocol.base import (
    MOST_ITEMS,
    Id,
    Items,
    Lenient,
    LenientList,
    OrNone,
    Real,
    Whole,
    WireModel,
)
from acp_nvim.protocol.records import AgentCapabilities, AuthMethod
from acp_nvim.session.event import SessionOpened

# --- content


class ImageBlock(WireModel):
    """`ContentBlock`, type `image`."""

    data: str
    mime_type: str
    uri: Lenient[str]


class AudioBlock(WireModel):
    """`ContentBlock`, type `audio`."""

    data: str
    mime_type: str


class ResourceLinkBlock(WireModel):
    """`ContentBlock`, type `resource_link`."""

    uri: str
    name: str
    mime_type: Lenient[str]
    title: Lenient[str]
    description: Lenient[str]
    size: Lenient[Whole]


class TextContents(WireModel):
    """`TextResourceContents`."""

    uri: str
    text: str
    mime_type: Lenient[str]


class BlobContents(WireModel):
    """`BlobResourceContents`."""

    uri: str
    blob: str
    mime_type: Lenient[str]


class ResourceBlock(WireModel):
    """`ContentBlock`, type `resource`."""

    resource: TextContents | BlobContents


# --- answers


class SessionInfo(WireModel):
    """A session of `session/list`; without an id it is none (C-101)."""

    session_id: str
    cwd: Lenient[str]
    title: Lenient[str]
    updated_at: Lenient[str]
    additional_directories: LenientList[str]


class ListResult(WireModel):
    """The result of `session/list`: a page, and the cursor of the next one."""

    sessions: LenientList[SessionInfo]
    next_cursor: Lenient[str]


class AuthAccount(WireModel):
    """An account that the agent is logged in with."""

    label: str
    name: Lenient[str]
    email: Lenient[str]


class AuthStatus(WireModel):
    """The result of `auth/status`, and `auth/status_update`."""

    state: Lenient[str]
    accounts: LenientList[AuthAccount]


class Implementation(WireModel):
    """Name and version of the agent."""

    name: Lenient[str]
    title: Lenient[str]
    version: Lenient[str]


# --- updates


class Cost(WireModel):
    """The cumulative cost of a session."""

    amount: Real
    currency: str


class LimitWindow(WireModel):
    """What is used of one limit, from 0 to 1, and when that begins anew."""

    utilization: Lenient[Real]
    resets_at: Lenient[Whole]


class RateLimits(LimitWindow):
    """`_meta["_claude/rateLimit"]`: the limit that is nearest, and all of them by name."""

    rate_limit_type: Lenient[str]
    unified_windows: Lenient[dict[str, OrNone[LimitWindow]]]


class UsageMeta(WireModel):
    """In no schema: what agents tell with their usage."""

    limits: Lenient[RateLimits] = Field(default=None, alias="_claude/rateLimit")


class Usage(WireModel):
    """`usage_update`."""

    used: Whole = Field(ge=0)
    size: Whole = Field(ge=0)
    cost: Lenient[Cost]
    meta: Lenient[UsageMeta] = Field(default=None, alias="_meta")


class Notice(WireModel):
    """`notice`."""

    title: str = Field(min_length=1)
    description: Lenient[str]
    severity: Lenient[Literal["info", "warning", "error"]]


class StopError(WireModel):
    """Why work ended in an error."""

    message: Lenient[str]


class ChildState(WireModel):
    """What a child session is at."""

    state: str
    stop_reason: Lenient[str]
    error: Lenient[StopError]


class CanCancel(WireModel):
    """What can be done with a child session, a tool call or a terminal: any object means yes."""

    cancel: Lenient[dict[str, Any]]


class Subagent(WireModel):
    """`subagent_update`: a patch; what was given is told by `fields_set`."""

    session_id: Id
    state: Lenient[ChildState]
    capabilities: Lenient[CanCancel]


class SessionMessage(WireModel):
    """`session_message`, and with `content` as one block `session_message_chunk`."""

    message_id: Id


class Compaction(WireModel):
    """`compaction_update`: a patch, the rest of which is decoded by its keys."""

    compaction_id: str
    status: str


class CompactionChunk(WireModel):
    """`compaction_summary_chunk`."""

    compaction_id: str
    content: dict[str, Any]


# --- tool calls


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


# --- requests of the agent


class PermissionOption(WireModel):
    """One answer; without a kind it is still an answer (C-189)."""

    option_id: str
    name: str
    kind: Lenient[str]


class McpMessage(WireModel):
    """`mcp/message`."""

    server_id: str
    request_id: str
    method: str
    params: dict[str, Any] | None = None


class CancelRequest(WireModel):
    """`$/cancel_request`."""

    request_id: Lenient[str | int]


# --- elicitations


class Titled(WireModel):
    """What has words for the user."""

    title: Lenient[str]
    description: Lenient[str]


class FormSchema(Titled):
    """`requestedSchema`; the properties are decoded one by one."""

    properties: dict[str, dict[str, Any]] = Field(default_factory=dict, max_length=MOST_ITEMS)
    required: list[str] | None = None


class CreateElicitation(WireModel):
    """`elicitation/create`, of whatever mode."""

    mode: str
    message: str
    session_id: str | None = None
    tool_call_id: Lenient[str]
    request_id: str | int | None = None


class FormMode(WireModel):
    """`elicitation/create`, mode `form`."""

    requested_schema: FormSchema


class UrlMode(WireModel):
    """`elicitation/create`, mode `url`."""

    elicitation_id: str
    url: str


class EnumOption(WireModel):
    """An enum value with a title."""

    const: str
    title: str
    description: Lenient[str]


class StringProperty(Titled):
    """A property of type `string`; with `enum` or `oneOf` a choice."""

    min_length: Whole | None = Field(default=None, ge=0)
    max_length: Whole | None = Field(default=None, ge=0)
    pattern: str | None = None
    format: str | None = None
    default: Lenient[str]
    enum: list[str] | None = Field(default=None, max_length=MOST_ITEMS)
    one_of: list[EnumOption] | None = Field(default=None, max_length=MOST_ITEMS)


class NumberProperty(Titled):
    """A property of type `number`."""

    minimum: Real | None = None
    maximum: Real | None = None
    default: Lenient[Real]


class IntegerProperty(NumberProperty):
    """A property of type `integer`."""

    minimum: Whole | None = None
    maximum: Whole | None = None
    default: Lenient[Whole]


class BooleanProperty(Titled):
    """A property of type `boolean`."""

    default: Lenient[bool]


class ArrayProperty(Titled):
    """A property of type `array`: some of the items."""

    min_items: Whole | None = Field(default=None, ge=0)
    max_items: Whole | None = Field(default=None, ge=0)
    items: dict[str, Any]
    default: LenientList[str]


class PlainItems(WireModel):
    """The items of an array, type `string`."""

    enum: list[str] = Field(max_length=MOST_ITEMS)


class TitledItems(WireModel):
    """The items of an array, with titles."""

    any_of: list[EnumOption] = Field(max_length=MOST_ITEMS)


class CompleteElicitation(WireModel):
    """`elicitation/complete`."""

    elicitation_id: Lenient[str]


# --- tool calls, commands and options


class TerminalContent(WireModel):
    """`ToolCallContent`, type `terminal`."""

    terminal_id: str


class ToolCallLocation(WireModel):
    """A place in a file."""

    path: str
    line: Lenient[Whole]


class CommandInput(WireModel):
    """What an available command takes."""

    hint: Lenient[str]


class ConfigOptions(WireModel):
    """`config_option_update`; the options are decoded one by one."""

    config_options: Items[Any]


class ConfigChoice(WireModel):
    """`SessionConfigSelectOption`."""

    value: str
    name: str
    description: Lenient[str]


class OptionsResult(WireModel):
    """The result of `session/set_config_option`."""

    config_options: LenientList[Any]


class ConfigGroup(WireModel):
    """`SessionConfigSelectGroup`."""

    name: str
    options: Items[ConfigChoice]


class ConfigOption(WireModel):
    """`SessionConfigOption`; what its values are depends on its type."""

    config_id: str = Field(validation_alias=AliasChoices("configId", "id"))
    name: str
    description: Lenient[str]
    category: Lenient[str]
    type: str
    current_value: str | bool
    options: LenientList[Any]


class EnvVariable(WireModel):
    """A variable of the environment of a command."""

    name: str
    value: str


class AvailableCommand(WireModel):
    """A slash command."""

    name: str = Field(min_length=1)
    description: Lenient[str]
    input: Lenient[CommandInput]


class AvailableCommands(WireModel):
    """`available_commands_update`."""

    available_commands: Items[AvailableCommand]


class TerminalExit(WireModel):
    """How a command ended; the agents' convention `_meta.terminal_exit` has it in snake_case."""

    exit_code: Lenient[int]
    signal: Lenient[str]


# --- what an agent tells of itself and of a session it opens: versions add to it


class Initialized(WireModel):
    """The result of `initialize`; the version is judged by `negotiate`."""

    info: Lenient[Implementation]

    def offered(self) -> AgentCapabilities:
        """Return what the agent offers."""
        raise NotImplementedError

    def logins(self) -> tuple[AuthMethod, ...]:
        """Return the ways to log in."""
        raise NotImplementedError


class Opened(WireModel):
    """The result of what opens a session."""

    session_id: Lenient[str]
    config_options: LenientList[Any]

    def event(self, session_id: str) -> SessionOpened:
        """Return what has happened, but for the options."""
        raise NotImplementedError
