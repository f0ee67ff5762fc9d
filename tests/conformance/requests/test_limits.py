"""More than a host bears is refused with a sentence that says so; what was before goes on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_nvim.client import connection, inbound, opening
from acp_nvim.errors import Code
from acp_nvim.files import disk
from acp_nvim.terminals import service
from tests.conformance.requests.files import Files
from tests.conformance.requests.terminals import Terminals
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import Stage, notices


async def test_terminals_until_one_is_released(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST", 3)
    async with Terminals() as stage:
        await stage.start()
        first, *_ = [await stage.create("sleep 100") for _ in range(3)]
        params = {"sessionId": SESSION, "command": "true"}
        refused = await stage.agent.ask("terminal/create", params, "one more")
        assert refused["error"]["code"] == Code.INTERNAL_ERROR
        assert "3 terminals are open already" in refused["error"]["message"]
        await stage.call("release", terminalId=first)
        assert await stage.create("true")


async def test_requests_until_one_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbound, "MOST_OPEN", 2)
    async with Terminals() as stage:
        await stage.start()
        terminal = await stage.create("sleep 100")
        waits: dict[str, Any] = {"sessionId": SESSION, "terminalId": terminal}
        for number in (1, 2):
            stage.agent.request("terminal/wait_for_exit", waits, f"w{number}")
        refused = await stage.agent.ask("terminal/output", waits, "one more")
        assert "2 requests are open already" in refused["error"]["message"]


async def test_a_sparse_file_of_5_gigabytes(tmp_path: Path) -> None:
    path = tmp_path / "huge"
    path.touch()
    os.truncate(path, 5 << 30)
    async with Files(tmp_path) as stage:
        await stage.start()
        params = {"sessionId": SESSION, "path": str(path)}
        refused = await stage.agent.ask("fs/read_text_file", params)
        assert refused["error"]["code"] == Code.INTERNAL_ERROR
        assert f"more than {disk.LARGEST >> 20} MiB are not read" in refused["error"]["message"]


async def test_answers_that_the_agent_does_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, refused = tmp_path / "file", anyio.Event()
    path.write_text("x" * 800)
    refuse = connection.Connection.refuse

    def refuse_and_tell(self: connection.Connection, *told: Any) -> None:
        refuse(self, *told)
        refused.set()

    async with Files(tmp_path) as stage:
        await stage.start()
        send = stage.agent.link.send

        async def send_late(line: bytes) -> None:
            await refused.wait()
            await send(line)

        monkeypatch.setattr(connection, "MOST_UNREAD", 1_000)
        monkeypatch.setattr(connection.Connection, "refuse", refuse_and_tell)
        monkeypatch.setattr(stage.agent.link, "send", send_late)
        params = {"sessionId": SESSION, "path": str(path)}
        for number in (1, 2):
            stage.agent.request("fs/read_text_file", params, number)
        answers = [await stage.agent.next() for _ in range(2)]
        assert len(answers[0]["result"]["content"]) == 800
        assert answers[1]["error"]["code"] == Code.INTERNAL_ERROR
        assert "1,000 bytes wait for you to read them" in answers[1]["error"]["message"]
        assert await stage.read(path) == "x" * 800


async def test_sessions_until_one_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "MOST_SESSIONS", 2)
    async with Stage() as stage:
        await stage.start()
        second = await stage.start_another("two")
        third = stage.open()
        await stage.until(lambda: third.state.status == "closed")
        assert any("2 sessions of" in it and "close one first" in it for it in notices(third))
        await stage.client.close(second)
        await stage.start_another("three")
