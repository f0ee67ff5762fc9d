"""Requests of the agent, decoded, and our answers as results (v1/tool-calls, v1/file-system)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_never

from acp_nvim.errors import Code, RequestFailed
from acp_nvim.protocol.common import methods as common
from acp_nvim.protocol.common.elicitation import decode_elicitation, encode_choice
from acp_nvim.protocol.common.mcp import decode_message, encode_outcome
from acp_nvim.protocol.common.request import absolute, permission_options, valid
from acp_nvim.protocol.dialect import ClientCapabilities
from acp_nvim.protocol.v1 import methods, request_types, terminal
from acp_nvim.protocol.v1.tool_call import tool_call_event
from acp_nvim.session.request import (
    AgentRequest,
    Answer,
    ElicitationAnswer,
    FileRead,
    FileWritten,
    McpOutcome,
    PermissionAnswer,
    PermissionRequest,
    ReadFileRequest,
    TerminalCreated,
    TerminalEnded,
    TerminalExited,
    TerminalShown,
    WriteFileRequest,
)


def decode_request(method: str, params: object, capabilities: ClientCapabilities) -> AgentRequest:
    """Return what the agent wants; raises `RequestFailed` as `Dialect.decode_request` says."""
    decode = _served(capabilities).get(method)
    if decode is None:
        raise RequestFailed(Code.METHOD_NOT_FOUND, f"this client does not serve {method}")
    return decode(params)


def _served(capabilities: ClientCapabilities) -> dict[str, Callable[[object], AgentRequest]]:
    served: dict[str, Callable[[object], AgentRequest]] = {
        common.MCP_MESSAGE: decode_message,
        common.REQUEST_PERMISSION: _permission,
        # a mode that is not advertised is a matter of the params (C-292)
        common.CREATE_ELICITATION: lambda params: decode_elicitation(params, capabilities),
    }
    if capabilities.read_text_file:
        served[methods.READ_TEXT_FILE] = _read
    if capabilities.write_text_file:
        served[methods.WRITE_TEXT_FILE] = _write
    if capabilities.terminal:
        served |= terminal.DECODERS
    return served


def _permission(params: object) -> AgentRequest:
    request = valid(request_types.RequestPermission, common.REQUEST_PERMISSION, params)
    options = permission_options(request.options)
    return PermissionRequest(request.session_id, tool_call_event(request.tool_call), options)


def _read(params: object) -> AgentRequest:
    request = valid(request_types.ReadTextFile, methods.READ_TEXT_FILE, params)
    return ReadFileRequest(
        request.session_id,
        absolute(methods.READ_TEXT_FILE, "path", request.path),
        request.line or None,
        request.limit,
    )


def _write(params: object) -> AgentRequest:
    request = valid(request_types.WriteTextFile, methods.WRITE_TEXT_FILE, params)
    path = absolute(methods.WRITE_TEXT_FILE, "path", request.path)
    return WriteFileRequest(request.session_id, path, request.content)


def encode_answer(answer: Answer) -> dict[str, Any]:
    """Return the result that goes with the answer."""
    match answer:
        case PermissionAnswer() | ElicitationAnswer():
            return encode_choice(answer)
        case FileRead(content):
            return {"content": content}
        case FileWritten():
            return {}
        case TerminalCreated() | TerminalShown() | TerminalExited() | TerminalEnded():
            return terminal.encode_terminal(answer)
        case McpOutcome():
            return encode_outcome(answer)
    assert_never(answer)
