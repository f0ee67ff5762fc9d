"""ACP v2 as a `Dialect`: the one object that the outside sees.

What it sends is exactly the schema, without nulls (C-310, C-316).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from acp_nvim.protocol.base import compact
from acp_nvim.protocol.common import methods
from acp_nvim.protocol.common.request import permission_options, valid
from acp_nvim.protocol.dialect import Dialect, acp_server, elicitation_modes, named_values
from acp_nvim.protocol.records import (
    AcpServer,
    AgentNotification,
    Call,
    ClientCapabilities,
    Server,
)
from acp_nvim.protocol.v2 import types
from acp_nvim.protocol.v2.tool_call import tool_call_event
from acp_nvim.protocol.v2.update import decode_state, decode_update
from acp_nvim.session.content import TerminalOutput, Text
from acp_nvim.session.event import Event, ToolCallUpdated
from acp_nvim.session.model import BackgroundWork, Subject
from acp_nvim.session.request import AgentRequest, PermissionRequest
from acp_nvim.session.terminal import command_line

REFERENCES = frozenset({"type", "cwd", "toolCallId", "terminalId", "_meta"})
"""Members of a command that are known by other names, or change nothing."""


class V2(Dialect):
    """ACP version 2; see `Dialect` for what each method does."""

    version = 2
    login_methods = "auth/login", "auth/logout"
    modules = (types,)
    initialized = types.InitializeResult
    opened = types.SessionResult
    capabilities_key = "capabilities"

    def initialize(
        self, capabilities: ClientCapabilities, *, name: str, title: str, version: str
    ) -> Call:
        """Return `initialize`."""
        return methods.INITIALIZE, {
            "protocolVersion": 2,
            "info": {"name": name, "title": title, "version": version},
            "capabilities": {
                **({"auth": {"terminal": {}}} if capabilities.terminal_login else {}),
                **elicitation_modes(capabilities),
            },
        }

    def _servers(self, servers: Sequence[Server]) -> dict[str, Any]:
        """Return `mcpServers`, if there are any."""
        return {"mcpServers": list(map(_server, servers))} if servers else {}

    def load_session(self, session_id: str, *setup: Any) -> Call:
        """Return `session/resume` with a replay: this version has no load."""
        method, params = self.resume_session(session_id, *setup)
        return method, params | {"replayFrom": {"type": "start"}}

    def set_mode(self, session_id: str, mode_id: str) -> Call:
        """Return what sets the option for the mode: this version has no other modes."""
        return self.set_option(session_id, "mode", mode_id)

    def set_option(self, session_id: str, option_id: str, value: str | bool) -> Call:
        """Return `session/set_config_option`, which always names the type."""
        params = {"sessionId": session_id, "configId": option_id}
        kind = "boolean" if isinstance(value, bool) else "id"
        return methods.SET_OPTION, params | {"type": kind, "value": value}

    def set_model(self, session_id: str, model_id: str) -> Call:
        """Return what sets the option for the model: this version has no other list of models."""
        return self.set_option(session_id, "model", model_id)

    def cancel_work(self, session_id: str, work: BackgroundWork) -> Call | None:
        """Return `tool_call/cancel` or `terminal/cancel`."""
        match work.kind:
            case "tool_call":
                return "tool_call/cancel", {"sessionId": session_id, "toolCallId": work.id}
            case "terminal":
                return "terminal/cancel", {"sessionId": session_id, "terminalId": work.id}
            case _:
                return None

    def decode_prompt(self, result: object) -> None:
        """Return nothing: in this version the answer to a prompt says that it was taken."""

    def decode_update(self, session_id: str, update: object) -> AgentNotification:
        """Return what has happened, or what the agent is at."""
        state = decode_state(session_id, update)
        return super().decode_update(session_id, update) if state is None else state

    def decode_events(self, update: object) -> tuple[Event, ...]:
        """Return what has happened."""
        return decode_update(update)

    def decode_permission(self, params: object) -> AgentRequest:
        """Return what the user is to permit: a tool call, or what else is to be shown."""
        request = valid(types.RequestPermission, methods.REQUEST_PERMISSION, params)
        options = permission_options(request.options)
        call, about = _subject(request.subject)
        asks = "\n".join(filter(None, (request.title, request.description)))
        return PermissionRequest(request.session_id, call, options, asks, about)


def _server(server: Server) -> dict[str, Any]:
    if isinstance(server, AcpServer):
        return acp_server(server)
    common = {"type": server.type, "name": server.name}
    if server.type == "stdio":
        env = named_values(server.env)
        further = {"command": server.command, "args": list(server.args), "env": env}
    else:
        further = {"url": server.url, "headers": named_values(server.headers)}
    return common | {name: value for name, value in further.items() if value != []}


def _subject(told: dict[str, Any] | None) -> tuple[ToolCallUpdated | None, Subject | None]:
    """Return what a permission is about: a tool call, or what else is to be shown."""
    if told is None:
        return None, None
    try:
        match told.get("type"):
            case "tool_call":
                return tool_call_event(types.ToolCallSubject.model_validate(told).tool_call), None
            case "command":
                return _command(types.CommandSubject.model_validate(told), told)
    except ValidationError:
        pass
    return None, Subject(str(told.get("type") or "?"), (Text(compact(told)),), "other")


def _command(
    subject: types.CommandSubject, told: dict[str, Any]
) -> tuple[ToolCallUpdated | None, Subject]:
    """Return what would run; what is told of it beyond the schema may change what it does."""
    call = None if subject.tool_call_id is None else ToolCallUpdated(subject.tool_call_id)
    where = () if subject.terminal_id is None else (TerminalOutput(subject.terminal_id),)
    given = {name: it for name, it in told.items() if name not in REFERENCES}
    words = given.get("args")
    is_list = isinstance(words, list) and all(isinstance(it, str) for it in words)
    title = command_line(subject.command, words or () if is_list else ())
    more = compact(given) if len(given) > 1 else None
    return call, Subject(title, where, "execute", subject.cwd, more)
