"""A server of Streamable HTTP on a free port, whose messages are the lines of a test.

Stands in for the `MemoryLink` of a `ScriptedAgent`. It knows a session once a message has named
it in a result, or, as `knows_all`, any: so the official servers differ.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from ssl import SSLContext
from types import TracebackType
from typing import Any

import anyio
import h11
from anyio.abc import ByteStream, Listener, SocketAttribute, TaskGroup
from anyio.streams.tls import TLSListener

Answer = tuple[int, dict[str, str], bytes]


class HttpWire:
    """Serves one connection of ACP after another."""

    def __init__(self, *, knows_all: bool = True, ssl: SSLContext | None = None) -> None:
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        """Method, headers in lower case, and message of each request, in order."""
        self.judge: Callable[[str, dict[str, str], Any], Answer | None] = lambda *_: None
        """May answer a request in place of the agent."""
        self.before_202: Callable[[Any], Awaitable[None]] | None = None
        """Done before a post is answered."""
        self.before_stream: Callable[[dict[str, str]], Awaitable[None]] | None = None
        """Done before a stream begins, with the headers of who asks for it."""
        self.streams: dict[str, ByteStream] = {}
        """The open streams of events by their session, "" for the connection's."""
        self.cookie = "Path=/"
        """What its cookie is for."""
        self.port = 0
        self.before_end: Callable[[], Awaitable[None]] | None = None
        """Done before such a connection ends."""
        self.half: bytes | None = None
        """With which the answers to posts begin, that end only with their connection."""
        self.deaf: anyio.Event | None = None
        """Until it is set no request is answered; streams go on."""
        self.connections = 0
        """How many there were, of TCP."""
        self._knows_all = knows_all
        self._ssl = ssl
        self._sessions: set[str] = set()
        self._first: dict[str, anyio.Event] = {}
        self._answers: dict[str, bytes] = {}
        self._routes: dict[str, str] = {}
        self._in = anyio.create_memory_object_stream[bytes](float("inf"))
        self._out = anyio.create_memory_object_stream[tuple[str, bytes]](float("inf"))
        self._tasks: TaskGroup

    async def __aenter__(self) -> HttpWire:
        self._listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
        self.port = self._listener.extra(SocketAttribute.local_port)
        self._tasks = await anyio.create_task_group().__aenter__()
        listener: Listener[Any] = self._listener
        if self._ssl is not None:
            listener = TLSListener(listener, self._ssl, standard_compatible=False)
        self._tasks.start_soon(listener.serve, self._serve)
        self._tasks.start_soon(self._write_all)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._tasks.cancel_scope.cancel()
        await self._tasks.__aexit__(None, None, None)
        await self._listener.aclose()
        for stream in (*self._in, *self._out):
            stream.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/acp"

    def posts(self, method: str) -> list[dict[str, str]]:
        """Return the headers of the posts of that method, in order."""
        return [it[1] for it in self.requests if it[0] == "POST" and it[2].get("method") == method]

    # --- what a `ScriptedAgent` needs of its link

    async def read(self) -> bytes:
        return await self._in[1].receive()

    def write(self, data: bytes) -> None:
        for line in data.splitlines():
            message = json.loads(line)
            key = json.dumps(message.get("id"))
            if "method" not in message and key in self._first:
                self._answers[key] = line
                self._first.pop(key).set()
                continue
            made = (message.get("result") or {}).get("sessionId") if "result" in message else None
            self._sessions |= {made} if made else set()
            session = (message.get("params") or {}).get("sessionId") or self._routes.pop(key, "")
            self._out[0].send_nowait((session if session in self._sessions else "", line))

    # --- the server

    async def _write_all(self) -> None:
        async for session, line in self._out[1]:
            await self.opened(session)
            await self.event(session, line)

    async def opened(self, session: str) -> None:
        """Wait until a stream is open."""
        while session not in self.streams:  # noqa: ASYNC110
            await anyio.sleep(0.002)

    async def event(self, session: str, line: bytes, end: bytes = b"\n\n") -> None:
        """Write an event on a stream, as a chunk of its own."""
        data = b"data: " + line + end
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self.streams[session].send(b"%x\r\n%b\r\n" % (len(data), data))

    async def cut(self, session: str = "") -> None:
        """End a stream."""
        await self.streams.pop(session).aclose()

    async def _serve(self, stream: ByteStream) -> None:
        connection = h11.Connection(h11.SERVER)
        self.connections += 1
        broken = (anyio.BrokenResourceError, anyio.ClosedResourceError)
        try:
            with suppress(*broken):
                while await self._exchange(connection, stream):
                    connection.start_next_cycle()
        finally:
            await anyio.aclose_forcefully(stream)

    async def _exchange(self, connection: h11.Connection, stream: ByteStream) -> bool:
        request, body = await _request(connection, stream)
        if request is None:
            return False
        headers = {name.decode().lower(): value.decode() for name, value in request.headers}
        method, message = request.method.decode(), json.loads(body) if body else None
        self.requests.append((method, headers, message))
        if self.deaf is not None:
            await self.deaf.wait()
        answer = self.judge(method, headers, message) or await self._answer(
            method, headers, message
        )
        if answer is None:
            if self.before_stream is not None:
                await self.before_stream(headers)
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            await stream.send(head + b"Transfer-Encoding: chunked\r\n\r\n")
            self.streams[headers.get("acp-session-id", "")] = stream
            await anyio.sleep_forever()
        assert answer is not None
        status, more, content = answer
        if self.half is not None and method == "POST":
            head = b"HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n"
            await stream.send(head + self.half)
            if self.before_end is not None:
                await self.before_end()
            return False
        named = [*more.items(), ("Content-Length", str(len(content)))]
        for event in (h11.Response(status_code=status, headers=named), h11.Data(data=content)):
            await stream.send(connection.send(event) or b"")
        await stream.send(connection.send(h11.EndOfMessage()) or b"")
        return connection.our_state is h11.DONE and connection.their_state is h11.DONE

    async def _answer(self, method: str, headers: dict[str, str], message: Any) -> Answer | None:
        session = headers.get("acp-session-id")
        if session and not self._knows_all and session not in self._sessions:
            return 404, {}, b'{"error":"Unknown session id"}'
        if session:
            self._sessions.add(session)
        if method == "GET":
            return None
        if method == "OPTIONS":
            return 405, {}, b""
        if method == "DELETE":
            for name in [*self.streams]:
                await self.cut(name)
            return 202, {}, b""
        return await self._post(headers, message)

    async def _post(self, headers: dict[str, str], message: Any) -> Answer:
        key = json.dumps(message.get("id"))
        if message.get("method") == "initialize":
            first = self._first[key] = anyio.Event()
            await self._in[0].send(json.dumps(message).encode() + b"\n")
            await first.wait()
            told = {"Content-Type": "application/json", "Acp-Connection-Id": "c1"}
            return 200, told, self._answers.pop(key)
        if "method" in message and "id" in message:
            self._routes[key] = headers.get("acp-session-id", "")
        await self._in[0].send(json.dumps(message).encode() + b"\n")
        if self.before_202 is not None:
            await self.before_202(message)
        return 202, {"Set-Cookie": f"affinity={len(self.requests)}; {self.cookie}"}, b""


async def _request(
    connection: h11.Connection, stream: ByteStream
) -> tuple[h11.Request | None, bytes]:
    request, body = None, b""
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            try:
                connection.receive_data(await stream.receive())
            except anyio.EndOfStream:
                return None, b""
        elif isinstance(event, h11.Request):
            request = event
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage):
            return request, body
        else:
            return None, b""
