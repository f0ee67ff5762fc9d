"""Results of `initialize`, `session/new`, `session/resume`, `session/set_config_option`."""

from __future__ import annotations

from typing import Any

from acp_nvim.errors import UserError
from acp_nvim.protocol.common.answer_types import Implementation
from acp_nvim.protocol.common.calls import offers_steering
from acp_nvim.protocol.dialect import AgentCapabilities, AgentInfo, AuthMethod
from acp_nvim.protocol.v2 import agent_types, types
from acp_nvim.protocol.v2.config import decode_commands, decode_config
from acp_nvim.session.event import SessionOpened
from acp_nvim.session.model import ConfigOption


def decode_initialize(result: object) -> AgentInfo:
    """Return what the agent told; raises `UserError` if it is no object."""
    if not isinstance(result, dict):
        raise UserError("the agent's answer to initialize is not an object: it does not speak ACP")
    told = agent_types.InitializeResult.model_validate(result)
    info = told.info or Implementation()
    methods = tuple(map(_auth_method, told.auth_methods or ()))
    raw = result.get("capabilities")
    return AgentInfo(
        protocol_version=2,
        name=info.name or "",
        title=info.title,
        version=info.version or "",
        capabilities=_capabilities(
            told.capabilities or agent_types.Capabilities(), logout=bool(methods)
        ),
        auth_methods=methods,
        steering=offers_steering(result.get("_meta")),
        raw_capabilities=raw if isinstance(raw, dict) else {},
    )


def _capabilities(told: agent_types.Capabilities, *, logout: bool) -> AgentCapabilities:
    """Return what it offers: with sessions comes all that this version knows of them."""
    session = told.session or agent_types.SessionCapabilities()
    prompt = session.prompt or agent_types.PromptCapabilities()
    mcp = session.mcp or agent_types.McpCapabilities()
    baseline = told.session is not None
    return AgentCapabilities(
        load=baseline,
        list=baseline,
        resume=baseline,
        close=baseline,
        delete=session.delete is not None,
        additional_directories=session.additional_directories is not None,
        image=prompt.image is not None,
        audio=prompt.audio is not None,
        embedded_context=prompt.embedded_context is not None,
        mcp=frozenset(_given(stdio=mcp.stdio, http=mcp.http, acp=mcp.acp)),
        logout=logout,
        auth_status=told.auth is not None and told.auth.status is not None,
        fork=session.fork is not None,
        title=session.title is not None,
        archive=session.archive is not None,
    )


def _given(**told: object) -> list[str]:
    return [name for name, value in told.items() if value is not None]


def _auth_method(method: agent_types.AuthMethod) -> AuthMethod:
    return AuthMethod(
        method.method_id,
        method.name,
        method.description,
        "terminal" if method.type == "terminal" else "agent",
        method.args or (),
        tuple((it.name, it.value) for it in method.env or ()),
    )


def decode_session(method: str, result: object, session_id: str | None) -> SessionOpened:
    """Return the opened session; raises `UserError` when a new one has no id."""
    told = types.SessionResult.model_validate(result if isinstance(result, dict) else {})
    known = told.session_id if session_id is None else session_id
    if not known:
        raise UserError(f"the agent's answer to {method} has no sessionId: see :Acp log")
    commands = told.available_commands
    return SessionOpened(
        known,
        config=_options(told.config_options, known=session_id is not None),
        commands=None if commands is None else decode_commands(commands),
    )


def _options(told: tuple[Any, ...] | None, *, known: bool) -> tuple[ConfigOption, ...] | None:
    """Return the options; a known session keeps its own when the answer tells of none."""
    return None if told is None and known else decode_config(told or ())


def decode_options(result: object) -> tuple[ConfigOption, ...] | None:
    """Return the whole list from the answer to `session/set_config_option`."""
    told = types.OptionsResult.model_validate(result if isinstance(result, dict) else {})
    return None if told.config_options is None else decode_config(told.config_options)
