"""The params of what this client sends in ACP v1: exactly the schema, no nulls (C-310, C-316)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from acp_nvim.config import NamedValue
from acp_nvim.protocol.common.mcp import encode_server
from acp_nvim.protocol.dialect import AcpServer, ClientCapabilities, Server


def encode_initialize(
    capabilities: ClientCapabilities, name: str, title: str, version: str
) -> dict[str, Any]:
    """Return the params of `initialize` (v1/initialization)."""
    return {
        "protocolVersion": 1,
        "clientCapabilities": {
            "fs": {
                "readTextFile": capabilities.read_text_file,
                "writeTextFile": capabilities.write_text_file,
            },
            "terminal": capabilities.terminal,
            # agents then tell the output of their own terminals
            "_meta": {"terminal_output": True},
            **_session(capabilities),
            **_elicitation(capabilities),
            **_auth(capabilities),
            **({"subagents": {}} if capabilities.sub_agents else {}),
        },
        "clientInfo": {"name": name, "title": title, "version": version},
    }


def _elicitation(capabilities: ClientCapabilities) -> dict[str, Any]:
    """Return the modes one by one: an empty object would advertise none (C-043)."""
    modes: dict[str, Any] = {"form": {}} if capabilities.elicitation_form else {}
    modes |= {"url": {}} if capabilities.elicitation_url else {}
    return {"elicitation": modes} if modes else {}


def _session(capabilities: ClientCapabilities) -> dict[str, Any]:
    served: dict[str, Any] = {
        "configOptions": {"boolean": {}} if capabilities.boolean_options else None,
        "notices": {} if capabilities.notices else None,
        "compaction": {} if capabilities.compaction else None,
    }
    advertised = {name: it for name, it in served.items() if it is not None}
    return {"session": advertised} if advertised else {}


def _auth(capabilities: ClientCapabilities) -> dict[str, Any]:
    return {"auth": {"terminal": True}} if capabilities.terminal_login else {}


def encode_setup(
    cwd: str, mcp_servers: Sequence[Server], additional_directories: Sequence[str]
) -> dict[str, Any]:
    """Return what `session/new`, `load` and `resume` share (v1/session-setup).

    `mcpServers` is always there (C-071); a directory that says nothing new is left out (C-076).
    """
    params: dict[str, Any] = {"cwd": cwd, "mcpServers": list(map(_server, mcp_servers))}
    further = [path for path in dict.fromkeys(additional_directories) if path and path != cwd]
    return params | {"additionalDirectories": further} if further else params


def _server(server: Server) -> dict[str, Any]:
    if isinstance(server, AcpServer):
        return encode_server(server)
    if server.type == "stdio":
        return {
            "name": server.name,
            "command": server.command,
            "args": list(server.args),
            "env": _pairs(server.env),
        }
    return {
        "type": server.type,
        "name": server.name,
        "url": server.url,
        "headers": _pairs(server.headers),
    }


def _pairs(values: Iterable[NamedValue]) -> list[dict[str, str]]:
    return [{"name": each.name, "value": each.value} for each in values]


def encode_option(session_id: str, option_id: str, value: str | bool) -> dict[str, Any]:
    """Return the params of `session/set_config_option`: only a boolean names its type (C-256)."""
    params = {"sessionId": session_id, "configId": option_id, "value": value}
    return params | {"type": "boolean"} if isinstance(value, bool) else params
