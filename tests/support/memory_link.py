"""A link to an agent that lives in the test: two queues of bytes instead of a process."""

from __future__ import annotations

import anyio

from acp_nvim.errors import ConnectionLost
from acp_nvim.transport.child import Exit


class MemoryLink:
    """Implements `client.connection.Link`; the test holds the other end."""

    pid = 4711

    def __init__(self) -> None:
        self._to_client = anyio.create_memory_object_stream[bytes](float("inf"))
        self._to_agent = anyio.create_memory_object_stream[bytes](float("inf"))
        self._errors = anyio.create_memory_object_stream[bytes](float("inf"))
        self._over = anyio.Event()
        self._exit = Exit(0, None)
        self.killed = False

    # --- the client's end

    async def receive(self) -> bytes:
        try:
            return await self._to_client[1].receive()
        except anyio.EndOfStream:
            return b""

    async def receive_error(self) -> bytes:
        try:
            return await self._errors[1].receive()
        except anyio.EndOfStream:
            return b""

    async def send(self, data: bytes) -> None:
        if self._over.is_set():
            raise ConnectionLost("the agent is gone")
        self._to_agent[0].send_nowait(data)

    async def wait(self) -> Exit:
        await self._over.wait()
        return self._exit

    async def end(self, *, grace: float) -> None:
        self._to_agent[0].close()
        self.exit()

    def kill(self) -> None:
        if not self._over.is_set():
            self.killed = True
            self._to_agent[0].close()
            self.exit(signal="SIGKILL")

    # --- the agent's end

    def write(self, data: bytes) -> None:
        """Write to stdout."""
        self._to_client[0].send_nowait(data)

    def complain(self, data: bytes) -> None:
        """Write to stderr."""
        self._errors[0].send_nowait(data)

    async def read(self) -> bytes:
        """Read from stdin; b"" when it is closed."""
        try:
            return await self._to_agent[1].receive()
        except anyio.EndOfStream:
            return b""

    def exit(self, code: int | None = 0, signal: str | None = None) -> None:
        """End, with what is written still to be read."""
        if not self._over.is_set():
            self._exit = Exit(None if signal else code, signal)
            self._to_client[0].close()
            self._errors[0].close()
            self._over.set()

    def close(self) -> None:
        """Free the queues, so that nothing is left open."""
        for send, receive in (self._to_client, self._to_agent, self._errors):
            send.close()
            receive.close()
