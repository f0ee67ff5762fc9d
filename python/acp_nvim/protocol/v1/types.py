"""The objects of ACP v1 that an agent tells or asks with, as the schema says and no stricter.

What the agent may get wrong without harm is `Lenient`; unions (content, config options, updates)
are told apart by their decoders. What every version has is in `common.types`.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from acp_nvim.protocol.base import MOST_ITEMS, Id, Items, Lenient, LenientList, Whole, WireModel
from acp_nvim.protocol.common.plan import Step
from acp_nvim.protocol.common.types import (
    EnvVariable,
    Implementation,
    Initialized,
    Opened,
    PermissionOption,
    ToolCallLocation,
    WithMeta,
)
from acp_nvim.protocol.records import AgentCapabilities, AuthMethod
from acp_nvim.session.event import SessionOpened
from acp_nvim.session.model import ConfigChoice, ConfigOption, Mode

# --- tool calls


class DiffContent(WireModel):
    """`ToolCallContent`, type `diff`."""

    path: str
    old_text: Lenient[str]
    new_text: str


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


class CurrentMode(WireModel):
    """`current_mode_update`; `modeId` is what the documentation's example says."""

    current_mode_id: Lenient[str]
    mode_id: Lenient[str]


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


class ModelInfo(WireModel):
    """One of `models.availableModels`, of older agents."""

    model_id: str
    name: str
    description: Lenient[str]


class SessionModelState(WireModel):
    """`models`: in no schema any more, and still sent."""

    available_models: Items[ModelInfo]
    current_model_id: str

    def option(self) -> ConfigOption | None:
        """Return the models of an older agent as the option that they would be today."""
        known = self.available_models
        choices = tuple(ConfigChoice(it.model_id, it.name, it.description) for it in known)
        current = self.current_model_id
        found = ConfigOption(
            "model", "Model", "select", current, "model", choices=choices, way="set_model"
        )
        return found if choices else None


class SessionResult(Opened):
    """The result of `session/new`, `session/load` and `session/resume`."""

    modes: Lenient[SessionModeState]
    models: Lenient[SessionModelState]

    def event(self, session_id: str) -> SessionOpened:
        """Return what has happened, but for the options."""
        modes = self.modes.available_modes if self.modes else ()
        return SessionOpened(
            session_id,
            tuple(Mode(it.id, it.name, it.description) for it in modes),
            self.modes.current_mode_id if self.modes else None,
            models=self.models.option() if self.models else None,
        )


class TurnUsage(WireModel):
    """`PromptResponse.usage`, of the unstable schema."""

    total_tokens: Whole = Field(ge=0)


class PromptResult(WireModel):
    """The result of `session/prompt`."""

    stop_reason: Lenient[str]
    usage: Lenient[TurnUsage]


# --- requests


class RequestPermission(WireModel):
    """`session/request_permission`."""

    session_id: str
    tool_call: ToolCall
    options: Items[PermissionOption]


class ReadTextFile(WireModel):
    """`fs/read_text_file`; `line` is 1-based. Null is absent; nothing else is forgiven."""

    session_id: str
    path: str
    line: Whole | None = Field(default=None, ge=0)
    limit: Whole | None = Field(default=None, ge=0)


class WriteTextFile(WireModel):
    """`fs/write_text_file`."""

    session_id: str
    path: str
    content: str


class CreateTerminal(WireModel):
    """`terminal/create`: null is absent, and what is wrong otherwise must run nothing."""

    session_id: str
    command: str
    args: list[str] | None = Field(default=None, max_length=MOST_ITEMS)
    env: list[EnvVariable] | None = Field(default=None, max_length=MOST_ITEMS)
    cwd: str | None = None
    output_byte_limit: Whole | None = Field(default=None, ge=0)


class TerminalRequest(WireModel):
    """`terminal/output`, `wait_for_exit`, `kill` and `release`."""

    session_id: str
    terminal_id: str


# --- what an agent tells of itself


class PromptCapabilities(WireModel):
    """`agentCapabilities.promptCapabilities`."""

    image: Lenient[bool]
    audio: Lenient[bool]
    embedded_context: Lenient[bool]


class McpCapabilities(WireModel):
    """`agentCapabilities.mcpCapabilities`."""

    http: Lenient[bool]
    sse: Lenient[bool]
    acp: Lenient[bool]


class SessionCapabilities(WireModel):
    """`agentCapabilities.sessionCapabilities`: any object means yes (C-039)."""

    list: Lenient[dict[str, Any]]
    delete: Lenient[dict[str, Any]]
    additional_directories: Lenient[dict[str, Any]]
    resume: Lenient[dict[str, Any]]
    close: Lenient[dict[str, Any]]
    fork: Lenient[dict[str, Any]]
    title: Lenient[dict[str, Any]]
    archive: Lenient[dict[str, Any]]


class AuthCapabilities(WireModel):
    """`agentCapabilities.auth`."""

    logout: Lenient[dict[str, Any]]
    status: Lenient[dict[str, Any]]


class Capabilities(WireModel):
    """`agentCapabilities`."""

    load_session: Lenient[bool]
    prompt_capabilities: Lenient[PromptCapabilities]
    mcp_capabilities: Lenient[McpCapabilities]
    session_capabilities: Lenient[SessionCapabilities]
    auth: Lenient[AuthCapabilities]


class Login(WireModel):
    """A way to log in."""

    id: str
    name: str
    description: Lenient[str]
    type: Lenient[str]
    args: LenientList[str]
    env: Lenient[dict[str, str]]


class InitializeResult(Initialized):
    """The result of `initialize`."""

    info: Lenient[Implementation] = Field(default=None, alias="agentInfo")
    capabilities: Lenient[Capabilities] = Field(default=None, alias="agentCapabilities")
    auth_methods: LenientList[Login]

    def offered(self) -> AgentCapabilities:
        """Return what the agent offers."""
        told = self.capabilities or Capabilities()
        prompt = told.prompt_capabilities or PromptCapabilities()
        mcp = told.mcp_capabilities or McpCapabilities()
        session = told.session_capabilities or SessionCapabilities()
        auth = told.auth or AuthCapabilities()
        servers = {"stdio": True, "http": mcp.http, "sse": mcp.sse, "acp": mcp.acp}
        return AgentCapabilities(
            load=told.load_session is True,
            image=prompt.image is True,
            audio=prompt.audio is True,
            embedded_context=prompt.embedded_context is True,
            # every agent takes those that it starts by itself
            mcp=frozenset(name for name, taken in servers.items() if taken is True),
            logout=auth.logout is not None,
            auth_status=auth.status is not None,
            **{name: told is not None for name, told in session},
        )

    def logins(self) -> tuple[AuthMethod, ...]:
        """Return the ways to log in."""
        return tuple(
            AuthMethod(
                it.id,
                it.name,
                it.description,
                "terminal" if it.type == "terminal" else "agent",
                it.args or (),
                tuple((it.env or {}).items()),
            )
            for it in self.auth_methods or ()
        )
