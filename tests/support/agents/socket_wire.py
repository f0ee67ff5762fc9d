"""A server of WebSockets on a port of this machine, whose frames are the lines of a test.

Stands in for the `MemoryLink` of a `ScriptedAgent`: what comes in frames is read as lines, and each
line that is written is a frame.
"""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType
from typing import Any

import anyio
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from tests.support.ports import reserved


class SocketWire:
    """Serves one connection after another."""

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.requests: list[Request] = []
        """The handshakes, in order."""
        self.refusal: tuple[int, dict[str, str], bytes] | None = None
        """Status, headers and body with which handshakes are refused."""
        self.connections: list[ServerConnection] = []
        self._stack = ExitStack()
        self.port = self._stack.enter_context(reserved())
        self._in = anyio.create_memory_object_stream[bytes](float("inf"))
        self._out = anyio.create_memory_object_stream[str | bytes](float("inf"))
        self._server: Server | None = None

    async def __aenter__(self) -> SocketWire:
        await self.listen()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()
        for stream in (*self._in, *self._out):
            stream.close()
        self._stack.close()

    @property
    def url(self) -> str:
        scheme = "wss" if "ssl" in self.options else "ws"
        return f"{scheme}://localhost:{self.port}/acp"

    # --- the server

    async def listen(self) -> None:
        """Take connections."""
        self._server = await serve(
            self._serve,
            "127.0.0.1",
            self.port,
            process_request=self._judge,
            compression=None,
            max_size=None,
            **self.options,
        )

    async def stop(self) -> None:
        """Break all connections off and listen no more."""
        if self._server is not None:
            self._server.close(close_connections=False)
            for connection in self.connections:
                connection.transport.abort()
            await self._server.wait_closed()
            self._server = None

    def _judge(self, _connection: ServerConnection, request: Request) -> Response | None:
        self.requests.append(request)
        if self.refusal is None:
            return None
        status, headers, body = self.refusal
        response = _connection.respond(status, body.decode())
        for name, value in headers.items():
            if name in response.headers:
                del response.headers[name]
            response.headers[name] = value
        return response

    async def _serve(self, connection: ServerConnection) -> None:
        self.connections.append(connection)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._write, connection)
            try:
                async for frame in connection:
                    data = frame.encode() if isinstance(frame, str) else frame
                    await self._in[0].send(data + b"\n")
            except ConnectionClosed:
                pass
            tasks.cancel_scope.cancel()

    async def _write(self, connection: ServerConnection) -> None:
        with self._out[1].clone() as frames:
            async for frame in frames:
                await connection.send(frame)

    # --- what a `ScriptedAgent` needs of its link

    async def read(self) -> bytes:
        return await self._in[1].receive()

    def write(self, data: bytes) -> None:
        for line in data.decode().splitlines():
            self._out[0].send_nowait(line)

    def frame(self, frame: str | bytes) -> None:
        """Send a frame as it is."""
        self._out[0].send_nowait(frame)
