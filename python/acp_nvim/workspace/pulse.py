"""Whether a clock runs: seconds are counted while something goes on, else nobody is woken."""

from __future__ import annotations

import anyio

from acp_nvim.signal import Signal


class Pulse:
    """Who changes something stirs it; who counts seconds waits for that before each."""

    def __init__(self) -> None:
        self._stirred = Signal()

    def stir(self) -> None:
        """Have one more second counted."""
        self._stirred.set()

    async def wait(self, most: float | None = None) -> None:
        """Wait until something has changed since the last call; so many seconds at most."""
        with anyio.move_on_after(most):
            await self._stirred.wait()
