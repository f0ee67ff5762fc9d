"""Results of `initialize`, `session/new`, `session/load`, `session/resume`, `session/prompt`."""

from __future__ import annotations

from typing import Any

from acp_nvim.errors import UserError
from acp_nvim.protocol.common.answer_types import Implementation
from acp_nvim.protocol.common.calls import offers_steering
from acp_nvim.protocol.dialect import (
    AgentCapabilities,
    AgentInfo,
    AuthMethod,
    TurnResult,
)
from acp_nvim.protocol.v1 import agent_types, types
from acp_nvim.protocol.v1.config import decode_config, decode_models
from acp_nvim.session.event import SessionOpened
from acp_nvim.session.model import ConfigOption, Mode


def decode_initialize(result: object) -> AgentInfo:
    """Return what the agent told (C-036 to C-040); raises `UserError` if it is no object."""
    if not isinstance(result, dict):
        raise UserError("the agent's answer to initialize is not an object: it does not speak ACP")
    told = agent_types.InitializeResult.model_validate(result)
    info = told.agent_info or Implementation()
    raw = result.get("agentCapabilities")
    return AgentInfo(
        protocol_version=1,
        name=info.name or "",
        title=info.title,
        version=info.version or "",
        capabilities=_capabilities(told.agent_capabilities or agent_types.Capabilities()),
        auth_methods=tuple(map(_auth_method, told.auth_methods or ())),
        steering=offers_steering(result.get("_meta")),
        raw_capabilities=raw if isinstance(raw, dict) else {},
    )


def _capabilities(told: agent_types.Capabilities) -> AgentCapabilities:
    prompt = told.prompt_capabilities or agent_types.PromptCapabilities()
    mcp = told.mcp_capabilities or agent_types.McpCapabilities()
    session = told.session_capabilities or agent_types.SessionCapabilities()
    auth = told.auth or agent_types.AuthCapabilities()
    return AgentCapabilities(
        load=told.load_session is True,
        list=session.list is not None,
        resume=session.resume is not None,
        close=session.close is not None,
        delete=session.delete is not None,
        additional_directories=session.additional_directories is not None,
        image=prompt.image is True,
        audio=prompt.audio is True,
        embedded_context=prompt.embedded_context is True,
        mcp=frozenset(_mcp(mcp)),
        logout=auth.logout is not None,
        auth_status=auth.status is not None,
        fork=session.fork is not None,
        title=session.title is not None,
        archive=session.archive is not None,
    )


def _mcp(told: agent_types.McpCapabilities) -> list[str]:
    """Return the kinds of MCP servers: every agent takes those that it starts by itself."""
    named = {"http": told.http, "sse": told.sse, "acp": told.acp}
    return ["stdio", *(name for name, taken in named.items() if taken is True)]


def _auth_method(method: agent_types.AuthMethod) -> AuthMethod:
    return AuthMethod(
        method.id,
        method.name,
        method.description,
        "terminal" if method.type == "terminal" else "agent",
        method.args or (),
        tuple((method.env or {}).items()),
    )


def decode_session(method: str, result: object, session_id: str | None) -> SessionOpened:
    """Return the opened session; null is a good answer to a load (C-088).

    Raises `UserError` when a new session has no id.
    """
    told = types.SessionResult.model_validate(result if isinstance(result, dict) else {})
    known = told.session_id if session_id is None else session_id
    if not known:
        raise UserError(f"the agent's answer to {method} has no sessionId: see :Acp log")
    modes = told.modes
    return SessionOpened(
        known,
        tuple(Mode(mode.id, mode.name, mode.description) for mode in modes.available_modes)
        if modes
        else (),
        modes.current_mode_id if modes else None,
        _options(told.config_options, known=session_id is not None),
        None if told.models is None else decode_models(told.models),
    )


def _options(told: tuple[Any, ...] | None, *, known: bool) -> tuple[ConfigOption, ...] | None:
    """Return the options; a known session keeps its own when the answer tells of none."""
    return None if told is None and known else decode_config(told or ())


def decode_options(result: object) -> tuple[ConfigOption, ...] | None:
    """Return the whole list from the answer to `session/set_config_option` (C-257)."""
    told = types.OptionsResult.model_validate(result if isinstance(result, dict) else {})
    return None if told.config_options is None else decode_config(told.config_options)


def decode_prompt(result: object) -> TurnResult:
    """Return how the turn ended; an answer without a reason ended it all the same: `end_turn`."""
    told = types.PromptResult.model_validate(result if isinstance(result, dict) else {})
    tokens = None if told.usage is None else told.usage.total_tokens
    return TurnResult(told.stop_reason or "end_turn", tokens)
