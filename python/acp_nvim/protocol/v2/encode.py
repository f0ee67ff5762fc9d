"""The params of what this client sends in ACP v2: exactly the schema, no nulls (C-310, C-316)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from acp_nvim.config import NamedValue
from acp_nvim.protocol.common.mcp import encode_server
from acp_nvim.protocol.dialect import AcpServer, ClientCapabilities, Server


def encode_initialize(
    capabilities: ClientCapabilities, name: str, title: str, version: str
) -> dict[str, Any]:
    """Return the params of `initialize`."""
    return {
        "protocolVersion": 2,
        "info": {"name": name, "title": title, "version": version},
        "capabilities": {
            **({"auth": {"terminal": {}}} if capabilities.terminal_login else {}),
            **_elicitation(capabilities),
        },
    }


def _elicitation(capabilities: ClientCapabilities) -> dict[str, Any]:
    modes: dict[str, Any] = {"form": {}} if capabilities.elicitation_form else {}
    modes |= {"url": {}} if capabilities.elicitation_url else {}
    return {"elicitation": modes} if modes else {}


def encode_setup(
    cwd: str, mcp_servers: Sequence[Server], additional_directories: Sequence[str]
) -> dict[str, Any]:
    """Return what all ways to open a session share; what says nothing new is left out (C-076)."""
    params: dict[str, Any] = {"cwd": cwd}
    if mcp_servers:
        params["mcpServers"] = list(map(_server, mcp_servers))
    further = [path for path in dict.fromkeys(additional_directories) if path and path != cwd]
    return params | {"additionalDirectories": further} if further else params


def _server(server: Server) -> dict[str, Any]:
    if isinstance(server, AcpServer):
        return encode_server(server)
    common = {"type": server.type, "name": server.name}
    if server.type == "stdio":
        further = {"command": server.command, "args": list(server.args), "env": _pairs(server.env)}
    else:
        further = {"url": server.url, "headers": _pairs(server.headers)}
    return common | {name: value for name, value in further.items() if value != []}


def _pairs(values: Iterable[NamedValue]) -> list[dict[str, str]]:
    return [{"name": each.name, "value": each.value} for each in values]


def encode_option(session_id: str, option_id: str, value: str | bool) -> dict[str, Any]:
    """Return the params of `session/set_config_option`, which always name the type."""
    kind = "boolean" if isinstance(value, bool) else "id"
    return {"sessionId": session_id, "configId": option_id, "type": kind, "value": value}
