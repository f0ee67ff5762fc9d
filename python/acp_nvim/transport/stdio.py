"""Messages over the pipes of a child process: a line of stdout, or of stdin, is one (C-002).

A line may be many megabytes (an image), `MOST` bytes; parsing such a one must not hold up the loop,
and with it all that is drawn. Made by the composition root, used by `client` as a `Link`.
"""

from __future__ import annotations

from collections import deque

import anyio
from anyio.abc import AnyByteReceiveStream

from acp_nvim.transport.child import Child
from acp_nvim.transport.link import MOST, Ended, Incoming, Life, incoming
from acp_nvim.wire.framing import Framer


class Lines:
    """The messages of a stream of bytes; read only as far as they are asked for."""

    def __init__(self, stream: AnyByteReceiveStream) -> None:
        self._stream = stream
        self._framer = Framer(MOST)
        self._lines: deque[bytes] = deque()

    async def receive(self) -> Incoming | None:
        """Return what the next line holds, None at the end; it needs no newline there.

        Raises `MemoryError` for a line that is too long for that; the next call goes on behind it.
        """
        while not self._lines:
            data = await read(self._stream)
            self._lines.extend(self._framer.feed(data) if data else self._framer.close())
            if self._framer.lost:
                self._framer.lost = False
                raise MemoryError
            if not data and not self._lines:
                return None
        return await incoming(self._lines.popleft())

    async def run(self) -> None:
        """Do nothing besides: what writes the lines runs by itself."""

    async def watch(self, tell: Life) -> None:
        """Do nothing: a program that has stopped may have been stopped by the user."""


class Stdio(Lines):
    """A child as a `Link`."""

    def __init__(self, child: Child) -> None:
        super().__init__(child.stdout)
        self._child = child

    @property
    def pid(self) -> int:
        """The process id of the program itself."""
        return self._child.pid

    async def diagnostics(self) -> bytes:
        """Return the next bytes of stderr."""
        return await read(self._child.stderr)

    async def send(self, line: bytes) -> None:
        """Write a line to stdin."""
        await self._child.send(line)

    async def wait(self) -> Ended:
        """Return how the program ended."""
        status = await self._child.wait()
        return Ended(status.signal or f"exit code {status.code}", status)

    async def end(self, *, grace: float) -> None:
        """End the program and its group: see `Child.end`."""
        await self._child.end(grace=grace)

    def kill(self) -> None:
        """Kill the program and its group."""
        self._child.kill()


async def read(stream: AnyByteReceiveStream) -> bytes:
    """Return the next bytes, at most 64 KB of a pipe; b"" when no more can come."""
    try:
        return await stream.receive()
    except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
        return b""
