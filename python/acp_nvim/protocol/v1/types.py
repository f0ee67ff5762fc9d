"""The objects of ACP v1 that this client receives, as the schema says and no stricter.

What the agent may get wrong without harm is `Lenient`; unions (content, config options, updates)
are told apart by their decoders. What this client sends is built in `encode`.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from acp_nvim.protocol.base import Items, Lenient, LenientList, WireModel

# --- content


class TextBlock(WireModel):
    """`ContentBlock`, type `text`."""

    text: str


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
    size: Lenient[int]


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


# --- tool calls


class DiffContent(WireModel):
    """`ToolCallContent`, type `diff`."""

    path: str
    old_text: Lenient[str]
    new_text: str


class TerminalContent(WireModel):
    """`ToolCallContent`, type `terminal`."""

    terminal_id: str


class ToolCallLocation(WireModel):
    """A place in a file."""

    path: str
    line: Lenient[int]


class ToolCall(WireModel):
    """`ToolCall` and `ToolCallUpdate`: null and absent are the same."""

    tool_call_id: str
    title: Lenient[str]
    kind: Lenient[str]
    status: Lenient[Literal["pending", "in_progress", "completed", "failed"]]
    content: LenientList[Any]
    locations: LenientList[ToolCallLocation]
    raw_input: Any = None
    raw_output: Any = None
    name: Lenient[str]


# --- updates


class ContentChunk(WireModel):
    """`user_message_chunk`, `agent_message_chunk`, `agent_thought_chunk`."""

    content: dict[str, Any]
    message_id: Lenient[str]


class PlanEntry(WireModel):
    """A step of a plan."""

    content: str
    priority: Lenient[str]
    status: Lenient[str]


class Plan(WireModel):
    """`plan`."""

    entries: Items[PlanEntry]


class CommandInput(WireModel):
    """What an available command takes."""

    hint: Lenient[str]


class AvailableCommand(WireModel):
    """A slash command."""

    name: str
    description: Lenient[str]
    input: Lenient[CommandInput]


class AvailableCommands(WireModel):
    """`available_commands_update`."""

    available_commands: Items[AvailableCommand]


class CurrentMode(WireModel):
    """`current_mode_update`; `modeId` is what the documentation's example says."""

    current_mode_id: Lenient[str]
    mode_id: Lenient[str]


class ConfigOptions(WireModel):
    """`config_option_update`; the options are decoded one by one."""

    config_options: Items[Any]


class Cost(WireModel):
    """The cumulative cost of a session."""

    amount: float
    currency: str


class Usage(WireModel):
    """`usage_update`."""

    used: int = Field(ge=0)
    size: int = Field(ge=0)
    cost: Lenient[Cost]


# --- sessions


class SessionMode(WireModel):
    """A mode that can be chosen."""

    id: str
    name: str
    description: Lenient[str]


class SessionModeState(WireModel):
    """The modes of a session, and the current one."""

    current_mode_id: Lenient[str]
    available_modes: Items[SessionMode]


class ConfigChoice(WireModel):
    """`SessionConfigSelectOption`."""

    value: str
    name: str
    description: Lenient[str]


class ConfigGroup(WireModel):
    """`SessionConfigSelectGroup`."""

    group: str
    name: str
    options: Items[ConfigChoice]


class SelectOption(WireModel):
    """`SessionConfigOption`, type `select`; flat and grouped choices are told apart later."""

    id: str
    name: str
    description: Lenient[str]
    category: Lenient[str]
    current_value: str
    options: list[Any]


class BooleanOption(WireModel):
    """`SessionConfigOption`, type `boolean`."""

    id: str
    name: str
    description: Lenient[str]
    category: Lenient[str]
    current_value: bool


class ModelInfo(WireModel):
    """One of `models.availableModels`, of older agents."""

    model_id: str
    name: str
    description: Lenient[str]


class SessionModelState(WireModel):
    """`models`: in no schema any more, and still sent."""

    available_models: Items[ModelInfo]
    current_model_id: str


class SessionResult(WireModel):
    """The result of `session/new`, `session/load` and `session/resume`."""

    session_id: Lenient[str]
    modes: Lenient[SessionModeState]
    config_options: LenientList[Any]
    models: Lenient[SessionModelState]


class SessionInfo(WireModel):
    """A session of `session/list`; without an id or a cwd it is none (C-101)."""

    session_id: str
    cwd: str
    title: Lenient[str]
    updated_at: Lenient[str]
    additional_directories: LenientList[str]


class ListResult(WireModel):
    """The result of `session/list`: a page, and the cursor of the next one."""

    sessions: LenientList[SessionInfo]
    next_cursor: Lenient[str]


class OptionsResult(WireModel):
    """The result of `session/set_config_option`."""

    config_options: LenientList[Any]


class TurnUsage(WireModel):
    """`PromptResponse.usage`, of the unstable schema."""

    total_tokens: int = Field(ge=0)


class PromptResult(WireModel):
    """The result of `session/prompt`."""

    stop_reason: Lenient[str]
    usage: Lenient[TurnUsage]


