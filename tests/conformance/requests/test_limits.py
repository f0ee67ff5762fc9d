"""More than a host bears is refused with a sentence that says so; what was before goes on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from acp_nvim.client import connection, inbound, opening, outbox
from acp_nvim.errors import Code
from acp_nvim.files import disk
from acp_nvim.session.event import Event
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


class Deafness:
    """Lets the agent read nothing of what the client sends, until it listens again."""

    def __init__(self, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
        self._send = stage.agent.link.send
        self._listens = anyio.Event()
        monkeypatch.setattr(stage.agent.link, "send", self._send_late)

    def end(self) -> None:
        self._listens.set()

    async def _send_late(self, line: bytes) -> None:
        await self._listens.wait()
        await self._send(line)


async def test_texts_wait_until_the_agent_reads_those_before_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_text("x" * 800)
    monkeypatch.setattr(outbox, "MOST_BYTES", 500)
    async with Files(tmp_path) as stage:
        await stage.start()
        deaf = Deafness(stage, monkeypatch)
        params = {"sessionId": SESSION, "path": str(path)}
        sizes: list[int] = []
        put = outbox.Outbox.put

        def noted(self: outbox.Outbox, line: bytes, *, first: bool) -> None:
            put(self, line, first=first)
            sizes.append(self.size)

        monkeypatch.setattr(outbox.Outbox, "put", noted)
        for number in range(12):
            stage.agent.request("fs/read_text_file", params, number)
        await anyio.wait_all_tasks_blocked()
        assert len(sizes) == 1 and sizes[0] < 1_000
        deaf.end()
        answers = [await stage.agent.next() for _ in range(12)]
        assert all(len(it["result"]["content"]) == 800 for it in answers)
        assert max(sizes) < 1_000


@pytest.mark.parametrize("method", ["_vendor/method", "fs/write_text_file", "fs/read_text_file"])
async def test_cancel_goes_before_answers_and_nothing_is_read_while_they_wait(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MOST_LINES", 10)
    async with Files(tmp_path) as stage:
        session = await stage.start()
        await stage.turn(session)
        deaf = Deafness(stage, monkeypatch)
        params = {"sessionId": SESSION, "path": "/etc/passwd", "content": "x"}
        for number in range(3_000):
            stage.agent.request(method, params, number)
        await anyio.wait_all_tasks_blocked()
        waits = stage.link._to_client[0].statistics().current_buffer_used
        assert waits > 2_000, "the client has read on"
        stage.client.cancel(session)
        deaf.end()
        early = [await stage.agent.next() for _ in range(3)]
        assert "session/cancel" in [it.get("method") for it in early]
        answered = sum("error" in it for it in early)
        for _ in range(3_000 - answered):
            assert "error" in await stage.agent.next()


async def test_others_have_their_turn_after_a_few_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one leads to takes longer than an update: a question is drawn, a program begins."""
    passes = [0]
    put = outbox.Outbox.put

    def counted(self: outbox.Outbox, line: bytes, *, first: bool) -> None:
        passes[-1] += 1
        put(self, line, first=first)

    async with Stage() as stage:
        await stage.start()
        monkeypatch.setattr(outbox.Outbox, "put", counted)
        calls = [{"jsonrpc": "2.0", "id": it, "method": "_vendor/method"} for it in range(500)]
        stage.agent.write("".join(f"{json.dumps(it)}\n" for it in calls).encode())
        while sum(passes) < 500:
            passes.append(0)
            await anyio.lowlevel.checkpoint()
    assert max(passes) <= 2


async def test_others_have_their_turn_after_a_few_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cancel comes some passes of the loop behind the key, and each waits for what is read."""
    passes = [0]
    async with Stage() as stage:
        session = await stage.start()
        apply = session.apply

        def counted(*events: Event) -> None:
            passes[-1] += 1
            apply(*events)

        monkeypatch.setattr(session, "apply", counted)
        update = {"sessionUpdate": "tool_call", "title": "one"}
        updates = [{**update, "toolCallId": f"{it}"} for it in range(500)]
        params = [{"sessionId": SESSION, "update": it} for it in updates]
        said = [{"jsonrpc": "2.0", "method": "session/update", "params": it} for it in params]
        stage.agent.write("".join(f"{json.dumps(it)}\n" for it in said).encode())
        while sum(passes) < 500:
            passes.append(0)
            await anyio.lowlevel.checkpoint()
    assert max(passes) <= 10


async def test_an_agent_that_asks_and_reads_nothing_is_ended_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MOST_LINES", 10)
    monkeypatch.setattr(connection, "DEAF", 0.01)
    async with Files(tmp_path) as stage:
        session = await stage.start()
        Deafness(stage, monkeypatch)
        for number in range(100):
            stage.agent.request("_vendor/method", {}, number)
        await stage.until(lambda: session.state.status == "closed")
        assert stage.link.killed
        assert any("reads none of its answers" in it for it in notices(session))


async def test_a_request_that_holds_too_much_with_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbound, "MOST_HELD", 1_000)
    async with Terminals() as stage:
        await stage.start()
        terminal = await stage.create("sleep 100")
        waits: dict[str, Any] = {"sessionId": SESSION, "terminalId": terminal, "_meta": "x" * 600}
        stage.agent.request("terminal/wait_for_exit", waits, "first")
        refused = await stage.agent.ask("terminal/wait_for_exit", waits, "second")
        assert "wait for an answer first" in refused["error"]["message"]


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
