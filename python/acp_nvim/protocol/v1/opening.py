"""Results of `initialize`, `session/new`, `session/load`, `session/resume`, `session/prompt`."""

from __future__ import annotations

from typing import Any

from acp_nvim.errors import UserError
from acp_nvim.protocol.dialect import (
    AgentCapabilities,
    AgentInfo,
    AuthMethod,
    AuthStatus,
    SessionPage,
    TurnResult,
)
from acp_nvim.protocol.v1 import agent_types, types
from acp_nvim.protocol.v1.config import decode_config, decode_models
from acp_nvim.session.event import SessionOpened
from acp_nvim.session.model import ConfigOption, ListedSession, Mode


def decode_initialize(result: object) -> AgentInfo:
    """Return what the agent told (C-036 to C-040); raises `UserError` if it is no object."""
    if not isinstance(result, dict):
        raise UserError("the agent's answer to initialize is no object: it does not speak ACP")
    told = agent_types.InitializeResult.model_validate(result)
    info = told.agent_info or agent_types.Implementation()
    raw = result.get("agentCapabilities")
    return AgentInfo(
        protocol_version=1,
        name=info.name or "",
        title=info.title,
        version=info.version or "",
        capabilities=_capabilities(told.agent_capabilities or agent_types.Capabilities()),
        auth_methods=tuple(map(_auth_method, told.auth_methods or ())),
        steering=_offers_steering(result.get("_meta")),
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
        http=mcp.http is True,
        sse=mcp.sse is True,
        logout=auth.logout is not None,
        auth_status=auth.status is not None,
        fork=session.fork is not None,
        title=session.title is not None,
        archive=session.archive is not None,
    )


def _offers_steering(meta: object) -> bool:
    """Tell what `_meta`, which may be anything (C-311), says of `_session/steering`."""
    steering = meta.get("steering") if isinstance(meta, dict) else None
    return isinstance(steering, dict) and steering.get("supported") is True


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


def decode_sessions(result: object) -> SessionPage:
    """Return one page of `session/list`; what is no id, no cwd or no cursor is as good as none."""
    told = types.ListResult.model_validate(result if isinstance(result, dict) else {})
    sessions = tuple(
        ListedSession(
            it.session_id, it.cwd, it.title, it.updated_at, it.additional_directories or ()
        )
        for it in told.sessions or ()
        if it.session_id and it.cwd.startswith("/")
    )
    return SessionPage(sessions, told.next_cursor)


def _options(told: tuple[Any, ...] | None, *, known: bool) -> tuple[ConfigOption, ...] | None:
    """Return the options; a known session keeps its own when the answer tells of none."""
    return None if told is None and known else decode_config(told or ())


def decode_options(result: object) -> tuple[ConfigOption, ...] | None:
    """Return the whole list from the answer to `session/set_config_option` (C-257)."""
    told = types.OptionsResult.model_validate(result if isinstance(result, dict) else {})
    return None if told.config_options is None else decode_config(told.config_options)


def decode_title(result: object) -> str | None:
    """Return the title that the agent has made of ours, in the answer to `session/set_title`."""
    title = result.get("title") if isinstance(result, dict) else None
    return title if isinstance(title, str) and title else None


def decode_auth_status(result: object) -> AuthStatus:
    """Return what `auth/status` and `auth/status_update` tell; odd accounts are left out."""
    told = agent_types.AuthStatus.model_validate(result if isinstance(result, dict) else {})
    accounts = (it.email or it.name or it.label for it in told.accounts or ())
    return AuthStatus(told.state or "unknown", tuple(accounts))


def decode_prompt(result: object) -> TurnResult:
    """Return how the turn ended; an answer without a reason ended it all the same: `end_turn`."""
    told = types.PromptResult.model_validate(result if isinstance(result, dict) else {})
    tokens = None if told.usage is None else told.usage.total_tokens
    return TurnResult(told.stop_reason or "end_turn", tokens)
