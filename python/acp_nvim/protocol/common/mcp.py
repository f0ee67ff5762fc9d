"""MCP servers that speak through the connection of ACP: how they are offered, asked and answered.

Of the unstable schemas (the RFD "MCP over ACP"): no connections, one request each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acp_nvim.protocol.common import methods, request_types
from acp_nvim.protocol.common.request import valid
from acp_nvim.protocol.dialect import AcpServer, Call
from acp_nvim.session.request import McpMessage, McpOutcome


def encode_server(server: AcpServer) -> dict[str, Any]:
    """Return how it stands in `mcpServers`."""
    return {"type": "acp", "name": server.name, "serverId": server.id}


def decode_message(params: object) -> McpMessage:
    """Return the inner request; raises `RequestFailed`."""
    told = valid(request_types.McpMessage, methods.MCP_MESSAGE, params)
    return McpMessage(told.server_id, told.request_id, told.method, told.params)


def encode_outcome(outcome: McpOutcome) -> dict[str, Any]:
    """Return the result of the outer request: exactly one outcome of the inner one."""
    if outcome.error is not None:
        return {"error": dict(outcome.error)}
    return {"result": outcome.result}


def notification(message: McpMessage, method: str, params: Mapping[str, Any]) -> Call:
    """Return what tells of a request on its way, such as its progress."""
    return methods.MCP_MESSAGE, {
        "serverId": message.server_id,
        "requestId": message.request_id,
        "method": method,
        "params": dict(params),
    }
