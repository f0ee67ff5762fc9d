"""Who is woken by a signal, and who is not."""

from __future__ import annotations

import anyio

from acp_nvim.signal import Signal


async def woken(signal: Signal) -> bool:
    """Return whether who waits now goes on without anybody's doing."""
    done = False

    async def wait() -> None:
        nonlocal done
        await signal.wait()
        done = True

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    return done


async def test_what_was_set_wakes_one_later_wait_and_no_other() -> None:
    signal = Signal()
    signal.set()
    signal.set()
    assert [await woken(signal), await woken(signal)] == [True, False]


async def test_a_pulse_wakes_all_who_wait_and_nobody_later() -> None:
    signal, done = Signal(), list[int]()

    async def wait(number: int, ready: anyio.Event) -> None:
        ready.set()
        await signal.wait()
        done.append(number)

    async with anyio.create_task_group() as tasks:
        for number in (1, 2):
            ready = anyio.Event()
            tasks.start_soon(wait, number, ready)
            await ready.wait()
        signal.pulse()
    assert done == [1, 2]
    assert not await woken(signal)


async def test_what_is_set_before_the_waiter_runs_again_is_not_lost() -> None:
    signal, counts = Signal(), list[int]()

    async def work() -> None:
        for number in (1, 2):
            await signal.wait()
            counts.append(number)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work)
        signal.set()
        await anyio.wait_all_tasks_blocked()
        signal.set()
    assert counts == [1, 2]
