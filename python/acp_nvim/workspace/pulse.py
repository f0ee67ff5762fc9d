"""Whether a clock runs: it ticks while something goes on, and wakes nobody while nothing does."""

from __future__ import annotations

import anyio


class Pulse:
    """`stir` it when something has changed; whoever ticks waits for that before each tick."""

    def __init__(self) -> None:
        self._stirred = anyio.Event()

    def stir(self) -> None:
        """Have one more tick; it costs next to nothing when there is one to come."""
        self._stirred.set()

    async def wait(self, most: float | None = None) -> None:
        """Wait until something has changed since the last call; so many seconds at most."""
        with anyio.move_on_after(most):
            await self._stirred.wait()
        self._stirred = anyio.Event()
