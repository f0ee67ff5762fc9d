"""Work in threads beside the loop: what comes of it, who is cancelled, and how many threads."""

from __future__ import annotations

import threading
from functools import partial

import anyio
import pytest

from acp_nvim import aside
from acp_nvim.aside import offload

pytestmark = pytest.mark.anyio
PATIENCE = 40


async def test_what_the_work_returns_or_raises_comes_back() -> None:
    assert await offload(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        await offload(divmod, 7, 0)


async def test_work_is_done_beside_the_loop() -> None:
    assert await offload(threading.get_ident) != threading.get_ident()


async def test_who_comes_back_at_once_has_the_same_thread() -> None:
    threads = {await offload(threading.get_ident) for _ in range(100)}
    assert len(threads) == 1


async def test_work_that_ends_a_generator_is_an_error_and_holds_nobody() -> None:
    with anyio.fail_after(PATIENCE), pytest.raises(RuntimeError, match="StopIteration"):
        await offload(partial(next, iter(())))


async def test_who_is_cancelled_waits_for_the_end_of_the_work() -> None:
    begun, go_on, deeds = threading.Event(), threading.Event(), list[str]()

    def work() -> None:
        begun.set()
        assert go_on.wait(PATIENCE)
        deeds.append("done")

    async def wait() -> None:
        await offload(work)
        deeds.append("back")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        assert await offload(begun.wait, PATIENCE)
        tasks.cancel_scope.cancel()
        go_on.set()
    assert deeds == ["done", "back"]


async def test_who_is_cancelled_already_begins_only_what_must_be_done() -> None:
    deeds = list[str]()
    with anyio.CancelScope() as scope:
        scope.cancel()
        await aside.aside(partial(deeds.append, "aside"))
        await offload(deeds.append, "offload")
    assert deeds == ["aside"]


async def test_more_work_than_threads_is_done_as_they_come_free() -> None:
    go_on, done = threading.Event(), list[int]()

    async def do(number: int) -> None:
        await offload(go_on.wait, PATIENCE)
        done.append(number)

    async with anyio.create_task_group() as tasks:
        for number in range(2 * aside.MOST):
            tasks.start_soon(do, number)
        await anyio.wait_all_tasks_blocked()
        assert len([it for it in threading.enumerate() if it.name == aside.NAME]) == aside.MOST
        go_on.set()
    assert sorted(done) == [*range(2 * aside.MOST)]


def test_work_whose_loop_has_ended_meanwhile_holds_no_thread() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go_on.wait(PATIENCE)

    async def leave() -> None:
        task = offload(work)
        task.send(None)
        assert await offload(begun.wait, PATIENCE)
        task.close()

    anyio.run(leave)
    go_on.set()
    assert anyio.run(offload, len, "abc") == 3
