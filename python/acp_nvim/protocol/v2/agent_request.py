"""Requests of the agent, decoded, and our answers as results (v2 serves questions to the user)."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from acp_nvim.errors import Code, RequestFailed
from acp_nvim.protocol.base import compact
from acp_nvim.protocol.common import methods
from acp_nvim.protocol.common.elicitation import decode_elicitation, encode_choice
from acp_nvim.protocol.common.mcp import decode_message, encode_outcome
from acp_nvim.protocol.common.request import permission_options, valid
from acp_nvim.protocol.dialect import ClientCapabilities
from acp_nvim.protocol.v2 import types
from acp_nvim.protocol.v2.tool_call import tool_call_event
from acp_nvim.session.content import TerminalOutput, Text
from acp_nvim.session.event import ToolCallUpdated
from acp_nvim.session.model import Subject
from acp_nvim.session.request import (
    AgentRequest,
    Answer,
    ElicitationAnswer,
    McpOutcome,
    PermissionAnswer,
    PermissionRequest,
)
from acp_nvim.session.terminal import command_line

REFERENCES = frozenset({"type", "cwd", "toolCallId", "terminalId", "_meta"})
"""Members of a command that are known by other names, or change nothing."""


def decode_request(method: str, params: object, capabilities: ClientCapabilities) -> AgentRequest:
    """Return what the agent wants; raises `RequestFailed` as `Dialect.decode_request` says."""
    match method:
        case methods.REQUEST_PERMISSION:
            return _permission(params)
        case methods.CREATE_ELICITATION:
            return decode_elicitation(params, capabilities)
        case methods.MCP_MESSAGE:
            return decode_message(params)
        case _:
            raise RequestFailed(Code.METHOD_NOT_FOUND, f"this client does not serve {method}")


def encode_answer(answer: Answer) -> dict[str, Any]:
    """Return the result that goes with the answer."""
    if isinstance(answer, PermissionAnswer | ElicitationAnswer):
        return encode_choice(answer)
    if isinstance(answer, McpOutcome):
        return encode_outcome(answer)
    raise TypeError(f"{type(answer).__name__} answers nothing of this version")


def _permission(params: object) -> PermissionRequest:
    request = valid(types.RequestPermission, methods.REQUEST_PERMISSION, params)
    options = permission_options(request.options)
    call, about = _subject(request.subject)
    asks = "\n".join(filter(None, (request.title, request.description)))
    return PermissionRequest(request.session_id, call, options, asks, about)


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
