"""The objects of ACP v1 that an agent tells, as the schema says and no stricter.

What the agent may get wrong without harm is `Lenient`; unions (content, config options, updates)
are told apart by their decoders. What an agent asks is in `request_types`; what this client sends
is built in `encode`.
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


class Notice(WireModel):
    """`notice`."""

    title: str = Field(min_length=1)
    description: Lenient[str]
    severity: Lenient[Literal["info", "warning", "error"]]


class Compaction(WireModel):
    """`compaction_update`: a patch, the rest of which is decoded by its keys."""

    compaction_id: str
    status: str


class CompactionChunk(WireModel):
    """`compaction_summary_chunk`."""

    compaction_id: str
    content: dict[str, Any]


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
