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


async def fired(count: int, data: dict[str, Any]) -> list[str]:
    """Return the names of the events that Neovim has heard of in the end."""
    nvim, faults = Busy(), list[BaseException]()
    screen = Painter(cast(Call, nvim), faults.append)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(screen.run)
        for number in range(count):
            screen.event(f"e{number}", data)
        nvim.answers.set()
        await screen.settled()
        tasks.cancel_scope.cancel()
    assert not faults
    return nvim.fired


async def test_those_with_long_texts_are_left_out_earlier(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each may have ten thousand characters in each of its texts."""
    monkeypatch.setattr(painter, "MOST_HELD", 100_000)
    long = "x" * 1_000
    heard = await fired(1_000, {"title": long, "locations": [{"path": long}, {"path": long}]})
    assert 25 < len(heard) <= 33 and heard[-1] == "e999"
    assert await fired(2, {"title": "x" * 1_000_000}) == ["e1"]


async def test_the_oldest_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(painter, "MOST_EVENTS", 100)
    heard = await fired(1_000, {})
    assert 80 < len(heard) <= 100 and heard[-1] == "e999"
