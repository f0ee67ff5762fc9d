"""How to start an agent, and what to tell it: ready values, nothing to look up any more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acp_nvim.config import McpServer
from acp_nvim.protocol.dialect import ClientCapabilities


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
    read_files: bool = True
    write_files: bool = True
    terminals: bool = True
    terminal_login: bool = True
    """It is a command that can be run in a terminal as well (C-044)."""

    @property
    def capabilities(self) -> ClientCapabilities:
        """What this client serves to that agent, so what it advertises (C-032)."""
        return ClientCapabilities(
            read_text_file=self.read_files,
            write_text_file=self.write_files,
            terminal=self.terminals,
            boolean_options=True,
            elicitation_form=True,
            elicitation_url=True,
            terminal_login=self.terminal_login,
            notices=True,
            compaction=True,
        )
