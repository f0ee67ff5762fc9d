"""ACP v1 as a `Dialect`: the one object that the outside sees.

What it sends is exactly the schema, without nulls (C-310, C-316).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from acp_nvim.protocol.base import compact
from acp_nvim.protocol.common import methods
from acp_nvim.protocol.common import types as common
from acp_nvim.protocol.common.plan import plan_entries
from acp_nvim.protocol.common.request import absolute, permission_options, valid
from acp_nvim.protocol.common.update import DECODERS, Decoders, Update, decode_commands, event_of
from acp_nvim.protocol.dialect import Decoder, Dialect, acp_server, elicitation_modes, named_values
from acp_nvim.protocol.records import (
    AcpServer,
    Call,
    ClientCapabilities,
    Server,
    SessionUpdated,
    TurnResult,
)
from acp_nvim.protocol.v1 import frequent, terminal, types
from acp_nvim.protocol.v1.tool_call import tool_call_event
from acp_nvim.session.event import CommandsReplaced, Event, ModeChanged, PlanReplaced, Unknown
from acp_nvim.session.request import (
    AgentRequest,
    Answer,
    FileRead,
    FileWritten,
    PermissionRequest,
    ReadFileRequest,
    TerminalCreated,
    TerminalEnded,
    TerminalExited,
    TerminalShown,
    WriteFileRequest,
)

READ_TEXT_FILE: Final = "fs/read_text_file"
WRITE_TEXT_FILE: Final = "fs/write_text_file"


class V1(Dialect):
    """ACP version 1; see `Dialect` for what each method does."""

    version = 1
    login_methods = "authenticate", "logout"
    modules = (types,)
    initialized = types.InitializeResult
    opened = types.SessionResult
    capabilities_key = "agentCapabilities"

    def initialize(
        self, capabilities: ClientCapabilities, *, name: str, title: str, version: str
    ) -> Call:
        """Return `initialize` (v1/initialization)."""
        served: dict[str, Any] = {
            "configOptions": {"boolean": {}} if capabilities.boolean_options else None,
            "notices": {} if capabilities.notices else None,
            "compaction": {} if capabilities.compaction else None,
        }
        session = {name: it for name, it in served.items() if it is not None}
        return methods.INITIALIZE, {
            "protocolVersion": 1,
            "clientCapabilities": {
                "fs": {
                    "readTextFile": capabilities.read_text_file,
                    "writeTextFile": capabilities.write_text_file,
                },
                "terminal": capabilities.terminal,
                # agents then tell the output of their own terminals
                "_meta": {"terminal_output": True},
                **({"session": session} if session else {}),
                **elicitation_modes(capabilities),
                **({"auth": {"terminal": True}} if capabilities.terminal_login else {}),
                **({"subagents": {}} if capabilities.sub_agents else {}),
            },
            "clientInfo": {"name": name, "title": title, "version": version},
        }

    def _servers(self, servers: Sequence[Server]) -> dict[str, Any]:
        """Return `mcpServers`, which is always there (C-071)."""
        return {"mcpServers": list(map(_server, servers))}

    def load_session(self, session_id: str, *setup: Any) -> Call:
        """Return `session/load`."""
        return "session/load", {"sessionId": session_id} | self._setup(*setup)

    def set_mode(self, session_id: str, mode_id: str) -> Call:
        """Return `session/set_mode`."""
        return "session/set_mode", {"sessionId": session_id, "modeId": mode_id}

    def set_option(self, session_id: str, option_id: str, value: str | bool) -> Call:
        """Return `session/set_config_option`: only a boolean names its type (C-256)."""
        params = {"sessionId": session_id, "configId": option_id, "value": value}
        kind = {"type": "boolean"} if isinstance(value, bool) else {}
        return methods.SET_OPTION, params | kind

    def set_model(self, session_id: str, model_id: str) -> Call:
        """Return `session/set_model`, which is in no schema any more."""
        return "session/set_model", {"sessionId": session_id, "modelId": model_id}

    def encode_answer(self, answer: Answer) -> dict[str, Any]:
        """Return the result that goes with the answer."""
        match answer:
            case FileRead(content):
                return {"content": content}
            case FileWritten():
                return {}
            case TerminalCreated() | TerminalShown() | TerminalExited() | TerminalEnded():
                return terminal.encode_terminal(answer)
            case _:
                return super().encode_answer(answer)

    def decode_prompt(self, result: object) -> TurnResult:
        """Return how the turn ended: in this version the answer to a prompt is its end, also
        without a reason."""
        told = types.PromptResult.model_validate(result if isinstance(result, dict) else {})
        tokens = None if told.usage is None else told.usage.total_tokens
        return TurnResult(told.stop_reason or "end_turn", tokens)

    def read_update(self, line: bytes | str) -> SessionUpdated | None:
        """Return what a line says, if it has an update that comes by thousands."""
        return frequent.read_update(line)

    def decode_events(self, update: object) -> tuple[Event, ...]:
        """Return what has happened."""
        event = event_of(update, _DECODERS)
        if event is None:
            return ()
        if isinstance(update, dict) and update.get("sessionUpdate") in _TOOL_CALLS:
            # before the call, so that it finds what it shows
            return (*terminal.told_terminals(update), event)
        return (event,)

    def served(self, capabilities: ClientCapabilities) -> dict[str, Decoder]:
        """Return the requests of all versions, and those about files and terminals."""
        files: dict[str, Decoder] = {}
        if capabilities.read_text_file:
            files[READ_TEXT_FILE] = _read
        if capabilities.write_text_file:
            files[WRITE_TEXT_FILE] = _write
        terminals = terminal.DECODERS if capabilities.terminal else {}
        return {**super().served(capabilities), **files, **terminals}

    def decode_permission(self, params: object) -> AgentRequest:
        """Return what the user is to permit: always a tool call."""
        request = valid(types.RequestPermission, methods.REQUEST_PERMISSION, params)
        options = permission_options(request.options)
        return PermissionRequest(request.session_id, tool_call_event(request.tool_call), options)


def _server(server: Server) -> dict[str, Any]:
    if isinstance(server, AcpServer):
        return acp_server(server)
    if server.type == "stdio":
        return {
            "name": server.name,
            "command": server.command,
            "args": list(server.args),
            "env": named_values(server.env),
        }
    return {
        "type": server.type,
        "name": server.name,
        "url": server.url,
        "headers": named_values(server.headers),
    }


def _read(params: object) -> AgentRequest:
    request = valid(types.ReadTextFile, READ_TEXT_FILE, params)
    path = absolute(READ_TEXT_FILE, "path", request.path)
    return ReadFileRequest(request.session_id, path, request.line or None, request.limit)


def _write(params: object) -> AgentRequest:
    request = valid(types.WriteTextFile, WRITE_TEXT_FILE, params)
    path = absolute(WRITE_TEXT_FILE, "path", request.path)
    return WriteFileRequest(request.session_id, path, request.content)


_TOOL_CALLS = ("tool_call", "tool_call_update")


def _tool_call(update: Update) -> Event:
    return tool_call_event(types.ToolCall.model_validate(update))


def _plan(update: Update) -> Event:
    plan = types.Plan.model_validate(update)
    return PlanReplaced(plan_entries(plan.entries))


def _commands(update: Update) -> Event:
    told = common.AvailableCommands.model_validate(update)
    return CommandsReplaced(decode_commands(told.available_commands))


def _mode(update: Update) -> Event:
    current = types.CurrentMode.model_validate(update)
    mode = current.current_mode_id or current.mode_id
    return ModeChanged(mode) if mode else Unknown("current_mode_update", compact(update))


_DECODERS: Decoders = {
    "tool_call": _tool_call,
    "tool_call_update": _tool_call,
    "plan": _plan,
    "available_commands_update": _commands,
    "current_mode_update": _mode,
    **DECODERS,
}
