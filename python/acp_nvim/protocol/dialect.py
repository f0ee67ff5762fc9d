"""What the client needs of a protocol version, so that versions can stand beside each other.

A dialect is stateless: it turns calls into `(method, params)` and JSON values into frozen
dataclasses. `negotiate.choose` gives the one that both sides agreed on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from acp_nvim.config import McpServer
from acp_nvim.session.content import Content
from acp_nvim.session.event import Event, SessionOpened
from acp_nvim.session.model import ConfigOption, ListedSession
from acp_nvim.session.request import AgentRequest, Answer

Call: TypeAlias = tuple[str, dict[str, Any]]
"""A method and its params, ready for the wire."""

RequestId: TypeAlias = str | int | None


@dataclass(frozen=True, slots=True)
class ClientCapabilities:
    """What this client serves; everything that is False is not advertised (C-032)."""

    read_text_file: bool = False
    write_text_file: bool = False
    terminal: bool = False
    boolean_options: bool = False
    elicitation_form: bool = False
    elicitation_url: bool = False
    terminal_login: bool = False


@dataclass(frozen=True, slots=True)
class AgentCapabilities:
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
    http: bool = False
    sse: bool = False
    logout: bool = False


@dataclass(frozen=True, slots=True)
class AuthMethod:
    """A way to log in; unknown types are the agent's own business, so `agent` (C-057)."""

    id: str
    name: str
    description: str | None = None
    type: Literal["agent", "terminal"] = "agent"
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """What `initialize` told about the agent; `name` is "" when it did not say."""

    protocol_version: int
    name: str = ""
    title: str | None = None
    version: str = ""
    capabilities: AgentCapabilities = AgentCapabilities()
    auth_methods: tuple[AuthMethod, ...] = ()
    raw_capabilities: Mapping[str, Any] = field(default_factory=dict)
    """The agent's capabilities as sent; for `inspect` only."""

    @property
    def label(self) -> str:
        """The name to show: the title, else the name; "" when the agent gave neither."""
        return self.title or self.name


@dataclass(frozen=True, slots=True)
class SessionPage:
    """One page of `session/list`; `cursor` is None on the last one (C-098)."""

    sessions: tuple[ListedSession, ...] = ()
    cursor: str | None = None


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
        mcp_servers: Sequence[McpServer] = (),
        additional_directories: Sequence[str] = (),
    ) -> Call:
        """Return `session/new`; all paths are absolute."""

    def load_session(
        self,
        session_id: str,
        cwd: str,
        mcp_servers: Sequence[McpServer] = (),
        additional_directories: Sequence[str] = (),
    ) -> Call:
        """Return `session/load`: the agent replays the session."""

    def resume_session(
        self,
        session_id: str,
        cwd: str,
        mcp_servers: Sequence[McpServer] = (),
        additional_directories: Sequence[str] = (),
    ) -> Call:
        """Return `session/resume`: the agent goes on without a replay."""

    def close_session(self, session_id: str) -> Call:
        """Return `session/close`."""

    def list_sessions(self, cwd: str, cursor: str | None = None) -> Call:
        """Return `session/list` for that absolute folder; `cursor` as the page before gave it."""

    def delete_session(self, session_id: str) -> Call:
        """Return `session/delete`."""

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

    def cancel_request(self, request_id: str | int) -> Call:
        """Return the notification that cancels a request of ours."""

    def encode_answer(self, answer: Answer) -> dict[str, Any]:
        """Return the result of the request that the answered ask came from."""

    # --- from the agent

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

    def decode_prompt(self, result: object) -> str:
        """Return the stop reason: an unknown one verbatim, `end_turn` when there is none."""

    def decode_turn_tokens(self, result: object) -> int | None:
        """Return how many tokens the turn took, from its answer; None when it does not tell."""

    def decode_update(self, params: object) -> tuple[str, tuple[Event, ...]]:
        """Return the session id ("" if there is none) and what happened; never raises.

        A malformed or unknown update is one `Unknown` event, an empty chunk is none (C-133).
        """

    def decode_request(
        self, method: str, params: object, capabilities: ClientCapabilities
    ) -> AgentRequest:
        """Return what the agent wants of us.

        Raises `RequestFailed`: METHOD_NOT_FOUND for what is unknown or not in `capabilities`
        (C-041), INVALID_PARAMS with a sentence that names the field.
        """

    def decode_complete_elicitation(self, params: object) -> str | None:
        """Return the id of the elicitation that is complete; None if unreadable."""

    def decode_cancel_request(self, params: object) -> RequestId:
        """Return the id of the agent's request that it no longer needs; None if unreadable."""
