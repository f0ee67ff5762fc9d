"""What the client needs of a protocol version, so that versions can stand beside each other.

A dialect is stateless: it turns calls into `(method, params)` and JSON values into frozen
records. Most of it is the same in every version; `V1` and `V2` say what is not. `negotiate.choose`
gives the one that both sides agreed on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any, ClassVar, TypeAlias

from msgspec.structs import replace

from acp_nvim.config import NamedValue
from acp_nvim.errors import Code, RequestFailed, UserError
from acp_nvim.protocol.base import WireModel, compact
from acp_nvim.protocol.common import elicitation, frequent, methods, types
from acp_nvim.protocol.common.content import encode_content
from acp_nvim.protocol.common.request import (
    decode_cancel_request,
    decode_mcp_message,
)
from acp_nvim.protocol.common.update import decode_config
from acp_nvim.protocol.records import (
    AcpServer,
    AgentInfo,
    AgentNotification,
    AuthStatus,
    Call,
    ClientCapabilities,
    ElicitationCompleted,
    RequestCancelled,
    Server,
    SessionPage,
    SessionUpdated,
    TurnResult,
)
from acp_nvim.session.content import Content
from acp_nvim.session.event import Event, SessionOpened, Unknown
from acp_nvim.session.model import BackgroundWork, ConfigOption, ListedSession
from acp_nvim.session.request import (
    AgentRequest,
    Answer,
    ElicitationAnswer,
    McpMessage,
    McpOutcome,
    PermissionAnswer,
)

Decoder: TypeAlias = Callable[[object], AgentRequest]


class Dialect(ABC):
    """One version of the protocol, as the client uses it; all paths are absolute."""

    version: ClassVar[int]
    """The number that `initialize` negotiates."""
    login_methods: ClassVar[tuple[str, str]]
    """What logs in and what logs out."""
    modules: ClassVar[tuple[ModuleType, ...]]
    """Those with the types of this version."""
    initialized: ClassVar[type[types.Initialized]]
    opened: ClassVar[type[types.Opened]]
    """The results of `initialize`, and of what opens a session."""
    capabilities_key: ClassVar[str]
    """Under which that of `initialize` has the agent's capabilities."""

    def warm(self) -> None:
        """Build the validators of all models, for which the first message would have to wait: call
        it while the agent starts. A second call costs nothing."""
        for module in (types, *self.modules):
            for model in vars(module).values():
                if isinstance(model, type) and issubclass(model, WireModel):
                    model.model_rebuild()

    # --- to the agent

    @abstractmethod
    def initialize(
        self, capabilities: ClientCapabilities, *, name: str, title: str, version: str
    ) -> Call:
        """Return the first request of a connection."""

    def authenticate(self, method_id: str) -> Call:
        """Return what logs in, with the id of a method of type `agent` (C-050, C-051)."""
        return self.login_methods[0], {"methodId": method_id}

    def logout(self) -> Call:
        """Return what logs out."""
        return self.login_methods[1], {}

    def _setup(
        self,
        cwd: str,
        mcp_servers: Sequence[Server] = (),
        additional_directories: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Return what all ways to open a session share; what says nothing new is left out
        (C-076)."""
        further = [path for path in dict.fromkeys(additional_directories) if path and path != cwd]
        more = {"additionalDirectories": further} if further else {}
        return {"cwd": cwd} | self._servers(mcp_servers) | more

    @abstractmethod
    def _servers(self, servers: Sequence[Server]) -> dict[str, Any]:
        """Return the part of it about MCP servers."""

    def new_session(self, *setup: Any) -> Call:
        """Return `session/new`; it takes what `_setup` takes."""
        return methods.NEW_SESSION, self._setup(*setup)

    @abstractmethod
    def load_session(self, session_id: str, *setup: Any) -> Call:
        """Return what lets the agent replay a session."""

    def resume_session(self, session_id: str, *setup: Any) -> Call:
        """Return `session/resume`: the agent goes on without a replay."""
        return methods.RESUME_SESSION, {"sessionId": session_id} | self._setup(*setup)

    def fork_session(self, session_id: str, *setup: Any) -> Call:
        """Return `session/fork`: a new session that goes on from that one."""
        return methods.FORK_SESSION, {"sessionId": session_id} | self._setup(*setup)

    def close_session(self, session_id: str) -> Call:
        """Return `session/close`."""
        return methods.CLOSE_SESSION, {"sessionId": session_id}

    def list_sessions(self, cwd: str, cursor: str | None = None, *, archived: bool = False) -> Call:
        """Return `session/list` for that folder; `cursor` as the page before gave it.

        `archived`: those only that were put away.
        """
        page = {} if cursor is None else {"cursor": cursor}
        return methods.LIST_SESSIONS, {"cwd": cwd} | page | (
            {"archived": "only"} if archived else {}
        )

    def delete_session(self, session_id: str) -> Call:
        """Return `session/delete`."""
        return methods.DELETE_SESSION, {"sessionId": session_id}

    def set_title(self, session_id: str, title: str) -> Call:
        """Return `session/set_title`."""
        return methods.SET_TITLE, {"sessionId": session_id, "title": title}

    def archive_session(self, session_id: str) -> Call:
        """Return `session/archive`: the session is kept and listed no more."""
        return methods.ARCHIVE_SESSION, {"sessionId": session_id}

    def unarchive_session(self, session_id: str) -> Call:
        """Return `session/unarchive`: the session is listed again."""
        return methods.UNARCHIVE_SESSION, {"sessionId": session_id}

    def auth_status(self) -> Call:
        """Return `auth/status`."""
        return methods.AUTH_STATUS, {}

    def steer(self, session_id: str, blocks: Sequence[Content]) -> Call:
        """Return `_session/steering`, for agents that have `steering`: it puts text into the turn
        that runs; one that is over must not begin another."""
        only_now = {"steering": {"idleBehavior": "promptRequired"}}
        return methods.STEER, _prompt(session_id, blocks) | {"_meta": only_now}

    def prompt(self, session_id: str, blocks: Sequence[Content]) -> Call:
        """Return `session/prompt`; `UnknownContent` cannot be sent and is left out."""
        return methods.PROMPT, _prompt(session_id, blocks)

    @abstractmethod
    def set_mode(self, session_id: str, mode_id: str) -> Call:
        """Return what switches the mode."""

    @abstractmethod
    def set_option(self, session_id: str, option_id: str, value: str | bool) -> Call:
        """Return `session/set_config_option`; a bool for a boolean option."""

    @abstractmethod
    def set_model(self, session_id: str, model_id: str) -> Call:
        """Return what chooses the model, for agents that have the quirk `legacy_models`."""

    def cancel(self, session_id: str) -> Call:
        """Return the notification that cancels the running turn."""
        return methods.CANCEL, {"sessionId": session_id}

    def cancel_work(self, session_id: str, work: BackgroundWork) -> Call | None:
        """Return the request that ends what goes on in the background; None if there is none."""
        return None

    def cancel_request(self, request_id: str | int) -> Call:
        """Return the notification that cancels a request of ours."""
        return methods.CANCEL_REQUEST, {"requestId": request_id}

    def mcp_notification(self, message: McpMessage, method: str, params: Mapping[str, Any]) -> Call:
        """Return the notification of an MCP server of ours about a request to it."""
        return methods.MCP_MESSAGE, {
            "serverId": message.server_id,
            "requestId": message.request_id,
            "method": method,
            "params": dict(params),
        }

    def encode_answer(self, answer: Answer) -> dict[str, Any]:
        """Return the result of the request that this answers."""
        match answer:
            case PermissionAnswer() | ElicitationAnswer():
                return elicitation.encode_choice(answer)
            case McpOutcome(result, None):
                return {"result": result}
            case McpOutcome(_, error):
                return {"error": dict(error or {})}
            case _:
                raise TypeError(f"{type(answer).__name__} answers nothing of this version")

    def encode_failure(self, error: RequestFailed) -> RequestFailed:
        """Return the error that answers a request instead, as the agent is to read it."""
        return error

    # --- from the agent

    def read_update(self, line: bytes | str) -> SessionUpdated | None:
        """Return what a line says that has one of the updates that come by thousands.

        None: it is another, or not plainly right, and for `decode_notification`.
        """
        return frequent.read_update(line)

    def decode_initialize(self, result: object) -> AgentInfo:
        """Return what the agent told (C-036 to C-040); raises `UserError` if it is no object."""
        if not isinstance(result, dict):
            raise UserError(
                "the agent's answer to initialize is not an object: it does not speak ACP"
            )
        told = self.initialized.model_validate(result)
        info, raw = told.info or types.Implementation(), result.get(self.capabilities_key)
        return AgentInfo(
            protocol_version=self.version,
            name=info.name or "",
            title=info.title,
            version=info.version or "",
            capabilities=told.offered(),
            auth_methods=told.logins(),
            steering=_offers_steering(result.get("_meta")),
            raw_capabilities=raw if isinstance(raw, dict) else {},
        )

    def decode_session(
        self, method: str, result: object, session_id: str | None = None
    ) -> SessionOpened:
        """Return the opened session from the result of `method`, a new, load or resume; null is a
        good answer to a load (C-088).

        `session_id` is the one that was asked for, None for a new session. Raises `UserError`
        when the result lacks the id that only it could tell.
        """
        told = self.opened.model_validate(result if isinstance(result, dict) else {})
        known = told.session_id if session_id is None else session_id
        if not known:
            raise UserError(f"the agent's answer to {method} has no sessionId: see :Acp log")
        options = told.config_options
        # a known session keeps its own when the answer tells of none
        keeps = options is None and session_id is not None
        return replace(told.event(known), config=None if keeps else decode_config(options or ()))

    def decode_sessions(self, result: object) -> SessionPage:
        """Return one page of `session/list`; what is no id, no cwd or no cursor is as good as none.

        A session that names no folder stays, one that names a relative folder does not (C-101).
        """
        told = types.ListResult.model_validate(result if isinstance(result, dict) else {})
        sessions = tuple(
            ListedSession(
                it.session_id,
                it.cwd or "",
                it.title,
                it.updated_at,
                it.additional_directories or (),
            )
            for it in told.sessions or ()
            if it.session_id and (it.cwd or "/").startswith("/")
        )
        return SessionPage(sessions, told.next_cursor)

    def decode_options(self, result: object) -> tuple[ConfigOption, ...] | None:
        """Return all options from the answer to `set_option`; None if it tells none (C-257)."""
        told = types.OptionsResult.model_validate(result if isinstance(result, dict) else {})
        return None if told.config_options is None else decode_config(told.config_options)

    def decode_title(self, result: object) -> str | None:
        """Return the title as the agent keeps it, from the answer to `set_title`; None: as sent."""
        title = result.get("title") if isinstance(result, dict) else None
        return title if isinstance(title, str) and title else None

    def decode_auth_status(self, result: object) -> AuthStatus:
        """Return what `auth/status` and `auth/status_update` tell; the state is unknown if it is
        odd, and odd accounts are left out."""
        told = types.AuthStatus.model_validate(result if isinstance(result, dict) else {})
        accounts = (it.email or it.name or it.label for it in told.accounts or ())
        return AuthStatus(told.state or "unknown", tuple(accounts))

    def decode_steered(self, result: object) -> bool:
        """Return whether the text is in the turn; False: the turn was over, it was not taken."""
        return not isinstance(result, dict) or result.get("outcome") != "promptRequired"

    @abstractmethod
    def decode_prompt(self, result: object) -> TurnResult | None:
        """Return how the turn ended; None if the answer to a prompt only says that it has begun."""

    def decode_notification(self, method: str, params: object) -> AgentNotification | None:
        """Return what the agent tells; None for a method that is unknown (C-017). Never raises.

        A malformed or unknown update is one `Unknown` event, an empty chunk is none (C-133).
        """
        match method:
            case methods.UPDATE if not isinstance(params, dict):
                return SessionUpdated("", (Unknown("", compact(params)),))
            case methods.UPDATE if isinstance(params, dict):
                named = params.get("sessionId")
                session_id = named if isinstance(named, str) else ""
                return self.decode_update(session_id, params.get("update"))
            case methods.AUTH_STATUS_UPDATE:
                return self.decode_auth_status(params)
            case methods.COMPLETE_ELICITATION:
                return ElicitationCompleted(elicitation.decode_complete(params))
            case methods.CANCEL_REQUEST:
                return RequestCancelled(decode_cancel_request(params))
        return None

    def decode_update(self, session_id: str, update: object) -> AgentNotification:
        """Return what `session/update` tells of that session, "" if it names none."""
        return SessionUpdated(session_id, self.decode_events(update))

    @abstractmethod
    def decode_events(self, update: object) -> tuple[Event, ...]:
        """Return what has happened; never raises (C-133)."""

    def decode_request(
        self, method: str, params: object, capabilities: ClientCapabilities
    ) -> AgentRequest:
        """Return what the agent wants of us.

        Raises `RequestFailed`: METHOD_NOT_FOUND for what is unknown or not in `capabilities`
        (C-041), INVALID_PARAMS with a sentence that names the field.
        """
        decode = self.served(capabilities).get(method)
        if decode is None:
            raise RequestFailed(Code.METHOD_NOT_FOUND, f"this client does not serve {method}")
        return decode(params)

    def served(self, capabilities: ClientCapabilities) -> dict[str, Decoder]:
        """Return what reads the requests that are served, by their methods."""
        return {
            methods.MCP_MESSAGE: decode_mcp_message,
            methods.REQUEST_PERMISSION: self.decode_permission,
            # a mode that is not advertised is a matter of the params (C-292)
            methods.CREATE_ELICITATION: lambda it: elicitation.decode_elicitation(it, capabilities),
        }

    @abstractmethod
    def decode_permission(self, params: object) -> AgentRequest:
        """Return what the user is to permit."""


def named_values(values: Iterable[NamedValue]) -> list[dict[str, str]]:
    """Return variables, or headers, as the wire has them."""
    return [{"name": each.name, "value": each.value} for each in values]


def acp_server(server: AcpServer) -> dict[str, Any]:
    """Return how an MCP server of ours stands in `mcpServers` (of the unstable schemas)."""
    return {"type": "acp", "name": server.name, "serverId": server.id}


def elicitation_modes(capabilities: ClientCapabilities) -> dict[str, Any]:
    """Return the modes one by one: an empty object would advertise none (C-043)."""
    modes: dict[str, Any] = {"form": {}} if capabilities.elicitation_form else {}
    modes |= {"url": {}} if capabilities.elicitation_url else {}
    return {"elicitation": modes} if modes else {}


def _prompt(session_id: str, blocks: Iterable[Content]) -> dict[str, Any]:
    """Return the params of `session/prompt`, without the blocks that cannot be sent."""
    encoded = (encode_content(block) for block in blocks)
    return {"sessionId": session_id, "prompt": [block for block in encoded if block is not None]}


def _offers_steering(meta: object) -> bool:
    """Tell what the `_meta` of an agent, which may be anything (C-311), says of steering."""
    steering = meta.get("steering") if isinstance(meta, dict) else None
    return isinstance(steering, dict) and steering.get("supported") is True
