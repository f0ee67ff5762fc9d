"""Events for scripts that wait while Neovim does not answer: the newest of them stay."""

from __future__ import annotations

from typing import Any, cast

import anyio
import pytest

from acp_nvim.nvim import painter
from acp_nvim.nvim.call import Call
from acp_nvim.nvim.painter import Painter


class Busy:
    """A Neovim that answers once it is told to."""

    def __init__(self) -> None:
        self.answers = anyio.Event()
        self.fired: list[str] = []

    async def lua(self, _function: str, frame: Any) -> dict[str, Any]:
        await self.answers.wait()
        self.fired += [it["name"] for it in frame["events"]]
        return {}


async def test_the_oldest_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painter, "MOST_EVENTS", 100)
    nvim, faults = Busy(), list[BaseException]()
    screen = Painter(cast(Call, nvim), faults.append)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(screen.run)
        for number in range(1_000):
            screen.event(f"e{number}", {})
        nvim.answers.set()
        await screen.settled()
        tasks.cancel_scope.cancel()
    assert 80 < len(nvim.fired) <= 100 and nvim.fired[-1] == "e999"
    assert not faults
