"""Parts of the agent's requests that are the same in every version of ACP."""

from __future__ import annotations

from typing import Any

from acp_nvim.protocol.base import Lenient, WireModel


class PermissionOption(WireModel):
    """One answer; without a kind it is still an answer (C-189)."""

    option_id: str
    name: str
    kind: Lenient[str]


class McpMessage(WireModel):
    """`mcp/message`."""

    server_id: str
    request_id: str
    method: str
    params: dict[str, Any] | None = None


class CancelRequest(WireModel):
    """`$/cancel_request`."""

    request_id: Lenient[str | int]
