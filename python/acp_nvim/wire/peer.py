"""Who still owes whom an answer: the JSON-RPC state of one connection, without any I/O.

It keeps the two promises that a connection breaks most easily: every answer finds its question, and
every question of the agent gets exactly one answer, however many parts of the program want to give
it. Called by `client` (and by the tutor, from the other side: the protocol is symmetric).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from types import MappingProxyType
from typing import Any, TypeAlias

from acp_nvim.wire.message import (
    NOISE_LIMIT,
    Failure,
    Message,
    Noise,
    Notification,
    Request,
    RequestId,
    Response,
    to_line,
)


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request of ours: its id as we sent it, its method, and the message."""

    id: int
    method: str
    message: Response | Failure


Received: TypeAlias = Request | Notification | Reply | Noise


def id_key(id: RequestId) -> str:
    """Return a key that is equal for equal JSON values only: 1, "1", 1.0, true and null differ."""
    return json.dumps(id)


class Peer:
    """One side of one connection; the two directions count their ids independently."""

    def __init__(self) -> None:
        self._ids = count()
        self._pending: dict[int, str] = {}
        self._open: set[str] = set()

    @property
    def pending(self) -> Mapping[int, str]:
        """Our requests without an answer: their method by id, oldest first."""
        return MappingProxyType(self._pending)

    def request(self, method: str, params: Any = None) -> tuple[int, bytes]:
        """Return the id and the line of a new request, which is pending from now on."""
        id = next(self._ids)
        line = to_line(Request(id, method, params))
        self._pending[id] = method
        return id, line

    def notify(self, method: str, params: Any = None) -> bytes:
        """Return the line of a notification."""
        return to_line(Notification(method, params))

    def respond(
        self, id: RequestId, result: Any, pieces: Callable[[Any], Iterable[str]] | None = None
    ) -> bytes:
        """Return the line of a result; b"" if no request of this id is open (C-155).

        `pieces` as in `to_line`.
        """
        return self._answer(Response(id, result), pieces)

    def fail(self, id: RequestId, code: int, message: str, data: Any = None) -> bytes:
        """Return the line of an error; b"" if no request of this id is open (C-155)."""
        return self._answer(Failure(id, code, message, data))

    def receive(self, message: Message) -> Received:
        """Register or settle a message of the other side, and say what it is.

        An answer that belongs to no pending request becomes `Noise`.
        """
        if isinstance(message, Request):
            self._open.add(id_key(message.id))
        if isinstance(message, Response | Failure):
            return self._settle(message)
        return message

    def forget(self, id: int) -> None:
        """Stop waiting for the answer to this request; if one comes, it is noise."""
        self._pending.pop(id, None)

    def abandon(self) -> list[tuple[int, str]]:
        """The connection is lost: return id and method of all pending requests, and forget all."""
        lost = list(self._pending.items())
        self._pending.clear()
        self._open.clear()
        return lost

    def _answer(
        self, message: Response | Failure, pieces: Callable[[Any], Iterable[str]] | None = None
    ) -> bytes:
        key = id_key(message.id)
        if key not in self._open:
            return b""
        line = to_line(message, pieces)
        self._open.discard(key)
        return line

    def _settle(self, message: Response | Failure) -> Received:
        # Some agents return an integer id as a string.
        id = next((id for id in self._pending if str(id) == str(message.id)), None)
        if id is None:
            text = f"answer with id {message.id!r}"
            return Noise(text[:NOISE_LIMIT], "answers no pending request")
        return Reply(id, self._pending.pop(id), message)
