"""What would hold the loop for long, done in a thread beside it: a cancel gets through meanwhile.

Python gives way every few milliseconds; what stays in C for longer than that, as a sort or a
regular expression may, has to be cut into pieces by who does it. The threads are our own, and
daemons: the way to one of anyio's costs twice as much (`bench/README.md`).
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, Final, TypeAlias, TypeVar

import anyio
from anyio.lowlevel import checkpoint_if_cancelled

T = TypeVar("T")

LARGE = 500_000
"""Characters of a text for which a thread pays."""
MOST: Final = 40
"""Threads at once; what comes then waits."""
NAME: Final = "aside"
"""Of each of them."""


async def aside(work: Callable[[], T]) -> T:
    """Do the same as `offload`, and begin even if the caller is cancelled. For pure work only."""
    with anyio.CancelScope(shield=True):
        done = await offload(work)
    return done


async def aside_if_large(work: Callable[[], T], *texts: str) -> T:
    """Do the same with work on these texts, but at once where they are small."""
    return await aside(work) if sum(map(len, texts)) > LARGE else work()


async def offload(work: Callable[..., T], *arguments: Any) -> T:
    """Return what the work returns in a thread, or raise what it raises.

    Whoever is cancelled meanwhile waits for its end; whoever is cancelled already does not begin.
    """
    await checkpoint_if_cancelled()
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def end(result: Any, error: BaseException | None) -> None:
        if not done.cancelled():
            done.set_result((result, error))

    def job() -> Callable[[], None]:
        try:
            found = work(*arguments), None
        except BaseException as error:  # whoever waits raises it
            return partial(_tell, loop, end, None, error)
        return partial(_tell, loop, end, *found)

    _THREADS.give(job)
    with anyio.CancelScope(shield=True):
        result, error = await done
    if error is not None:
        try:
            raise error
        finally:
            del error, done  # its traceback has this frame: a circle
    return result  # type: ignore[no-any-return]


def _tell(loop: asyncio.AbstractEventLoop, end: Callable[..., None], *found: Any) -> None:
    with suppress(RuntimeError):  # the loop is closed, and nobody waits
        loop.call_soon_threadsafe(end, *found)


_Job: TypeAlias = Callable[[], Callable[[], None]]
"""Does work, and returns what tells of its end."""


class _Threads:
    """The threads of the process: each that has no work waits for some."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[_Job]] = []
        self._waiting: deque[_Job] = deque()
        self._count = 0

    def give(self, job: _Job) -> None:
        """Let a thread do it, the one that has worked last if there is one; never waits."""
        with self._lock:
            if not self._idle and self._count == MOST:
                self._waiting.append(job)
                return
            queue = self._idle.pop() if self._idle else self._new()
        queue.put(job)

    def _new(self) -> SimpleQueue[_Job]:
        self._count += 1
        queue = SimpleQueue[_Job]()
        threading.Thread(target=self._run, args=(queue,), name=NAME, daemon=True).start()
        return queue

    def _run(self, queue: SimpleQueue[_Job]) -> None:
        while True:
            job: _Job | None = queue.get()
            while job is not None:
                tell = job()
                job = self._next(queue)  # first: whoever is told may bring more at once
                tell()
                del tell  # and with it what was found

    def _next(self, queue: SimpleQueue[_Job]) -> _Job | None:
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._idle.append(queue)
        return None


_THREADS: Final = _Threads()
