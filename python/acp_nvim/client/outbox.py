"""What goes out to one agent: the user's words first, then answers, within a bound.

Two lanes, one writer. What the user wants (prompts, cancels, chosen options) goes before all that
answers the agent, so a flood of answers never delays it. Whoever would make more answers awaits
`room` first: the connection does before it takes a message, so an agent that does not read is not
read either. Used by `Connection` only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

MOST_BYTES = 16 * 1024 * 1024
"""Bytes that may wait for the agent to read them; one line may be longer by itself."""
MOST_LINES = 2_000
"""Lines that may wait."""


class Outbox:
    """The lines that an agent has not read yet."""

    def __init__(self) -> None:
        self.taken = 0
        """How many lines the agent has read: as long as it grows, the agent lives."""
        self.size = 0
        """Bytes that wait, with those that are on their way."""
        self._first: deque[bytes] = deque()
        self._answers: deque[bytes] = deque()
        self._closed = False
        self._changed = anyio.Event()

    @property
    def waiting(self) -> int:
        """How many lines wait."""
        return len(self._first) + len(self._answers)

    @property
    def is_full(self) -> bool:
        """Whether nothing more is to be made until the agent reads."""
        return not self._closed and (self.size >= MOST_BYTES or self.waiting >= MOST_LINES)

    def put(self, line: bytes, *, first: bool) -> None:
        """Let a line wait; `first`: before all answers, for the user wants it."""
        if not self._closed:
            (self._first if first else self._answers).append(line)
            self.size += len(line)
            self._tell()

    @contextmanager
    def reserved(self, size: int) -> Iterator[None]:
        """Count so many bytes of a line that is being made."""
        self.size += size
        try:
            yield
        finally:
            self.size -= size
            self._tell()

    async def take(self) -> bytes | None:
        """Return the next line, when there is one; None once it is closed. `sent` must follow."""
        while not self._closed:
            for lane in (self._first, self._answers):
                if lane:
                    return lane.popleft()
            await self._changed.wait()
        return None

    def sent(self, line: bytes) -> None:
        """The agent has that line."""
        self.size -= len(line)
        self.taken += 1
        self._tell()

    async def room(self) -> None:
        """Wait until it is not full."""
        while self.is_full:
            await self._changed.wait()

    def close(self) -> None:
        """Nobody reads any more: what waits is dropped, and so is what comes."""
        self._closed = True
        self._first.clear()
        self._answers.clear()
        self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
