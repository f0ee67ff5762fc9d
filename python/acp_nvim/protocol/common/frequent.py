"""The updates that come by thousands, from a line to events in one pass.

A typed decoder takes what is plainly right. All else is for `decode_notification`, which is
lenient: of what both take they say the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeAlias, TypeVar

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.json import Decoder

from acp_nvim.protocol.records import SessionUpdated
from acp_nvim.session.content import Text
from acp_nvim.session.event import ChunkReceived, Event
from acp_nvim.session.model import Role
from acp_nvim.wire.depth import DEEPEST

Line: TypeAlias = bytes | str
Reader: TypeAlias = Callable[[Line], SessionUpdated | None]


class Update(Protocol):
    """An update that was decoded."""

    def events(self) -> tuple[Event, ...]:
        """Return what happened."""


U = TypeVar("U", bound=Update)


class Block(Struct, tag_field="type", tag="text"):
    """A content block of text."""

    text: str


class _Chunk(Struct, tag_field="sessionUpdate", rename="camel"):
    role: ClassVar[Role]
    content: Block
    message_id: str | None = None

    def events(self) -> tuple[Event, ...]:
        said = self.content.text
        return (ChunkReceived(self.role, Text(said), self.message_id),) if said else ()


class UserChunk(_Chunk, tag="user_message_chunk"):
    """A piece of what the user has said."""

    role: ClassVar[Role] = "user"


class AgentChunk(_Chunk, tag="agent_message_chunk"):
    """A piece of what the agent says."""

    role: ClassVar[Role] = "agent"


class ThoughtChunk(_Chunk, tag="agent_thought_chunk"):
    """A piece of what the agent thinks."""

    role: ClassVar[Role] = "thought"


class _Params(Struct, Generic[U], rename="camel"):
    session_id: str
    update: U


class _Notification(Struct, Generic[U]):
    jsonrpc: str
    method: Literal["session/update"]
    params: _Params[U]
    id: UnsetType = UNSET
    """A call with an id is a request."""


def absent(name: str) -> Any:
    """Return the field of a name that must not be there: it is known to the lenient decoder."""
    return field(name=name, default=UNSET)


def reader(kinds: Any) -> Reader:
    """Return what reads lines with an update of these kinds, and nothing else: None."""
    decoder: Decoder[Any] = Decoder(_Notification[kinds])

    def read(line: Line) -> SessionUpdated | None:
        try:
            params = decoder.decode(line).params
        except (ValueError, RecursionError):
            return None
        if _may_be_deep(line):
            return None
        return SessionUpdated(params.session_id, params.update.events())

    return read


def _may_be_deep(line: Line) -> bool:
    """Tell whether something in it may be nested deeper than is taken."""
    if isinstance(line, bytes):
        return line.count(b"{") + line.count(b"[") > DEEPEST
    return line.count("{") + line.count("[") > DEEPEST


read_update = reader(UserChunk | AgentChunk | ThoughtChunk)
