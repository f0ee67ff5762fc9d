"""What takes several slices to draw reaches Neovim once a frame."""

from __future__ import annotations

from typing import Any, cast

import anyio
import anyio.lowlevel
import pytest

from acp_nvim.editor import Picture
from acp_nvim.nvim import painter
from acp_nvim.nvim.call import Call
from acp_nvim.nvim.painter import Painter
from acp_nvim.view.block import Block, Line
from acp_nvim.view.status import Bar

SLICES = 300


class Frames:
    """A Neovim that answers at once."""

    def __init__(self) -> None:
        self.drawn: list[str] = []
        self.fired: list[str] = []

    async def lua(self, _function: str, frame: Any) -> dict[str, Any]:
        self.drawn += [line for it in frame["buffers"] for op in it["ops"] for line in op[2]]
        self.fired += [it["name"] for it in frame["events"]]
        return {}


async def test_slices_are_sent_together_once_something_is_on_the_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(painter, "FRAME", 3600.0)  # no frame ends before all is drawn
    nvim, faults = Frames(), list[BaseException]()
    screen = Painter(cast(Call, nvim), faults.append)
    slices = 0
    others = 0

    def slice_of_it() -> Picture:
        nonlocal slices
        slices += 1
        block = Block("a", (Line(f"line {slices}"),))
        return Picture((block,), {}, Bar(), paused=slices < SLICES)

    async def other() -> None:
        nonlocal others
        while True:
            await anyio.lowlevel.checkpoint()
            others += 1

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(other)
        screen.show(1, slice_of_it)
        tasks.start_soon(screen.run)
        await screen.settled()
        tasks.cancel_scope.cancel()
    assert nvim.drawn == ["line 1", f"line {SLICES}"]
    assert others >= SLICES - 2  # between two slices others have their turn
    assert not faults


async def test_what_the_user_waits_for_waits_for_no_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painter, "FRAME", 3600.0)
    nvim, faults = Frames(), list[BaseException]()
    screen = Painter(cast(Call, nvim), faults.append)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(screen.run)
        screen.event("before", {})
        await screen.settled()
        screen.event("any", {})
        await anyio.wait_all_tasks_blocked()
        assert nvim.fired == ["before"]
        screen.event("asked", {}, at_once=True)
        await screen.settled()
        tasks.cancel_scope.cancel()
    assert nvim.fired == ["before", "any", "asked"]
    assert not faults
