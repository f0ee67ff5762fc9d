"""The root of all tasks: a fault of one is told, and the others go on."""

from __future__ import annotations

import anyio
import pytest

from acp_nvim.workspace import tasks as module
from acp_nvim.workspace.tasks import Tasks


class Broken:
    """Something that fails so often, and then is done."""

    def __init__(self, times: int) -> None:
        self.left = times
        self.done = anyio.Event()

    async def run(self) -> None:
        if self.left:
            self.left -= 1
            raise ZeroDivisionError
        self.done.set()
        await anyio.sleep_forever()


async def test_a_fault_is_told_and_the_other_tasks_go_on() -> None:
    faults: list[BaseException] = []
    done = list[int]()

    async def note(number: int) -> None:
        done.append(number)

    async with Tasks(faults.append) as tasks:
        tasks.start_soon(Broken(1).run)
        tasks.start_soon(note, 7)
    assert [type(it) for it in faults] == [ZeroDivisionError]
    assert done == [7]


async def test_what_should_run_for_ever_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAUSE", 0)
    faults: list[BaseException] = []
    part = Broken(2)
    with anyio.CancelScope() as scope:
        async with Tasks(faults.append) as tasks:
            tasks.keep_running(part.run)
            await part.done.wait()
            scope.cancel()
    assert len(faults) == 2
