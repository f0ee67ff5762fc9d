"""ACP v1 as a `Dialect`: the one object that the outside sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acp_nvim.protocol.common import methods as common
from acp_nvim.protocol.common.calls import Calls
from acp_nvim.protocol.common.warm import build
from acp_nvim.protocol.dialect import (
    AgentInfo,
    AgentNotification,
    Call,
    ClientCapabilities,
    Server,
    SessionUpdated,
    TurnResult,
)
from acp_nvim.protocol.v1 import (
    agent_request,
    agent_types,
    encode,
    frequent,
    methods,
    opening,
    request_types,
    types,
    update,
)
from acp_nvim.session.event import SessionOpened
from acp_nvim.session.model import ConfigOption
from acp_nvim.session.request import AgentRequest, Answer


class V1(Calls):
    """ACP version 1; see `Dialect` for what each method does."""

    version = 1

    def warm(self) -> None:
        """Build the validators of all models; a second call costs nothing."""
        build(agent_types, types, request_types)

    def initialize(
        self, capabilities: ClientCapabilities, *, name: str, title: str, version: str
    ) -> Call:
        """Return the first request of a connection."""
        return common.INITIALIZE, encode.encode_initialize(capabilities, name, title, version)

    def authenticate(self, method_id: str) -> Call:
        """Return `authenticate`."""
        return methods.AUTHENTICATE, {"methodId": method_id}

    def logout(self) -> Call:
        """Return `logout`."""
        return methods.LOGOUT, {}

    def setup(
        self, cwd: str, mcp_servers: Sequence[Server], additional_directories: Sequence[str]
    ) -> dict[str, Any]:
        """Return what all ways to open a session share."""
        return encode.encode_setup(cwd, mcp_servers, additional_directories)

    def load_session(
        self,
        session_id: str,
        cwd: str,
        mcp_servers: Sequence[Server] = (),
        additional_directories: Sequence[str] = (),
    ) -> Call:
        """Return `session/load`."""
        setup = self.setup(cwd, mcp_servers, additional_directories)
        return methods.LOAD_SESSION, {"sessionId": session_id} | setup

    def set_mode(self, session_id: str, mode_id: str) -> Call:
        """Return `session/set_mode`."""
        return methods.SET_MODE, {"sessionId": session_id, "modeId": mode_id}

    def set_option(self, session_id: str, option_id: str, value: str | bool) -> Call:
        """Return `session/set_config_option`."""
        return common.SET_OPTION, encode.encode_option(session_id, option_id, value)

    def set_model(self, session_id: str, model_id: str) -> Call:
        """Return `session/set_model`."""
        return methods.SET_MODEL, {"sessionId": session_id, "modelId": model_id}

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

    def decode_options(self, result: object) -> tuple[ConfigOption, ...] | None:
        """Return all options, if the answer tells them."""
        return opening.decode_options(result)

    def decode_prompt(self, result: object) -> TurnResult:
        """Return how the turn ended: in this version the answer to a prompt is its end."""
        return opening.decode_prompt(result)

    def read_update(self, line: bytes | str) -> SessionUpdated | None:
        """Return what a line says, if it has an update that comes by thousands."""
        return frequent.read_update(line)

    def decode_notification(self, method: str, params: object) -> AgentNotification | None:
        """Return what the agent tells."""
        match method:
            case common.UPDATE:
                return SessionUpdated(*update.decode_update(params))
            case _:
                return super().decode_notification(method, params)

    def decode_request(
        self, method: str, params: object, capabilities: ClientCapabilities
    ) -> AgentRequest:
        """Return what the agent wants of us."""
        return agent_request.decode_request(method, params, capabilities)
