"""A dialect for an agent that knows files by other names: the one place where these are exchanged.

All that goes through it in either direction has our names on our side and the agent's on its own;
the text of messages and what a tool is given or gives back are the agent's words, and stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.errors import Code, RequestFailed, UserError
from acp_nvim.paths import Paths
from acp_nvim.protocol.dialect import Dialect
from acp_nvim.protocol.records import (
    AgentNotification,
    Call,
    ClientCapabilities,
    Server,
    SessionPage,
    SessionUpdated,
)
from acp_nvim.session.content import (
    Content,
    Diff,
    FileChange,
    Image,
    Resource,
    ResourceLink,
    Text,
)
from acp_nvim.session.event import SubAgentUpdated, TerminalUpdated
from acp_nvim.session.model import ListedSession, Location, PlanEntry, Subject
from acp_nvim.session.request import (
    AgentRequest,
    CreateTerminalRequest,
    ReadFileRequest,
    WriteFileRequest,
)

R = TypeVar("R")
Rename: TypeAlias = Callable[[str], str]

PATHS: Mapping[type, tuple[str, ...]] = {
    Diff: ("path",),
    FileChange: ("path", "old_path"),
    ListedSession: ("cwd", "additional_directories"),
    Location: ("path",),
    SubAgentUpdated: ("cwd",),
    Subject: ("cwd",),
    TerminalUpdated: ("cwd",),
}
"""Fields that are a path, or paths."""
ADDRESSES: Mapping[type, tuple[str, ...]] = {
    Image: ("uri",),
    PlanEntry: ("content",),  # of a plan that is a file, all that is told
    Resource: ("uri",),
    ResourceLink: ("uri",),
}
"""Fields that may be the address of a file."""


def mapped(dialect: Dialect, paths: Paths, *, commands_there: bool = False) -> Dialect:
    """Return that dialect for an agent with these paths.

    With `commands_there` the agent's commands run where it does: their folder keeps its name.
    """
    return cast(Dialect, Mapped(dialect, paths, commands_there)) if paths else dialect


class Mapped:
    """Speaks another dialect; see `Dialect` for what each method does."""

    def __init__(self, dialect: Dialect, paths: Paths, commands_there: bool) -> None:
        self._dialect = dialect
        self._paths = paths
        self._commands_there = commands_there

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dialect, name)

    def new_session(self, *setup: Any) -> Call:
        """Return `session/new`; as all that opens a session, raises `UserError` for its folder."""
        return self._dialect.new_session(*self._setup(*setup))

    def load_session(self, session_id: str, *setup: Any) -> Call:
        """Return `session/load`."""
        return self._dialect.load_session(session_id, *self._setup(*setup))

    def resume_session(self, session_id: str, *setup: Any) -> Call:
        """Return `session/resume`."""
        return self._dialect.resume_session(session_id, *self._setup(*setup))

    def fork_session(self, session_id: str, *setup: Any) -> Call:
        """Return `session/fork`."""
        return self._dialect.fork_session(session_id, *self._setup(*setup))

    def list_sessions(self, cwd: str, cursor: str | None = None, *, archived: bool = False) -> Call:
        """Return `session/list`; raises `UserError` for a folder that the agent does not see."""
        return self._dialect.list_sessions(self._seen(cwd), cursor, archived=archived)

    def prompt(self, session_id: str, blocks: Sequence[Content]) -> Call:
        """Return `session/prompt`."""
        return self._dialect.prompt(session_id, self._to_agent(tuple(blocks)))

    def steer(self, session_id: str, blocks: Sequence[Content]) -> Call:
        """Return what puts text into the running turn."""
        return self._dialect.steer(session_id, self._to_agent(tuple(blocks)))

    def encode_failure(self, error: RequestFailed) -> RequestFailed:
        """Return the error with the agent's names in its sentence and its data."""
        data = error.data
        if isinstance(data, dict) and isinstance(uri := data.get("uri"), str):
            data = {**data, "uri": self._paths.uri_there(uri)}
        return RequestFailed(error.code, self._paths.in_words(error.message), data)

    def decode_sessions(self, result: object) -> SessionPage:
        """Return one page of `session/list`."""
        return self._from_agent(self._dialect.decode_sessions(result))

    def read_update(self, line: bytes | str) -> SessionUpdated | None:
        """Return what a line says, if it has an update that comes by thousands."""
        return self._from_agent(self._dialect.read_update(line))

    def decode_notification(self, method: str, params: object) -> AgentNotification | None:
        """Return what the agent tells."""
        return self._from_agent(self._dialect.decode_notification(method, params))

    def decode_request(
        self, method: str, params: object, capabilities: ClientCapabilities
    ) -> AgentRequest:
        """Return what the agent wants; a file that has no name here is INVALID_PARAMS."""
        match request := self._dialect.decode_request(method, params, capabilities):
            case ReadFileRequest() | WriteFileRequest():
                return replace(request, path=self._ours(request.path))
            case CreateTerminalRequest(cwd=str(cwd)) if not self._commands_there:
                return replace(request, cwd=self._ours(cwd))
            case _:
                return self._from_agent(request)

    def _setup(
        self, cwd: str, servers: Sequence[Server] = (), more: Sequence[str] = ()
    ) -> tuple[str, Sequence[Server], Sequence[str]]:
        return self._seen(cwd), servers, tuple(map(self._seen, more))

    def _seen(self, path: str) -> str:
        there = self._paths.there(path)
        if there is None:
            raise UserError(self._paths.unseen(path))
        return there

    def _ours(self, path: str) -> str:
        here = self._paths.here(path)
        if here is None:
            raise RequestFailed(Code.INVALID_PARAMS, self._paths.unknown(path))
        return here

    def _to_agent(self, value: R) -> R:
        return renamed(value, self._paths.shown_there, self._paths.uri_there)

    def _from_agent(self, value: R) -> R:
        return renamed(value, self._paths.shown_here, self._paths.uri_here)


def renamed(value: R, path: Rename, address: Rename) -> R:
    """Return a record with other paths and addresses at any depth; the same if it has none."""
    if isinstance(value, tuple):
        items = tuple(renamed(item, path, address) for item in value)
        same = all(new is old for new, old in zip(items, value, strict=True))
        return value if same else cast(R, items)
    if not isinstance(value, Struct) or isinstance(value, Text):
        return value
    changes = {}
    for name in value.__struct_fields__:
        old = getattr(value, name)
        new = _renamed_field(type(value), name, old, path, address)
        if new is not old:
            changes[name] = new
    return cast(R, replace(value, **changes)) if changes else value


def _renamed_field(kind: type, name: str, value: Any, path: Rename, address: Rename) -> Any:
    rename = path if name in PATHS.get(kind, ()) else None
    rename = address if name in ADDRESSES.get(kind, ()) else rename
    if rename is None or not isinstance(value, str | tuple):
        return renamed(value, path, address)
    return tuple(map(rename, value)) if isinstance(value, tuple) else rename(value)
