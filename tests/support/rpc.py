"""msgpack-RPC over two file descriptors, with a limit on every wait.

pynvim would wait for ever on a Neovim that shows a hit-enter prompt; here a test fails and says so.
"""

from __future__ import annotations

import itertools
import os
import select
import time
from typing import Any

import msgpack

REQUEST, RESPONSE, NOTIFICATION = 0, 1, 2


class NvimError(Exception):
    """What Neovim answered instead of a result."""


class Rpc:
    """One channel to Neovim; for one thread. Buffers, windows and tabpages are plain numbers."""

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd, self._write_fd = read_fd, write_fd
        self._unpacker = msgpack.Unpacker(
            raw=False, unicode_errors="surrogateescape", ext_hook=_number, strict_map_key=False
        )
        self._ids = itertools.count(1)
        self.notifications: list[tuple[str, list[Any]]] = []

    def request(self, method: str, *args: Any, timeout: float = 40) -> Any:
        """Call an API function; raises NvimError, TimeoutError, EOFError."""
        number = next(self._ids)
        self._send([REQUEST, number, method, args])
        deadline = time.monotonic() + timeout
        while True:
            kind, *rest = self.receive(deadline, method)
            if kind == RESPONSE and rest[0] == number:
                if rest[1] is not None:
                    raise NvimError(rest[1][1])
                return rest[2]
            if kind == NOTIFICATION:
                self.notifications.append((rest[0], rest[1]))

    def notify(self, method: str, *args: Any) -> None:
        """Call an API function and do not wait."""
        self._send([NOTIFICATION, method, args])

    def receive(self, deadline: float, what: str) -> list[Any]:
        """Return the next message, or raise TimeoutError naming `what`; EOFError at the end."""
        while True:
            try:
                return list(next(self._unpacker))
            except StopIteration:
                self._fill(deadline, what)

    def _fill(self, deadline: float, what: str) -> None:
        ready, _, _ = select.select([self._read_fd], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError(f"Neovim did not answer: {what}")
        data = os.read(self._read_fd, 1 << 16)
        if not data:
            raise EOFError("Neovim closed the channel")
        self._unpacker.feed(data)

    def _send(self, message: list[Any]) -> None:
        data = memoryview(msgpack.packb(message, unicode_errors="surrogateescape"))
        try:
            while data:
                data = data[os.write(self._write_fd, data) :]
        except BrokenPipeError:
            raise EOFError("Neovim closed the channel") from None


def _number(_code: int, data: bytes) -> Any:
    return msgpack.unpackb(data)
