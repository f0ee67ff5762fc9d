"""The objects of ACP v2 that an agent tells, as the schema says and no stricter.

What the agent may get wrong without harm is `Lenient`; unions (content, config options, updates)
are told apart by their decoders. What this client sends is built in `encode`.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from acp_nvim.protocol.base import Id, Items, Lenient, LenientList, Whole, WireModel
from acp_nvim.protocol.common.request_types import PermissionOption
from acp_nvim.protocol.common.tool_call import WithMeta

# --- tool calls


class WorkCapabilities(WireModel):
    """What can be done with a tool call or a terminal: any object means yes."""

    cancel: Lenient[dict[str, Any]]


class ToolCall(WithMeta):
    """`ToolCallUpdate`: a patch, of which null clears; what was given is told by `fields_set`."""

    tool_call_id: Id
    name: Lenient[str]
    title: Lenient[str]
    kind: Lenient[str]
    status: Lenient[str]
    content: LenientList[Any]
    locations: LenientList[ToolCallLocation]
    raw_input: Any = None
    raw_output: Any = None
    capabilities: Lenient[WorkCapabilities]


class ToolCallLocation(WireModel):
    """A place in a file; `line` is 1-based."""

    path: str
    line: Lenient[Whole]


class ToolCallContentChunk(WireModel):
    """`tool_call_content_chunk`: one more item of a tool call's content."""

    tool_call_id: Id
    content: dict[str, Any]


class DiffChange(WireModel):
    """What became of a file: added, deleted, modified, moved, copied, or what the agent says."""

    operation: str
    path: str
    old_path: Lenient[str]
    file_type: Lenient[str]
    mime_type: Lenient[str]


class DiffPatch(WireModel):
    """The texts of a diff, in some format."""

    format: str
    text: str


class Diff(WireModel):
    """`ToolCallContent`, type `diff`: the files, and a patch if the agent has one."""

    changes: Items[DiffChange]
    patch: Lenient[DiffPatch]


class TerminalContent(WireModel):
    """`ToolCallContent`, type `terminal`."""

    terminal_id: str


# --- terminals


class TerminalOutput(WireModel):
    """All of the output, base64."""

    data: str


class TerminalExit(WireModel):
    """How a command ended."""

    exit_code: Lenient[int]
    signal: Lenient[str]


class TerminalSize(WireModel):
    """For how many columns and rows a command writes."""

    cols: Whole
    rows: Whole


class TerminalUpdate(WireModel):
    """`terminal_update`: a patch, of which null clears."""

    terminal_id: str
    command: Lenient[str]
    cwd: Lenient[str]
    size: Lenient[TerminalSize]
    output: Lenient[TerminalOutput]
    exit_status: Lenient[TerminalExit]
    capabilities: Lenient[WorkCapabilities]


class TerminalChunk(WireModel):
    """`terminal_output_chunk`: more of the output, base64."""

    terminal_id: str
    data: str


# --- messages


class WholeMessage(WireModel):
    """`user_message`, `agent_message`, `agent_thought`: a patch, of which null clears."""

    message_id: str
    content: LenientList[Any]


# --- the state of a session


class Work(WireModel):
    """Something that goes on in the background."""

    type: str
    terminal_id: Lenient[str]
    tool_call_id: Lenient[Id]


class Fault(WireModel):
    """Why a turn failed."""

    message: Lenient[str]


class State(WireModel):
    """`state_update`; states and stop reasons are open."""

    state: str
    stop_reason: Lenient[str]
    error: Lenient[Fault]
    background: LenientList[Work]


# --- commands and options


class CommandInput(WireModel):
    """What an available command takes."""

    hint: Lenient[str]


class AvailableCommand(WireModel):
    """A slash command."""

    name: str = Field(min_length=1)
    description: Lenient[str]
    input: Lenient[CommandInput]


class AvailableCommands(WireModel):
    """`available_commands_update`."""

    available_commands: Items[AvailableCommand]


class ConfigOptions(WireModel):
    """`config_option_update`; the options are decoded one by one."""

    config_options: Items[Any]


class ConfigChoice(WireModel):
    """`SessionConfigSelectOption`."""

    value: str
    name: str
    description: Lenient[str]


class ConfigGroup(WireModel):
    """`SessionConfigSelectGroup`."""

    group_id: str
    name: str
    options: Items[ConfigChoice]


class ConfigOption(WireModel):
    """`SessionConfigOption`; what its values are depends on its type."""

    config_id: str
    name: str
    description: Lenient[str]
    category: Lenient[str]
    type: str
    current_value: str | bool
    options: LenientList[Any]


# --- answers


class SessionResult(WireModel):
    """The result of `session/new` and `session/resume`."""

    session_id: Lenient[str]
    config_options: LenientList[Any]
    available_commands: LenientList[AvailableCommand]


class OptionsResult(WireModel):
    """The result of `session/set_config_option`."""

    config_options: LenientList[Any]


# --- requests


class RequestPermission(WireModel):
    """`session/request_permission`."""

    session_id: str
    title: str
    description: Lenient[str]
    subject: Lenient[dict[str, Any]]
    options: Items[PermissionOption]


class CommandSubject(WireModel):
    """What a permission is about, type `command`."""

    command: str
    cwd: str
    tool_call_id: Lenient[Id]
    terminal_id: Lenient[str]


class ToolCallSubject(WireModel):
    """What a permission is about, type `tool_call`."""

    tool_call: ToolCall
