"""How to start an agent, and what to tell it: ready values, nothing to look up any more; and what
serves the tools of the editor, of which its sessions are told."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from acp_nvim.client.session import Session
from acp_nvim.config import McpServer
from acp_nvim.files.roots import Roots
from acp_nvim.paths import SAME, Paths
from acp_nvim.protocol.negotiate import Wanted
from acp_nvim.protocol.records import AcpServer, ClientCapabilities, Server
from acp_nvim.session.model import Subject
from acp_nvim.session.request import FileAnswer, FileRequest, McpMessage, McpOutcome
from acp_nvim.terminals.elsewhere import Elsewhere, elsewhere, leads_elsewhere

Headers: TypeAlias = Callable[[], Awaitable[Mapping[str, str]]]
"""Fetches the headers of a connection, which are secrets; raises `UserError`."""


async def no_headers() -> Mapping[str, str]:
    """Return none."""
    return {}


class Remote(Struct, frozen=True):
    """Where an agent runs that does not run here; a query in the `url` may be a secret, too."""

    url: str
    headers: Headers = no_headers

    def __repr__(self) -> str:
        return "Remote()"


class Launch(Struct, frozen=True):
    """One agent as configured: a program and `env`, the whole environment of it; or `remote`."""

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
    guard: tuple[str, ...] = ()
    """Files that it may not write unasked."""
    terminals: bool = True
    remote: Remote | None = None
    paths: Paths = SAME
    """The files that it knows by other names, for it runs in a container or elsewhere."""
    protocol: Wanted = 1
    """The newest version of the protocol that may be spoken with it."""

    @property
    def folders(self) -> tuple[str, ...]:
        """The further roots that the agent sees."""
        return self.paths.seen(self.additional_directories)

    @property
    def there(self) -> Elsewhere | None:
        """What leads to where the agent runs; None: its commands run here."""
        return elsewhere(self._argv) if self.paths and self.remote is None else None

    @property
    def argv(self) -> tuple[str, ...]:
        """What is run: an agent elsewhere is run so that it ends with us.

        That takes a shell there: it is known to have one where ssh leads to, and where it has
        files in common with us.
        """
        found = elsewhere(self._argv)
        if found is None or not (found.joined or self.paths):
            return (self.command, *self.args)
        at = len(found.prefix)
        return (self.command, *found.agent(self._argv[at:])[1:])

    @property
    def is_here(self) -> bool:
        """Whether it runs on this machine, with the files as we know them."""
        return self.remote is None and not self.paths and not leads_elsewhere(self._argv)

    @property
    def has_terminals(self) -> bool:
        """Whether it may run commands: not here, if it runs where we cannot tell how to get to."""
        lost = self.paths and self.there is None and leads_elsewhere(self._argv)
        return self.terminals and not lost

    @property
    def _argv(self) -> tuple[str, ...]:
        return (os.path.expanduser(self.command), *self.args)

    @property
    def terminal_login(self) -> bool:
        """Whether it is a command that can be run in a terminal as well (C-044)."""
        return self.remote is None

    @property
    def capabilities(self) -> ClientCapabilities:
        """What this client serves to that agent, so what it advertises (C-032)."""
        return ClientCapabilities(
            read_text_file=self.read_files,
            write_text_file=self.write_files,
            terminal=self.has_terminals,
            boolean_options=True,
            elicitation_form=True,
            elicitation_url=True,
            terminal_login=self.terminal_login,
            notices=True,
            compaction=True,
            sub_agents=True,
        )


EDITOR = "editor"
"""What agents call our MCP server: their tools are `mcp__editor__diagnostics` and the like."""

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


class EditorTools(Struct, frozen=True):
    """Serves the tools of the editor to the sessions of one agent: an MCP server of ours.

    Over the connection of ACP where the agent takes that, else by a relay that it starts; one on
    another machine can start none. `acp_nvim.tools` serves; the client knows no more of it.
    """

    over_acp: Callable[[Caller], str]
    """Returns the id of the server of that session: `answer` is called with it."""
    over_stdio: Callable[[Caller], McpServer | None]
    """Returns how an agent on this machine starts its relay; None: there can be none."""
    answer: Callable[[McpMessage, Notify], Awaitable[McpOutcome]]
    """Answers a request of MCP. Raises `RequestFailed` for a server that is not there."""


def offer(tools: EditorTools | None, caller: Caller, taken: frozenset[str]) -> Server | None:
    """Return the server for a session of an agent that takes these kinds; None: it gets none."""
    if tools is None:
        return None
    if "acp" in taken:
        return AcpServer(EDITOR, tools.over_acp(caller))
    if "stdio" in taken and caller.launch.is_here:
        return tools.over_stdio(caller)
    return None
