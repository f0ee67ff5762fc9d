"""ACP v1 as a `Dialect`: the one object that the outside sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acp_nvim.config import McpServer
from acp_nvim.protocol.base import WireModel
from acp_nvim.protocol.dialect import (
    AgentInfo,
    AgentNotification,
    AuthStatus,
    Call,
    ClientCapabilities,
    ElicitationCompleted,
    RequestCancelled,
    SessionPage,
    SessionUpdated,
    TurnResult,
)
from acp_nvim.protocol.v1 import (
    agent_request,
    agent_types,
    elicitation,
    encode,
    methods,
    opening,
    request_types,
    types,
    update,
)
from acp_nvim.session.content import Content
from acp_nvim.session.event import SessionOpened
from acp_nvim.session.model import ConfigOption
from acp_nvim.session.request import AgentRequest, Answer


class V1:
    """ACP version 1; see `Dialect` for what each method does."""

    version = 1

    def warm(self) -> None:
        """Build the validators of all models; a second call costs nothing."""
        for module in (agent_types, types, request_types):
            for model in vars(module).values():
                if isinstance(model, type) and issubclass(model, WireModel):
                    model.model_rebuild()

    def initialize(
        self, capabilities: ClientCapabilities, *, name: str, title: str, version: str
    ) -> Call:
        """Return the first request of a connection."""
        return methods.INITIALIZE, encode.encode_initialize(capabilities, name, title, version)

    def authenticate(self, method_id: str) -> Call:
        """Return `authenticate`."""
        return methods.AUTHENTICATE, {"methodId": method_id}

    def logout(self) -> Call:
        """Return `logout`."""
        return methods.LOGOUT, {}

    def new_session(
        self,
        cwd: str,
        mcp_servers: Sequence[McpServer] = (),
        additional_directories: Sequence[str] = (),
    ) -> Call:
        """Return `session/new`."""
        return methods.NEW_SESSION, encode.encode_setup(cwd, mcp_servers, additional_directories)

    def load_session(
        self,
        session_id: str,
        cwd: str,
        mcp_servers: Sequence[McpServer] = (),
        additional_directories: Sequence[str] = (),
    ) -> Call:
        """Return `session/load`."""
        setup = encode.encode_setup(cwd, mcp_servers, additional_directories)
        return methods.LOAD_SESSION, {"sessionId": session_id} | setup

    def resume_session(
        self,
        session_id: str,
        cwd: str,
        mcp_servers: Sequence[McpServer] = (),
        additional_directories: Sequence[str] = (),
    ) -> Call:
        """Return `session/resume`."""
        setup = encode.encode_setup(cwd, mcp_servers, additional_directories)
        return methods.RESUME_SESSION, {"sessionId": session_id} | setup

    def close_session(self, session_id: str) -> Call:
        """Return `session/close`."""
        return methods.CLOSE_SESSION, {"sessionId": session_id}

    def list_sessions(self, cwd: str, cursor: str | None = None) -> Call:
        """Return `session/list`."""
        return methods.LIST_SESSIONS, {"cwd": cwd} | ({} if cursor is None else {"cursor": cursor})

    def delete_session(self, session_id: str) -> Call:
        """Return `session/delete`."""
        return methods.DELETE_SESSION, {"sessionId": session_id}

    def fork_session(
        self,
        session_id: str,
        cwd: str,
        mcp_servers: Sequence[McpServer] = (),
        additional_directories: Sequence[str] = (),
    ) -> Call:
        """Return `session/fork`."""
        setup = encode.encode_setup(cwd, mcp_servers, additional_directories)
        return methods.FORK_SESSION, {"sessionId": session_id} | setup

    def set_title(self, session_id: str, title: str) -> Call:
        """Return `session/set_title`."""
        return methods.SET_TITLE, {"sessionId": session_id, "title": title}

    def archive_session(self, session_id: str) -> Call:
        """Return `session/archive`."""
        return methods.ARCHIVE_SESSION, {"sessionId": session_id}

    def auth_status(self) -> Call:
        """Return `auth/status`."""
        return methods.AUTH_STATUS, {}

    def steer(self, session_id: str, blocks: Sequence[Content]) -> Call:
        """Return `_session/steering`."""
        return methods.STEER, encode.encode_steering(session_id, blocks)

    def prompt(self, session_id: str, blocks: Sequence[Content]) -> Call:
        """Return `session/prompt`."""
        return methods.PROMPT, encode.encode_prompt(session_id, blocks)

    def set_mode(self, session_id: str, mode_id: str) -> Call:
        """Return `session/set_mode`."""
        return methods.SET_MODE, {"sessionId": session_id, "modeId": mode_id}

    def set_option(self, session_id: str, option_id: str, value: str | bool) -> Call:
        """Return `session/set_config_option`."""
        return methods.SET_OPTION, encode.encode_option(session_id, option_id, value)

    def set_model(self, session_id: str, model_id: str) -> Call:
        """Return `session/set_model`."""
        return methods.SET_MODEL, {"sessionId": session_id, "modelId": model_id}

    def cancel(self, session_id: str) -> Call:
        """Return the notification `session/cancel`."""
        return methods.CANCEL, {"sessionId": session_id}

    def cancel_request(self, request_id: str | int) -> Call:
        """Return the notification `$/cancel_request`."""
        return methods.CANCEL_REQUEST, {"requestId": request_id}

    def encode_answer(self, answer: Answer) -> dict[str, Any]:
        """Return the result that goes with the answer."""
        return agent_request.encode_answer(answer)

    def decode_initialize(self, result: object) -> AgentInfo:
        """Return what the agent told."""
        return opening.decode_initialize(result)

    def decode_session(
        self, method: str, result: object, session_id: str | None = None
    ) -> SessionOpened:
        """Return the opened session."""
        return opening.decode_session(method, result, session_id)

    def decode_sessions(self, result: object) -> SessionPage:
        """Return one page of the list."""
        return opening.decode_sessions(result)

    def decode_options(self, result: object) -> tuple[ConfigOption, ...] | None:
        """Return all options, if the answer tells them."""
        return opening.decode_options(result)

    def decode_title(self, result: object) -> str | None:
        """Return the title as the agent keeps it."""
        return opening.decode_title(result)

    def decode_auth_status(self, result: object) -> AuthStatus:
        """Return whether the agent is logged in."""
        return opening.decode_auth_status(result)

    def decode_steered(self, result: object) -> bool:
        """Return whether the text is in the turn."""
        return not isinstance(result, dict) or result.get("outcome") != "promptRequired"

    def decode_prompt(self, result: object) -> TurnResult:
        """Return how the turn ended: in this version the answer to a prompt is its end."""
        return opening.decode_prompt(result)

    def decode_notification(self, method: str, params: object) -> AgentNotification | None:
        """Return what the agent tells."""
        match method:
            case methods.UPDATE:
                return SessionUpdated(*update.decode_update(params))
            case methods.AUTH_STATUS_UPDATE:
                return opening.decode_auth_status(params)
            case methods.COMPLETE_ELICITATION:
                return ElicitationCompleted(elicitation.decode_complete(params))
            case methods.CANCEL_REQUEST:
                return RequestCancelled(agent_request.decode_cancel_request(params))
            case _:
                return None

    def decode_request(
        self, method: str, params: object, capabilities: ClientCapabilities
    ) -> AgentRequest:
        """Return what the agent wants of us."""
        return agent_request.decode_request(method, params, capabilities)
