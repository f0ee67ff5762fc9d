"""The objects of ACP v1 that an agent tells, as the schema says and no stricter.

What the agent may get wrong without harm is `Lenient`; unions (content, config options, updates)
are told apart by their decoders. What an agent asks is in `request_types`; what this client sends
is built in `encode`.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from acp_nvim.protocol.base import Id, Items, Lenient, LenientList, Whole, WireModel
from acp_nvim.protocol.common.plan import Step
from acp_nvim.protocol.common.tool_call import WithMeta

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
    line: Lenient[Whole]


class ToolCall(WithMeta):
    """`ToolCall` and `ToolCallUpdate`: null and absent are the same."""

    tool_call_id: Id
    title: Lenient[str]
    kind: Lenient[str]
    status: Lenient[Literal["pending", "in_progress", "completed", "failed"]]
    content: LenientList[Any]
    locations: LenientList[ToolCallLocation]
    raw_input: Any = None
    raw_output: Any = None
    name: Lenient[str]


# --- updates


class Plan(WireModel):
    """`plan`."""

    entries: Items[Step]


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


class OptionsResult(WireModel):
    """The result of `session/set_config_option`."""

    config_options: LenientList[Any]


class TurnUsage(WireModel):
    """`PromptResponse.usage`, of the unstable schema."""

    total_tokens: Whole = Field(ge=0)


class PromptResult(WireModel):
    """The result of `session/prompt`."""

    stop_reason: Lenient[str]
    usage: Lenient[TurnUsage]
