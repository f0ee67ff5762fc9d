"""While nothing runs, nothing wakes the host: no timer of its loop is set."""

from __future__ import annotations

import asyncio
from typing import Any

import anyio
import pytest

from acp_nvim import app as program
from acp_nvim.storage import journal
from acp_nvim.workspace.host import Host
from tests.faults.whole_app import CHAT, WholeApp

LIMIT = 20
SOON = 5
"""Seconds; patience with an agent that does not answer is longer."""


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "TICK", 0.01)
    monkeypatch.setattr(journal, "BEAT", 0.01)


def wakes() -> bool:
    """Tell whether the loop is to do anything in the next seconds."""
    loop: Any = asyncio.get_running_loop()
    soon = loop.time() + SOON
    return any(it.when() < soon and not it.cancelled() for it in loop._scheduled)


async def quiet() -> None:
    """Wait until nothing is to come for good: a timer that has just rung is set anew by then."""
    rounds = 0
    with anyio.fail_after(LIMIT):
        while rounds < 100:
            rounds = 0 if wakes() else rounds + 1
            await anyio.lowlevel.checkpoint()


async def test_after_a_turn_nothing_wakes_the_host() -> None:
    async with WholeApp() as app:
        await app.open()
        await app.job()
        await quiet()


async def test_a_turn_that_runs_ticks_on(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks, tick = anyio.Semaphore(0), program.sessions.tick

    def counted(host: Host) -> None:
        tick(host)
        ticks.release()

    monkeypatch.setattr(program.sessions, "tick", counted)
    async with WholeApp() as app:
        await app.open()
        prompt = {"chat": CHAT, "text": "work", "selections": [], "bang": False}
        await app.ask("prompt", prompt)
        await app.agent.expect("session/prompt")
        with anyio.fail_after(LIMIT):
            for _ in range(5):
                await ticks.acquire()


async def test_a_sidebar_is_at_rest_while_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "MINUTE", SOON / 2)
    async with WholeApp() as app:
        await app.open()
        listed = {"list": 9, "file": "", "cwd": "/"}
        await app.ask("list_sessions", listed | {"sidebar": True})
        await app.job()
        await quiet()
        await app.ask("list_sessions", listed | {"list": 10})
        assert app.host.workspace.clocks() == [10]
        with pytest.raises(TimeoutError), anyio.fail_after(1):
            await quiet()
