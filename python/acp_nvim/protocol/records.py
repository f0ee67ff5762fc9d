"""What dialects take and give: frozen records that are the same for every version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct, field

from acp_nvim.config import McpServer
from acp_nvim.session.event import Event
from acp_nvim.session.model import BackgroundWork, ListedSession

Call: TypeAlias = tuple[str, dict[str, Any]]
"""A method and its params, ready for the wire."""

RequestId: TypeAlias = str | int | None


class AcpServer(Struct, frozen=True):
    """An MCP server of ours that the agent asks through this connection."""

    name: str
    id: str


Server: TypeAlias = McpServer | AcpServer


class ClientCapabilities(Struct, frozen=True):
    """What this client serves; everything that is False is not advertised (C-032)."""

    read_text_file: bool = False
    write_text_file: bool = False
    terminal: bool = False
    boolean_options: bool = False
    elicitation_form: bool = False
    elicitation_url: bool = False
    terminal_login: bool = False
    notices: bool = False
    compaction: bool = False
    sub_agents: bool = False


class AgentCapabilities(Struct, frozen=True):
    """What the agent offers; what it did not say, or said wrongly, is False (C-036, C-038)."""

    load: bool = False
    list: bool = False
    resume: bool = False
    close: bool = False
    delete: bool = False
    additional_directories: bool = False
    image: bool = False
    audio: bool = False
    embedded_context: bool = False
    mcp: frozenset[str] = frozenset({"stdio"})
    """The kinds of MCP servers that it takes: stdio, http, sse, acp."""
    logout: bool = False
    auth_status: bool = False
    fork: bool = False
    title: bool = False
    archive: bool = False


class AuthMethod(Struct, frozen=True):
    """A way to log in; unknown types are the agent's own business, so `agent` (C-057)."""

    id: str
    name: str
    description: str | None = None
    type: Literal["agent", "terminal"] = "agent"
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()


class AgentInfo(Struct, frozen=True):
    """What `initialize` told about the agent; `name` is "" when it did not say."""

    protocol_version: int
    name: str = ""
    title: str | None = None
    version: str = ""
    capabilities: AgentCapabilities = AgentCapabilities()
    auth_methods: tuple[AuthMethod, ...] = ()
    steering: bool = False
    """It takes more text while a turn runs, by a convention of agents."""
    raw_capabilities: Mapping[str, Any] = field(default_factory=dict)
    """The agent's capabilities as sent; for `inspect` only."""

    @property
    def label(self) -> str:
        """The name to show: the title, else the name; "" when the agent gave neither."""
        return self.title or self.name


class AuthStatus(Struct, frozen=True):
    """Whether the agent is logged in, and as whom: the labels of its accounts.

    `state` is open: authenticated, unauthenticated, not_required, unknown, or what the agent says.
    """

    state: str
    accounts: tuple[str, ...] = ()


class SessionPage(Struct, frozen=True):
    """One page of `session/list`; `cursor` is None on the last one (C-098)."""

    sessions: tuple[ListedSession, ...] = ()
    cursor: str | None = None


class SessionUpdated(Struct, frozen=True):
    """Something has happened in a session; its id is "" when the agent named none."""

    session_id: str
    events: tuple[Event, ...]


class StateTold(Struct, frozen=True):
    """What the agent is at in a session: idle, running, requires_action, or what it says.

    An idle one may say why it stopped, verbatim, and with `error` what went wrong; `background` is
    all that goes on nevertheless.
    """

    session_id: str
    state: str
    stop_reason: str | None = None
    error: str | None = None
    background: tuple[BackgroundWork, ...] = ()


class ElicitationCompleted(Struct, frozen=True):
    """What the user did behind a link is done; None: the id was unreadable."""

    elicitation_id: str | None


class RequestCancelled(Struct, frozen=True):
    """The agent no longer needs the answer to that request of its; None: the id was unreadable."""

    request_id: RequestId


AgentNotification: TypeAlias = (
    SessionUpdated | StateTold | ElicitationCompleted | RequestCancelled | AuthStatus
)


class TurnResult(Struct, frozen=True):
    """How a turn ended: the stop reason, an unknown one verbatim, and the tokens that it took."""

    stop_reason: str
    tokens: int | None = None
