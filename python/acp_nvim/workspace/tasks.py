"""The root of all tasks: what fails in one takes no other down."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, TypeAlias

import anyio
from anyio.abc import TaskGroup

from acp_nvim.signal import Signal

Task: TypeAlias = Callable[..., Awaitable[Any]]

PAUSE = 1.0
"""Seconds until what should run for ever begins anew."""


class Tasks:
    """`async with Tasks(fault) as tasks`; `fault` is told of what a task raises."""

    def __init__(self, fault: Callable[[BaseException], None]) -> None:
        self._fault = fault
        self._group: TaskGroup

    async def __aenter__(self) -> Tasks:
        self._group = await anyio.create_task_group().__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return await self._group.__aexit__(kind, error, trace)

    def start_soon(self, task: Task, *arguments: Any) -> None:
        """Run a task with these arguments."""
        self._group.start_soon(self._safely, task, *arguments)

    def keep_running(self, part: Task) -> None:
        """Run a part of the host for ever, and again after a fault of it."""
        self._group.start_soon(self._for_ever, part)

    async def _safely(self, task: Task, *arguments: Any) -> None:
        try:
            await task(*arguments)
        except Exception as error:  # the root task group must outlive any task
            self._fault(error)

    async def _for_ever(self, part: Task) -> None:
        while True:
            await self._safely(part)
            await anyio.sleep(PAUSE)


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
