"""Requests of the agent, decoded, and our answers as results (v1/tool-calls, v1/file-system)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_never

from acp_nvim.errors import Code, RequestFailed
from acp_nvim.protocol.dialect import ClientCapabilities, RequestId
from acp_nvim.protocol.v1 import methods, request_types, terminal
from acp_nvim.protocol.v1.elicitation import decode_elicitation, encode_elicitation
from acp_nvim.protocol.v1.request import absolute, invalid, valid
from acp_nvim.protocol.v1.tool_call import tool_call_event
from acp_nvim.session.model import PermissionOption
from acp_nvim.session.request import (
    AgentRequest,
    Answer,
    ElicitationAnswer,
    FileRead,
    FileWritten,
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
        methods.REQUEST_PERMISSION: _permission,
        # a mode that is not advertised is a matter of the params (C-292)
        methods.CREATE_ELICITATION: lambda params: decode_elicitation(params, capabilities),
    }
    if capabilities.read_text_file:
        served[methods.READ_TEXT_FILE] = _read
    if capabilities.write_text_file:
        served[methods.WRITE_TEXT_FILE] = _write
    if capabilities.terminal:
        served |= terminal.DECODERS
    return served


def _permission(params: object) -> AgentRequest:
    request = valid(request_types.RequestPermission, methods.REQUEST_PERMISSION, params)
    if not request.options:
        raise invalid(methods.REQUEST_PERMISSION, "options", "none of them can be answered")
    options = tuple(
        PermissionOption(option.option_id, option.name, option.kind or "other")
        for option in request.options
    )
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
        case PermissionAnswer(option_id):
            chosen = {"outcome": "selected", "optionId": option_id}
            return {"outcome": {"outcome": "cancelled"} if option_id is None else chosen}
        case ElicitationAnswer():
            return encode_elicitation(answer)
        case FileRead(content):
            return {"content": content}
        case FileWritten():
            return {}
        case TerminalCreated() | TerminalShown() | TerminalExited() | TerminalEnded():
            return terminal.encode_terminal(answer)
    assert_never(answer)


def decode_cancel_request(params: object) -> RequestId:
    """Return the id that `$/cancel_request` names; None if it is unreadable, which is no id."""
    if not isinstance(params, dict):
        return None
    return request_types.CancelRequest.model_validate(params).request_id
