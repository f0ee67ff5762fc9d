"""What is done with a disk in a thread, in order: a slow one holds its waiters, and no loop."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import TypeAlias

from anyio import to_thread

from acp_nvim.signal import Signal

Report: TypeAlias = Callable[[OSError], None]
"""Told why something is not kept."""


class InOrder:
    """Deeds that may raise `OSError`; as long as nobody runs it, each is done at once.

    A disk that is full or read-only costs what was to be kept, not the session: `report` is told
    once, and again if something was kept in between: a deed that returns True.
    """

    def __init__(self, report: Report = lambda _error: None) -> None:
        """Take who is told, in the loop, why something is not done."""
        self._report = report
        self._trouble: OSError | None = None
        self._is_told = False
        self._deeds: deque[Callable[[], object]] = deque()
        self._lock = threading.Lock()
        self._runs = False
        self._wake, self._pause = Signal(), Signal()
        self._given = self._finished = 0

    def do(self, deed: Callable[[], object]) -> None:
        """Do it behind all that was given before."""
        self._given += 1
        self._deeds.append(deed)
        if self._runs:
            self._wake.set()
        else:
            self.finish()
            self.tell()

    async def done(self) -> None:
        """Wait until all is done that was given until now."""
        given = self._given
        while self._runs and self._finished < given:
            await self._pause.wait()

    def finish(self, last: Callable[[], object] = lambda: None) -> None:
        """Do at once what is left, and then that; wait for what is being done. Blocking."""
        with self._lock:
            while self._deeds:
                self._try(self._deeds.popleft())
                self._finished += 1
            self._try(last)

    async def run(self) -> None:
        """Do what is given, in a thread, for ever."""
        self._runs = True
        try:
            while True:
                await self._wake.wait()
                await to_thread.run_sync(self.finish)
                self.tell()
                self._pause.pulse()
        finally:
            self._runs = False
            self.finish()
            self._pause.pulse()

    def _try(self, deed: Callable[[], object]) -> None:
        try:
            if deed() is True:
                self._is_told = False
        except OSError as error:
            self._trouble = error

    def tell(self) -> None:
        """Report why something was not done, once. In the loop."""
        trouble, self._trouble = self._trouble, None
        if trouble is not None and not self._is_told:
            self._is_told = True
            self._report(trouble)
