"""A proxy on a free port of this machine: every host that is asked for is this machine."""

from __future__ import annotations

from contextlib import suppress
from ssl import SSLContext
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import anyio
from anyio.abc import ByteStream, Listener, SocketAttribute, TaskGroup
from anyio.streams.tls import TLSListener

BROKEN = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)


class ProxyWire:
    """Tunnels, and passes on what is for an address without TLS."""

    def __init__(self, ssl: SSLContext | None = None) -> None:
        self._ssl = ssl
        self.heads: list[str] = []
        """What it was asked for, each with its headers."""
        self.refusal = b""
        """What it answers in place of a connection."""
        self.port = 0
        self._tasks: TaskGroup

    async def __aenter__(self) -> ProxyWire:
        self._listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
        self.port = self._listener.extra(SocketAttribute.local_port)
        self._tasks = await anyio.create_task_group().__aenter__()
        listener: Listener[Any] = self._listener
        if self._ssl is not None:
            listener = TLSListener(listener, self._ssl, standard_compatible=False)
        self._tasks.start_soon(listener.serve, self._serve)
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

    async def _serve(self, client: ByteStream) -> None:
        async with client:
            with suppress(*BROKEN):
                await self._connect(client)

    async def _connect(self, client: ByteStream) -> None:
        asked = b""
        while b"\r\n\r\n" not in asked:
            asked += await client.receive()
        self.heads.append(asked.partition(b"\r\n\r\n")[0].decode())
        if self.refusal:
            await client.send(self.refusal)
            return
        method, target, *_ = asked.decode("latin-1").split(" ")
        port = urlsplit(f"//{target}" if method == "CONNECT" else target).port or 0
        async with await anyio.connect_tcp("127.0.0.1", port) as server:
            if method == "CONNECT":
                await client.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                await server.send(asked)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_pass_on, client, server, tasks)
                tasks.start_soon(_pass_on, server, client, tasks)


async def _pass_on(source: ByteStream, sink: ByteStream, tasks: TaskGroup) -> None:
    with suppress(*BROKEN):
        while True:
            await sink.send(await source.receive())
    tasks.cancel_scope.cancel()
