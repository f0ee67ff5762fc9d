"""With 256 descriptors (`ulimit -n`) one agent takes all that it gets, and every other works on."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_nvim.descriptors import RESERVED, SHARES
from acp_nvim.errors import Code
from tests.conformance.requests.files import Files
from tests.conformance.requests.terminals import Terminals
from tests.support.agents.http_wire import HttpWire
from tests.support.agents.scripted_agent import SESSION
from tests.support.remote_stage import RemoteStage
from tests.support.stage import Stage, texts

FEW = 256


@pytest.fixture(autouse=True)
def few() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEW, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def works(folder: Path) -> None:
    """Do all that an agent may want, by another one."""
    file = folder / "file"
    file.write_text("text")
    async with Files(folder) as stage:
        session = await stage.start()
        assert await stage.read(file) == "text"
        assert await stage.write(file, "new") == {}
        stage.agent.say("hello")
        await stage.until(lambda: texts(session) == ["hello"])
    async with Terminals() as stage:
        await stage.start()
        terminal = await stage.create("echo", args=["there"])
        await stage.call("wait_for_exit", terminalId=terminal)


async def hoard(stage: Stage) -> str:
    """Start commands until one is refused; return why."""
    for number in range(FEW):
        params = {"sessionId": SESSION, "command": "sleep", "args": ["100"]}
        answer = await stage.agent.ask("terminal/create", params, f"hoard-{number}")
        if "error" in answer:
            assert answer["error"]["code"] == Code.INTERNAL_ERROR
            return str(answer["error"]["message"])
    raise AssertionError("never refused")


async def test_terminals_of_one_agent(tmp_path: Path) -> None:
    async with Terminals() as stage:
        await stage.start()
        assert "held for this agent" in await hoard(stage)
        await works(tmp_path)


async def test_terminals_of_several_agents(tmp_path: Path) -> None:
    async with Terminals() as one, Terminals() as two, Terminals() as three, Terminals() as four:
        for stage in (one, two, three, four):
            await stage.start()
            said = await hoard(stage)
        assert "file descriptors" in said
        file = tmp_path / "file"
        file.write_text("text")
        async with Files(tmp_path) as other:
            await other.start()
            assert await other.read(file) == "text"
            assert await other.write(file, "new") == {}


async def test_a_server_that_answers_what_nobody_has_asked(tmp_path: Path) -> None:
    async with HttpWire() as wire:
        stage = RemoteStage(wire.url)
        async with stage:
            stage.agent.link = wire  # type: ignore[assignment]
            session = await stage.start()
            await wire.opened(SESSION)
            for number in range(2 * FEW):
                ghost = {
                    "jsonrpc": "2.0",
                    "id": 9_000 + number,
                    "result": {"sessionId": f"g{number}"},
                }
                stage.agent.send(ghost)
            stage.agent.say("behind them")
            await stage.until(lambda: texts(session) == ["behind them"])
            assert len(wire.streams) == 2
            await works(tmp_path)
            await stage.end()


async def test_sessions_of_one_connection_have_a_share(tmp_path: Path) -> None:
    most = (FEW - RESERVED) // SHARES
    async with HttpWire() as wire:
        stage = RemoteStage(wire.url)
        async with stage:
            stage.agent.link = wire  # type: ignore[assignment]
            await stage.start()
            for number in range(most - 2):
                await stage.start_another(f"s{number}")
            await works(tmp_path)
            await stage.end()
