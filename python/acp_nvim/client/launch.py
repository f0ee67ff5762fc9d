"""How to start an agent, and what to tell it: ready values, nothing to look up any more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acp_nvim.config import McpServer
from acp_nvim.protocol.dialect import ClientCapabilities

FULL = ClientCapabilities(read_text_file=True, write_text_file=True)
"""All that this client serves."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One agent as configured. `env` is the whole environment of the child."""

    name: str
    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] | None = None
    cwd: str = "/"
    install: str = ""
    quirks: frozenset[str] = frozenset()
    mcp_servers: tuple[McpServer, ...] = ()
    additional_directories: tuple[str, ...] = ()
    capabilities: ClientCapabilities = FULL
