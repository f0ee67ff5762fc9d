"""The tools of the editor as one client offers them to its agent: an MCP server of ours.

Over the connection of ACP where the agent takes that, else by a relay that the agent starts; an
agent on another machine can start none. `acp_nvim.tools` serves; the client knows no more of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from acp_nvim.client.launch import Launch
from acp_nvim.client.session import Session
from acp_nvim.config import McpServer
from acp_nvim.errors import Code, RequestFailed
from acp_nvim.files.roots import Roots
from acp_nvim.protocol.dialect import AcpServer, Server
from acp_nvim.session.model import Subject
from acp_nvim.session.request import FileAnswer, FileRequest, McpMessage, McpOutcome

NAME = "editor"
"""What agents call the server: their tools are `mcp__editor__diagnostics` and the like."""

Notify: TypeAlias = Callable[[str, Mapping[str, Any]], None]
"""Sends the caller a notification: its method and its params."""


class Caller(Struct, frozen=True):
    """Whose agent calls, and what its tools may use of the client."""

    session: Session
    launch: Launch
    roots: Callable[[], Roots]
    """The folders of the session, as they are now."""
    files: Callable[[FileRequest], Awaitable[FileAnswer]]
    """Reads and writes files exactly as `fs/*` do. Raises `RequestFailed`."""
    allowed: Callable[[Subject], Awaitable[bool]]
    """Asks the user, of our own accord."""


class EditorTools(Protocol):
    """Serves the tools of the editor to the sessions of one agent."""

    @property
    def any(self) -> bool:
        """Whether the agent may call any."""

    def over_acp(self, caller: Caller) -> str:
        """Return the id of the server of that session: `answer` is called with it."""

    def over_stdio(self, caller: Caller) -> McpServer | None:
        """Return how an agent on this machine starts its relay; None: there can be none."""

    async def answer(self, message: McpMessage, notify: Notify) -> McpOutcome:
        """Answer a request of MCP. Raises `RequestFailed` for a server that is not there."""


class NoEditorTools:
    """Serves none."""

    any = False

    def over_acp(self, caller: Caller) -> str:
        """See `EditorTools`."""
        return ""

    def over_stdio(self, caller: Caller) -> McpServer | None:
        """See `EditorTools`."""
        return None

    async def answer(self, message: McpMessage, notify: Notify) -> McpOutcome:
        """See `EditorTools`."""
        raise RequestFailed(Code.METHOD_NOT_FOUND, "this client offers no MCP server over ACP")


def offer(tools: EditorTools, caller: Caller, taken: frozenset[str]) -> Server | None:
    """Return the server for a session of an agent that takes these kinds; None: it gets none."""
    if not tools.any:
        return None
    if "acp" in taken:
        server_id = tools.over_acp(caller)
        return AcpServer(NAME, server_id) if server_id else None
    if "stdio" in taken and caller.launch.is_here:
        return tools.over_stdio(caller)
    return None
