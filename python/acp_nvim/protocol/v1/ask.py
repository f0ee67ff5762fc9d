"""Requests of the agent as asks, and answers as results (v1/tool-calls, v1/file-system)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, assert_never

from pydantic import ValidationError

from acp_nvim.errors import AskFailed, Code
from acp_nvim.protocol.base import WireModel
from acp_nvim.protocol.dialect import ClientCapabilities, RequestId
from acp_nvim.protocol.v1 import methods, types
from acp_nvim.protocol.v1.tool_call import tool_call_event
from acp_nvim.session.ask import (
    Answer,
    Ask,
    FileRead,
    FileWritten,
    PermissionAnswer,
    PermissionAsk,
    ReadFileAsk,
    WriteFileAsk,
)
from acp_nvim.session.noun import PermissionOption

M = TypeVar("M", bound=WireModel)


def decode_ask(method: str, params: object, capabilities: ClientCapabilities) -> Ask:
    """Return what the agent wants; raises `AskFailed` as `Dialect.decode_ask` says."""
    decode = _served(capabilities).get(method)
    if decode is None:
        raise AskFailed(Code.METHOD_NOT_FOUND, f"this client does not serve {method}")
    return decode(params)


def _served(capabilities: ClientCapabilities) -> dict[str, Callable[[object], Ask]]:
    served: dict[str, Callable[[object], Ask]] = {methods.REQUEST_PERMISSION: _permission}
    if capabilities.read_text_file:
        served[methods.READ_TEXT_FILE] = _read
    if capabilities.write_text_file:
        served[methods.WRITE_TEXT_FILE] = _write
    return served


def _permission(params: object) -> Ask:
    request = _valid(types.RequestPermission, methods.REQUEST_PERMISSION, params)
    if not request.options:
        raise _invalid(methods.REQUEST_PERMISSION, "options", "none of them can be answered")
    options = tuple(
        PermissionOption(option.option_id, option.name, option.kind or "other")
        for option in request.options
    )
    return PermissionAsk(request.session_id, tool_call_event(request.tool_call), options)


def _read(params: object) -> Ask:
    request = _valid(types.ReadTextFile, methods.READ_TEXT_FILE, params)
    return ReadFileAsk(
        request.session_id,
        _path(methods.READ_TEXT_FILE, request.path),
        _natural(request.line) or None,
        _natural(request.limit),
    )


def _write(params: object) -> Ask:
    request = _valid(types.WriteTextFile, methods.WRITE_TEXT_FILE, params)
    path = _path(methods.WRITE_TEXT_FILE, request.path)
    return WriteFileAsk(request.session_id, path, request.content)


def _valid(model: type[M], method: str, params: object) -> M:
    try:
        return model.model_validate(params)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "params"
        raise _invalid(method, field, first["msg"]) from None


def _path(method: str, path: str) -> str:
    if not path.startswith("/"):
        raise _invalid(method, "path", f"it must be absolute, not {path!r}")
    if "\0" in path:
        raise _invalid(method, "path", "it holds a NUL")
    return path


def _natural(number: int | None) -> int | None:
    return number if number is not None and number >= 0 else None


def _invalid(method: str, field: str, why: str) -> AskFailed:
    return AskFailed(Code.INVALID_PARAMS, f"{method}: '{field}' is not valid: {why}")


def encode_answer(answer: Answer) -> dict[str, Any]:
    """Return the result that goes with the answer."""
    match answer:
        case PermissionAnswer(None):
            return {"outcome": {"outcome": "cancelled"}}
        case PermissionAnswer(option_id):
            return {"outcome": {"outcome": "selected", "optionId": option_id}}
        case FileRead(content):
            return {"content": content}
        case FileWritten():
            return {}
    assert_never(answer)


def decode_cancel_request(params: object) -> RequestId:
    """Return the id that `$/cancel_request` names; None if it is unreadable, which is no id."""
    if not isinstance(params, dict):
        return None
    return types.CancelRequest.model_validate(params).request_id
