"""A link to an agent that lives in the test: two queues of bytes instead of a process."""

from __future__ import annotations

import anyio

from acp_nvim.errors import ConnectionLost
from acp_nvim.session.terminal import ExitStatus
from acp_nvim.transport.link import Ended
from acp_nvim.transport.stdio import Lines, read


class MemoryLink(Lines):
    """Implements `transport.link.Link`; the test holds the other end."""

    pid = 4711

    def __init__(self) -> None:
        self._to_client = anyio.create_memory_object_stream[bytes](float("inf"))
        self._to_agent = anyio.create_memory_object_stream[bytes](float("inf"))
        self._errors = anyio.create_memory_object_stream[bytes](float("inf"))
        self._over = anyio.Event()
        self._ended = Ended("exit code 0", ExitStatus(0))
        self.killed = False
        super().__init__(self._to_client[1])

    # --- the client's end

    async def diagnostics(self) -> bytes:
        return await read(self._errors[1])

    async def send(self, line: bytes) -> None:
        if self._over.is_set():
            raise ConnectionLost("the agent is gone")
        self._to_agent[0].send_nowait(line)

    async def wait(self) -> Ended:
        await self._over.wait()
        return self._ended

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
        return await read(self._to_agent[1])

    def exit(self, code: int | None = 0, signal: str | None = None) -> None:
        """End, with what is written still to be read."""
        if not self._over.is_set():
            status = ExitStatus(None if signal else code, signal)
            self._ended = Ended(signal or f"exit code {code}", status)
            self._to_client[0].close()
            self._errors[0].close()
            self._over.set()

    def close(self) -> None:
        """Free the queues, so that nothing is left open."""
        for send, receive in (self._to_client, self._to_agent, self._errors):
            send.close()
            receive.close()
