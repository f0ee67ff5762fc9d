"""What is done with a file in a thread, in order: a slow disk holds its waiters, and no loop."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from anyio import to_thread

from acp_nvim.signal import Signal


class InOrder:
    """Deeds that do not raise; as long as nobody runs it, each is done at once."""

    def __init__(self) -> None:
        self._deeds: deque[Callable[[], object]] = deque()
        self._lock = threading.Lock()
        self._runs = False
        self._wake, self._pause = Signal(), Signal()
        self._given = self._finished = 0

    def do(self, deed: Callable[[], object]) -> None:
        """Do it behind all that was given before."""
        if not self._runs:
            deed()
            return
        self._given += 1
        self._deeds.append(deed)
        self._wake.set()

    async def done(self) -> None:
        """Wait until all is done that was given until now."""
        given = self._given
        while self._runs and self._finished < given:
            await self._pause.wait()

    def finish(self) -> None:
        """Do at once what is left, and wait for what is being done. Blocking."""
        with self._lock:
            while self._deeds:
                self._deeds.popleft()()
                self._finished += 1

    async def run(self) -> None:
        """Do what is given, in a thread, for ever."""
        self._runs = True
        try:
            while True:
                await self._wake.wait()
                await to_thread.run_sync(self.finish)
                self._pause.pulse()
        finally:
            self._runs = False
            self.finish()
            self._pause.pulse()
