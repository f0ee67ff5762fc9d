"""The objects of ACP v2 that an agent tells, as the schema says and no stricter.

What the agent may get wrong without harm is `Lenient`; unions (content, config options, updates)
are told apart by their decoders. What every version has is in `common.types`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from acp_nvim.protocol.base import Id, Items, Lenient, LenientList, Whole, WireModel
from acp_nvim.protocol.common.types import (
    AvailableCommand,
    CanCancel,
    EnvVariable,
    Initialized,
    Opened,
    PermissionOption,
    StopError,
    TerminalExit,
    ToolCallLocation,
    WithMeta,
)
from acp_nvim.protocol.common.update import decode_commands
from acp_nvim.protocol.records import AgentCapabilities, AuthMethod
from acp_nvim.session.event import SessionOpened
from acp_nvim.session.model import Command

# --- tool calls


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
    capabilities: Lenient[CanCancel]


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


# --- terminals


class TerminalOutput(WireModel):
    """All of the output, base64."""

    data: str


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
    capabilities: Lenient[CanCancel]


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


class State(WireModel):
    """`state_update`; states and stop reasons are open."""

    state: str
    stop_reason: Lenient[str]
    error: Lenient[StopError]
    background: LenientList[Work]


# --- answers


class SessionResult(Opened):
    """The result of `session/new` and `session/resume`."""

    available_commands: LenientList[AvailableCommand]

    def event(self, session_id: str) -> SessionOpened:
        """Return what has happened, but for the options."""
        told = self.available_commands
        return SessionOpened(session_id, commands=None if told is None else commands(told))


def commands(told: Iterable[AvailableCommand]) -> tuple[Command, ...]:
    """Return the slash commands, without those whose name is not one word."""
    return decode_commands(it for it in told if not any(map(str.isspace, it.name)))


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


# --- what an agent tells of itself


class PromptCapabilities(WireModel):
    """`capabilities.session.prompt`: any object means yes."""

    image: Lenient[dict[str, Any]]
    audio: Lenient[dict[str, Any]]
    embedded_context: Lenient[dict[str, Any]]


class McpCapabilities(WireModel):
    """`capabilities.session.mcp`."""

    stdio: Lenient[dict[str, Any]]
    http: Lenient[dict[str, Any]]
    acp: Lenient[dict[str, Any]]


class SessionCapabilities(WireModel):
    """`capabilities.session`; the last three are of the unstable schema."""

    prompt: Lenient[PromptCapabilities]
    mcp: Lenient[McpCapabilities]
    delete: Lenient[dict[str, Any]]
    additional_directories: Lenient[dict[str, Any]]
    fork: Lenient[dict[str, Any]]
    title: Lenient[dict[str, Any]]
    archive: Lenient[dict[str, Any]]


class AuthCapabilities(WireModel):
    """`capabilities.auth`, of the unstable schema."""

    status: Lenient[dict[str, Any]]


class Capabilities(WireModel):
    """`capabilities`."""

    session: Lenient[SessionCapabilities]
    auth: Lenient[AuthCapabilities]


class Login(WireModel):
    """A way to log in."""

    method_id: str
    name: str
    description: Lenient[str]
    type: str
    args: LenientList[str]
    env: LenientList[EnvVariable]


class InitializeResult(Initialized):
    """The result of `initialize`."""

    capabilities: Lenient[Capabilities]
    auth_methods: LenientList[Login]

    def offered(self) -> AgentCapabilities:
        """Return what it offers: with sessions comes all that this version knows of them."""
        told = self.capabilities or Capabilities()
        session = told.session or SessionCapabilities()
        baseline = told.session is not None
        return AgentCapabilities(
            load=baseline,
            list=baseline,
            resume=baseline,
            close=baseline,
            delete=session.delete is not None,
            additional_directories=session.additional_directories is not None,
            mcp=frozenset(name for name, it in session.mcp or () if it is not None),
            logout=bool(self.auth_methods),
            auth_status=told.auth is not None and told.auth.status is not None,
            fork=session.fork is not None,
            title=session.title is not None,
            archive=session.archive is not None,
            **{name: it is not None for name, it in session.prompt or ()},
        )

    def logins(self) -> tuple[AuthMethod, ...]:
        """Return the ways to log in."""
        return tuple(
            AuthMethod(
                it.method_id,
                it.name,
                it.description,
                "terminal" if it.type == "terminal" else "agent",
                it.args or (),
                tuple((each.name, each.value) for each in it.env or ()),
            )
            for it in self.auth_methods or ()
        )
