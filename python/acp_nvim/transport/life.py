"""Whether the other end still lives: a server may be stopped, or be only at work.

One that sends comments to keep its streams awake has told how often something must come. Any other
is asked, which its agent does not notice; also one that says no more than hello by a comment, or
keeps only some of its streams awake. Used by `http`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio

from acp_nvim.transport.link import Life

LULL = 45.0
"""Seconds without a word from the server, after which the user is told."""
SILENCE = 120.0
"""Seconds of it after which a server that keeps its streams awake is gone."""


class Signs:
    """The signs of life of one connection."""

    def __init__(self, ask: Callable[[], Awaitable[bool]], awake: Callable[[], bool]) -> None:
        """`ask` tells whether the server answers, whatever that is; `awake` whether it keeps all of
        its streams awake."""
        self._ask = ask
        self._awake = awake
        self._heard = 0.0
        """When something came last, or began to be waited for; 0 before the first stream."""
        self._sound = anyio.Event()

    def wait(self) -> None:
        """Something is waited for from now on: before, nothing could be heard."""
        self._heard = anyio.current_time()

    def hear(self) -> None:
        """Something has come."""
        self._heard = anyio.current_time()
        self._sound.set()
        self._sound = anyio.Event()

    async def watch(self, tell: Life) -> None:
        """Tell of each silence and of its end."""
        while True:
            await anyio.sleep_until((self._heard or anyio.current_time()) + LULL)
            if not self._heard or anyio.current_time() < self._heard + LULL:
                continue
            if await self._lives():
                continue
            tell(LULL)
            await self._back()
            tell(None)

    async def _back(self) -> None:
        while True:
            with anyio.move_on_after(LULL):
                await self._sound.wait()
                return
            if await self._lives():
                return

    async def _lives(self) -> bool:
        if self._awake() or not await self._ask():
            return False
        self._heard = anyio.current_time()
        return True