# --- initialize


class PromptCapabilities(WireModel):
    """`agentCapabilities.promptCapabilities`."""

    image: Lenient[bool]
    audio: Lenient[bool]
    embedded_context: Lenient[bool]


class McpCapabilities(WireModel):
    """`agentCapabilities.mcpCapabilities`."""

    http: Lenient[bool]
    sse: Lenient[bool]


class SessionCapabilities(WireModel):
    """`agentCapabilities.sessionCapabilities`: any object means yes (C-039)."""

    list: Lenient[dict[str, Any]]
    delete: Lenient[dict[str, Any]]
    additional_directories: Lenient[dict[str, Any]]
    resume: Lenient[dict[str, Any]]
    close: Lenient[dict[str, Any]]


class AuthCapabilities(WireModel):
    """`agentCapabilities.auth`."""

    logout: Lenient[dict[str, Any]]


class Capabilities(WireModel):
    """`agentCapabilities`."""

    load_session: Lenient[bool]
    prompt_capabilities: Lenient[PromptCapabilities]
    mcp_capabilities: Lenient[McpCapabilities]
    session_capabilities: Lenient[SessionCapabilities]
    auth: Lenient[AuthCapabilities]


class AuthMethod(WireModel):
    """A way to log in."""

    id: str
    name: str
    description: Lenient[str]
    type: Lenient[str]
    args: LenientList[str]
    env: Lenient[dict[str, str]]


class Implementation(WireModel):
    """Name and version of the agent."""

    name: Lenient[str]
    title: Lenient[str]
    version: Lenient[str]


class InitializeResult(WireModel):
    """The result of `initialize`; the version is judged by `negotiate`."""

    agent_capabilities: Lenient[Capabilities]
    auth_methods: LenientList[AuthMethod]
    agent_info: Lenient[Implementation]


# --- requests of the agent


class PermissionOption(WireModel):
    """One answer; without a kind it is still an answer (C-189)."""

    option_id: str
    name: str
    kind: Lenient[str]


class RequestPermission(WireModel):
    """`session/request_permission`."""

    session_id: str
    tool_call: ToolCall
    options: Items[PermissionOption]


class ReadTextFile(WireModel):
    """`fs/read_text_file`; `line` is 1-based."""

    session_id: str
    path: str
    line: Lenient[int]
    limit: Lenient[int]


class WriteTextFile(WireModel):
    """`fs/write_text_file`."""

    session_id: str
    path: str
    content: str


class FormSchema(WireModel):
    """`requestedSchema`; the properties are decoded one by one."""

    title: Lenient[str]
    description: Lenient[str]
    properties: dict[str, dict[str, Any]] = Field(default_factory=dict)
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


class StringProperty(WireModel):
    """A property of type `string`; with `enum` or `oneOf` a choice."""

    title: Lenient[str]
    description: Lenient[str]
    min_length: int | None = Field(default=None, ge=0)
    max_length: int | None = Field(default=None, ge=0)
    pattern: str | None = None
    format: str | None = None
    default: Lenient[str]
    enum: list[str] | None = None
    one_of: list[EnumOption] | None = None


class NumberProperty(WireModel):
    """A property of type `number`."""

    title: Lenient[str]
    description: Lenient[str]
    minimum: float | None = None
    maximum: float | None = None
    default: Lenient[float]


class IntegerProperty(WireModel):
    """A property of type `integer`."""

    title: Lenient[str]
    description: Lenient[str]
    minimum: int | None = None
    maximum: int | None = None
    default: Lenient[int]


class BooleanProperty(WireModel):
    """A property of type `boolean`."""

    title: Lenient[str]
    description: Lenient[str]
    default: Lenient[bool]


class ArrayProperty(WireModel):
    """A property of type `array`: some of the items."""

    title: Lenient[str]
    description: Lenient[str]
    min_items: int | None = Field(default=None, ge=0)
    max_items: int | None = Field(default=None, ge=0)
    items: dict[str, Any]
    default: LenientList[str]


class PlainItems(WireModel):
    """The items of an array, type `string`."""

    enum: list[str]


class TitledItems(WireModel):
    """The items of an array, with titles."""

    any_of: list[EnumOption]


class CompleteElicitation(WireModel):
    """`elicitation/complete`."""

    elicitation_id: Lenient[str]


class EnvVariable(WireModel):
    """A variable of the environment of a command."""

    name: str
    value: str


class CreateTerminal(WireModel):
    """`terminal/create`."""

    session_id: str
    command: str
    args: LenientList[str]
    env: LenientList[EnvVariable]
    cwd: Lenient[str]
    output_byte_limit: Lenient[int]


class TerminalRequest(WireModel):
    """`terminal/output`, `wait_for_exit`, `kill` and `release`."""

    session_id: str
    terminal_id: str


class ToldExit(WireModel):
    """`_meta.terminal_exit`, a convention of agents, who write it in snake_case."""

    exit_code: Lenient[int]
    signal: Lenient[str]


class CancelRequest(WireModel):
    """`$/cancel_request`."""

    request_id: Lenient[str | int]
