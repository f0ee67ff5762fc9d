"""One relay: lines of JSON-RPC in and out, each request a task, for one session."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

import anyio
from anyio.abc import ByteReceiveStream, TaskGroup

from acp_nvim.client.launch import Notify
from acp_nvim.errors import Code, RequestFailed
from acp_nvim.tools.offered import Offered, Relay
from acp_nvim.wire.framing import Cut, Framer
from acp_nvim.wire.message import (
    Failure,
    Message,
    Notification,
    Request,
    Response,
    Sendable,
    parse_line,
    to_line,
)
from acp_nvim.wire.peer import id_key

LONGEST_LINE = 4 * 1024 * 1024
"""Bytes of one request: a whole file may be in it."""
MOST_OPEN = 64
"""Requests of a relay that are open: of calls, most are refused much earlier."""
INTRODUCTION = 5.0
"""Seconds in which a relay must say who it is."""
MOST_STRANGERS = 16
"""Connections that have not said yet who they are; the first of them goes for one more."""
CHUNK = 65_536

Strangers: TypeAlias = dict[anyio.CancelScope, None]


async def serve(
    connected: socket.socket, entitled: Callable[[bytes], Offered | None], strangers: Strangers
) -> None:
    """Serve a relay until either side ends; one that says a wrong token at once ends."""
    stream = await anyio.abc.UNIXSocketStream.from_socket(connected)
    async with stream:
        framer, lines = Framer(LONGEST_LINE), list[bytes]()
        with anyio.move_on_after(INTRODUCTION) as patience, suppress(anyio.EndOfStream, OSError):
            strangers[patience] = None
            for first in [*strangers][:-MOST_STRANGERS]:
                first.cancel()
            while not lines:
                lines = framer.feed(await stream.receive(CHUNK))
        strangers.pop(patience)
        offered = entitled(lines[0]) if lines else None
        if offered is None:
            return
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await _serve(stream, framer, lines[1:], offered)


async def _serve(
    stream: anyio.abc.UNIXSocketStream, framer: Framer, lines: list[bytes], offered: Offered
) -> None:
    writing = anyio.Lock()

    async def send(message: Sendable) -> None:
        async with writing:
            await stream.send(to_line(message))

    async with anyio.create_task_group() as tasks:

        def notify(method: str, params: Mapping[str, Any]) -> None:
            tasks.start_soon(send, Notification(method, dict(params)))

        relay = Relay(tasks.cancel_scope, notify)
        conversation = Conversation(offered, tasks, send, notify)
        offered.relays.append(relay)
        try:
            await _read(stream, framer, lines, conversation)
        finally:
            offered.relays.remove(relay)
            tasks.cancel_scope.cancel()


async def _read(
    stream: ByteReceiveStream, framer: Framer, lines: list[bytes], conversation: Conversation
) -> None:
    while True:
        for line in lines:
            await conversation.take(line)
        try:
            lines = framer.feed(await stream.receive(CHUNK))
        except (anyio.EndOfStream, OSError):
            return


class Conversation:
    """The requests of one relay that are open.

    No more is read from a relay that does not read: whoever sends waits.
    """

    def __init__(
        self,
        offered: Offered,
        tasks: TaskGroup,
        send: Callable[[Sendable], Awaitable[None]],
        notify: Notify,
    ) -> None:
        self._offered = offered
        self._tasks = tasks
        self._send = send
        self._notify = notify
        self._open: dict[str, anyio.CancelScope] = {}

    async def take(self, line: bytes) -> None:
        """Take one line, of which nothing may be a message."""
        if isinstance(line, Cut):
            said = f"a message has {LONGEST_LINE:,} bytes at most"
            await self._send(Failure(None, Code.INVALID_REQUEST, said))
            return
        for message in parse_line(line):
            await self._take(message)

    async def _take(self, message: Message) -> None:
        match message:
            case Request(id) if id_key(id) in self._open:
                await self._send(Failure(id, Code.INVALID_REQUEST, "that id is in use"))
            case Request(id) if len(self._open) >= MOST_OPEN:
                said = f"{MOST_OPEN} requests are open: wait for an answer, then send it again"
                await self._send(Failure(id, Code.INVALID_REQUEST, said))
            case Request(id):
                scope = self._open[id_key(id)] = anyio.CancelScope()
                self._tasks.start_soon(self._answer, message, scope)
            case Notification("notifications/cancelled", {"requestId": id}):
                if (open_one := self._open.get(id_key(id))) is not None:
                    open_one.cancel()

    async def _answer(self, request: Request, scope: anyio.CancelScope) -> None:
        """Answer a request, unless it is cancelled meanwhile: then nobody waits for an answer."""
        answer: Sendable | None = None
        try:
            with scope:
                answer = await self._answered(request)
            if answer is not None:  # until it is sent the request is open: answers wait, too
                await self._send(answer)
        finally:
            del self._open[id_key(request.id)]

    async def _answered(self, request: Request) -> Sendable:
        try:
            server = self._offered.server
            assert server is not None  # who has let the relay in has made it
            result = await server.answer(request.method, request.params, self._notify)
            return Response(request.id, result)
        except RequestFailed as error:
            return Failure(request.id, int(error.code), error.message, error.data)
        except Exception as error:  # a fault of ours must not end the other calls
            self._offered.fault(error)
            said = "internal error of the editor's plugin"
            return Failure(request.id, int(Code.INTERNAL_ERROR), said)
