"""What the client needs of a protocol version, so that versions can stand beside each other.

A dialect is stateless: it turns calls into `(method, params)` and JSON values into frozen
records. `negotiate.choose` gives the one that both sides agreed on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct, field

from acp_nvim.config import McpServer
from acp_nvim.errors import RequestFailed
from acp_nvim.session.content import Content
from acp_nvim.session.event import Event, SessionOpened
from acp_nvim.session.model import BackgroundWork, ConfigOption, ListedSession
from acp_nvim.session.request import AgentRequest, Answer, McpMessage

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


class Dialect(Protocol):
    """One version of the protocol, as the client uses it."""

    @property
    def version(self) -> int:
        """The number that `initialize` negotiates."""

    def warm(self) -> None:
        """Build what the first message would have to wait for; call while the agent starts."""

    # --- to the agent

    def initialize(
        self, capabilities: ClientCapabilities, *, name: str, title: str, version: str
    ) -> Call:
        """Return the first request of a connection."""

    def authenticate(self, method_id: str) -> Call:
        """Return `authenticate`, with the id of a method of type `agent` (C-050, C-051)."""

    def logout(self) -> Call:
        """Return `logout`."""

    def new_session(
        self,
        cwd: str,
        mcp_servers: Sequence[Server] = (),
        additional_directories: Sequence[str] = (),
    ) -> Call:
        """Return `session/new`; all paths are absolute."""

    def load_session(
        self,
        session_id: str,
        cwd: str,
        mcp_servers: Sequence[Server] = (),
        additional_directories: Sequence[str] = (),
    ) -> Call:
        """Return `session/load`: the agent replays the session."""

    def resume_session(
        self,
        session_id: str,
        cwd: str,
        mcp_servers: Sequence[Server] = (),
        additional_directories: Sequence[str] = (),
    ) -> Call:
        """Return `session/resume`: the agent goes on without a replay."""

    def close_session(self, session_id: str) -> Call:
        """Return `session/close`."""

    def list_sessions(self, cwd: str, cursor: str | None = None, *, archived: bool = False) -> Call:
        """Return `session/list` for that absolute folder; `cursor` as the page before gave it.

        `archived`: those only that were put away.
        """

    def delete_session(self, session_id: str) -> Call:
        """Return `session/delete`."""

    def fork_session(
        self,
        session_id: str,
        cwd: str,
        mcp_servers: Sequence[Server] = (),
        additional_directories: Sequence[str] = (),
    ) -> Call:
        """Return `session/fork`: a new session that goes on from that one."""

    def set_title(self, session_id: str, title: str) -> Call:
        """Return `session/set_title`."""

    def archive_session(self, session_id: str) -> Call:
        """Return `session/archive`: the session is kept and listed no more."""

    def unarchive_session(self, session_id: str) -> Call:
        """Return `session/unarchive`: the session is listed again."""

    def auth_status(self) -> Call:
        """Return `auth/status`."""

    def steer(self, session_id: str, blocks: Sequence[Content]) -> Call:
        """Return what puts text into the running turn, for agents that have `steering`."""

    def prompt(self, session_id: str, blocks: Sequence[Content]) -> Call:
        """Return `session/prompt`; `UnknownContent` cannot be sent and is left out."""

    def set_mode(self, session_id: str, mode_id: str) -> Call:
        """Return `session/set_mode`."""

    def set_option(self, session_id: str, option_id: str, value: str | bool) -> Call:
        """Return `session/set_config_option`; a bool for a boolean option."""

    def set_model(self, session_id: str, model_id: str) -> Call:
        """Return `session/set_model`, for agents that have the quirk `legacy_models`."""

    def cancel(self, session_id: str) -> Call:
        """Return the notification that cancels the running turn."""

    def cancel_work(self, session_id: str, work: BackgroundWork) -> Call | None:
        """Return the request that ends what goes on in the background; None if there is none."""

    def cancel_request(self, request_id: str | int) -> Call:
        """Return the notification that cancels a request of ours."""

    def mcp_notification(self, message: McpMessage, method: str, params: Mapping[str, Any]) -> Call:
        """Return the notification of an MCP server of ours about a request to it."""

    def encode_answer(self, answer: Answer) -> dict[str, Any]:
        """Return the result of the request that this answers."""

    def encode_failure(self, error: RequestFailed) -> RequestFailed:
        """Return the error that answers a request instead, as the agent is to read it."""

    # --- from the agent

    def read_update(self, line: bytes | str) -> SessionUpdated | None:
        """Return what a line says that has one of the updates that come by thousands.

        None: it is another, or not plainly right, and for `decode_notification`.
        """

    def decode_initialize(self, result: object) -> AgentInfo:
        """Return what the agent told; raises `UserError` if the result is no object at all."""

    def decode_session(
        self, method: str, result: object, session_id: str | None = None
    ) -> SessionOpened:
        """Return the opened session from the result of `method`, a new, load or resume.

        `session_id` is the one that was asked for, None for a new session. Raises `UserError`
        when the result lacks the id that only it could tell.
        """

    def decode_sessions(self, result: object) -> SessionPage:
        """Return one page of `session/list`; bad entries are left out (C-101)."""

    def decode_options(self, result: object) -> tuple[ConfigOption, ...] | None:
        """Return all options from the answer to `set_option`; None if it does not tell them."""

    def decode_title(self, result: object) -> str | None:
        """Return the title as the agent keeps it, from the answer to `set_title`; None: as sent."""

    def decode_auth_status(self, result: object) -> AuthStatus:
        """Return what the answer to `auth_status` says; the state is unknown if it is odd."""

    def decode_steered(self, result: object) -> bool:
        """Return whether the text is in the turn; False: the turn was over, it was not taken."""

    def decode_prompt(self, result: object) -> TurnResult | None:
        """Return how the turn ended; None if the answer to a prompt only says that it has begun."""

    def decode_notification(self, method: str, params: object) -> AgentNotification | None:
        """Return what the agent tells; None for a method that is unknown (C-017). Never raises.

        A malformed or unknown update is one `Unknown` event, an empty chunk is none (C-133).
        """

    def decode_request(
        self, method: str, params: object, capabilities: ClientCapabilities
    ) -> AgentRequest:
        """Return what the agent wants of us.

        Raises `RequestFailed`: METHOD_NOT_FOUND for what is unknown or not in `capabilities`
        (C-041), INVALID_PARAMS with a sentence that names the field.
        """
