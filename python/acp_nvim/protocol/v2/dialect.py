"""ACP v2 as a `Dialect`: the one object that the outside sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acp_nvim.protocol.common import methods
from acp_nvim.protocol.common.calls import Calls
from acp_nvim.protocol.common.warm import build
from acp_nvim.protocol.dialect import (
    AgentInfo,
    AgentNotification,
    Call,
    ClientCapabilities,
    Server,
)
from acp_nvim.protocol.v2 import agent_request, agent_types, encode, opening, types, update
from acp_nvim.protocol.v2 import methods as own
from acp_nvim.session.event import SessionOpened
from acp_nvim.session.model import BackgroundWork, ConfigOption
from acp_nvim.session.request import AgentRequest, Answer


class V2(Calls):
    """ACP version 2; see `Dialect` for what each method does."""

    version = 2

    def warm(self) -> None:
        """Build the validators of all models; a second call costs nothing."""
        build(agent_types, types)

    def initialize(
        self, capabilities: ClientCapabilities, *, name: str, title: str, version: str
    ) -> Call:
        """Return the first request of a connection."""
        return methods.INITIALIZE, encode.encode_initialize(capabilities, name, title, version)

    def authenticate(self, method_id: str) -> Call:
        """Return `auth/login`."""
        return own.LOGIN, {"methodId": method_id}

    def logout(self) -> Call:
        """Return `auth/logout`."""
        return own.LOGOUT, {}

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
        """Return `session/resume` with a replay: this version has no load."""
        method, params = self.resume_session(session_id, cwd, mcp_servers, additional_directories)
        return method, params | {"replayFrom": {"type": "start"}}

    def set_mode(self, session_id: str, mode_id: str) -> Call:
        """Return what sets the option for the mode: this version has no other modes."""
        return self.set_option(session_id, "mode", mode_id)

    def set_option(self, session_id: str, option_id: str, value: str | bool) -> Call:
        """Return `session/set_config_option`."""
        return methods.SET_OPTION, encode.encode_option(session_id, option_id, value)

    def set_model(self, session_id: str, model_id: str) -> Call:
        """Return what sets the option for the model: this version has no other list of models."""
        return self.set_option(session_id, "model", model_id)

    def cancel_work(self, session_id: str, work: BackgroundWork) -> Call | None:
        """Return `tool_call/cancel` or `terminal/cancel`."""
        match work.kind:
            case "tool_call":
                return own.CANCEL_TOOL_CALL, {"sessionId": session_id, "toolCallId": work.id}
            case "terminal":
                return own.CANCEL_TERMINAL, {"sessionId": session_id, "terminalId": work.id}
            case _:
                return None

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

    def decode_prompt(self, result: object) -> None:
        """Return nothing: in this version the answer to a prompt says that it was taken."""

    def decode_notification(self, method: str, params: object) -> AgentNotification | None:
        """Return what the agent tells."""
        match method:
            case methods.UPDATE:
                return update.decode_update(params)
            case _:
                return super().decode_notification(method, params)

    def decode_request(
        self, method: str, params: object, capabilities: ClientCapabilities
    ) -> AgentRequest:
        """Return what the agent wants of us."""
        return agent_request.decode_request(method, params, capabilities)
