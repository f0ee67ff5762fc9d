"""Terminals that an agent has done with: the last ones can be looked at, the others are let go."""

from __future__ import annotations

import pytest

from acp_nvim.terminals import service
from tests.conformance.requests.terminals import Terminals
from tests.support.agents.scripted_agent import SESSION


async def test_the_oldest_released_ones_and_their_screens_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(service, "MOST_KEPT", 3)
    async with Terminals() as stage:
        await stage.start()
        for _ in range(6):
            terminal = await stage.create("true")
            await stage.call("wait_for_exit", terminalId=terminal)
            await stage.call("release", terminalId=terminal)
        kept = [it.id for it in stage.client.terminals]
        assert kept == ["terminal-3", "terminal-4", "terminal-5", "terminal-6"]


async def test_what_all_have_printed_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_LOGS", 3_000)
    monkeypatch.setattr(service, "LEAST", 100)
    async with Terminals() as stage:
        await stage.start()
        told: list[str] = []
        for _ in range(6):
            told.append(await stage.create("sh", "-c", "yes | head -c 1000", outputByteLimit=1_000))
            await stage.call("wait_for_exit", terminalId=told[-1])
        sizes = [len((await stage.call("output", terminalId=it))["output"]) for it in told]
        assert sizes == [1_000] * 3 + [100] * 3
        for terminal in told:
            await stage.call("release", terminalId=terminal)
        for _ in range(3):
            terminal = await stage.create("sh", "-c", "yes | head -c 1000")
            await stage.call("wait_for_exit", terminalId=terminal)
            await stage.call("release", terminalId=terminal)
        kept = [it.id for it in stage.client.terminals]
        assert kept[0] != "terminal-1" and kept[-1] == "terminal-9"
        assert sum(it.log.size for it in stage.client.terminals) <= 4_000


async def test_released_commands_that_do_not_end_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(service, "MOST_ENDING", 2)
    async with Terminals() as stage:
        session = await stage.start()
        line = "trap '' TERM; echo up; while :; do sleep 1; done"
        refused = ""
        for _ in range(4):
            params = {"sessionId": SESSION, "command": "sh", "args": ["-c", line]}
            answer = await stage.agent.ask("terminal/create", params)
            if "error" in answer:
                refused = answer["error"]["message"]
                break
            terminal = answer["result"]["terminalId"]
            await stage.wrote(session, terminal, "up")
            await stage.call("release", terminalId=terminal)
        assert "2 released commands have not ended yet" in refused
