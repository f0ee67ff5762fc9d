"""Params of the agent's requests: valid, or an error that names the field. For all versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pydantic import ValidationError

from acp_nvim.errors import Code, RequestFailed
from acp_nvim.protocol.base import WireModel
from acp_nvim.protocol.common import methods, types
from acp_nvim.protocol.records import RequestId
from acp_nvim.session.model import PermissionOption
from acp_nvim.session.request import McpMessage

M = TypeVar("M", bound=WireModel)


def valid(model: type[M], method: str, params: object) -> M:
    """Return the params as that model; raises `RequestFailed` (INVALID_PARAMS)."""
    try:
        return model.model_validate(params)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or "params"
        raise invalid(method, field, first["msg"]) from None


def absolute(method: str, field: str, path: str) -> str:
    """Return the path; raises `RequestFailed` when it is relative or none."""
    if not path.startswith("/"):
        raise invalid(method, field, f"it must be absolute, not {path!r}")
    if "\0" in path:
        raise invalid(method, field, "it holds a NUL")
    return path


def invalid(method: str, field: str, why: str) -> RequestFailed:
    """Return the error that tells the agent which field is wrong, and why."""
    return RequestFailed(Code.INVALID_PARAMS, f"{method}: '{field}' is not valid: {why}")


def permission_options(
    told: Sequence[types.PermissionOption],
) -> tuple[PermissionOption, ...]:
    """Return the answers that a permission offers; raises `RequestFailed` when there are none."""
    if not told:
        raise invalid(methods.REQUEST_PERMISSION, "options", "none of them can be answered")
    return tuple(PermissionOption(it.option_id, it.name, it.kind or "other") for it in told)


def decode_cancel_request(params: object) -> RequestId:
    """Return the id that `$/cancel_request` names; None if it is unreadable, which is no id."""
    if not isinstance(params, dict):
        return None
    return types.CancelRequest.model_validate(params).request_id


def decode_mcp_message(params: object) -> McpMessage:
    """Return the request of MCP that comes within one; raises `RequestFailed`."""
    told = valid(types.McpMessage, methods.MCP_MESSAGE, params)
    return McpMessage(told.server_id, told.request_id, told.method, told.params)
