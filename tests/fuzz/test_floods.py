"""Floods of an agent that reads nothing: what waits for it has a bound, and a cancel goes first.

`python -m tests.fuzz.floods` plays them for as long as wanted, with a real Neovim.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_nvim.client import inbound, outbox
from acp_nvim.client.connection import AT_ONCE
from acp_nvim.client.outbox import MOST_BYTES, Outbox
from tests.faults.whole_app import CHAT, WholeApp
from tests.fuzz.flooding_agent import ENDLESS, FLOODS, LARGE_ONES
from tests.fuzz.flooding_agent import SESSION as FLOODED
from tests.fuzz.play import draw
from tests.support.stage import Stage, texts

LINES = 30
"""Answers that may wait, and requests that may be open: few, so that a test is short."""


@pytest.mark.parametrize("name", [it for it in FLOODS if it not in ENDLESS])
async def test_a_flood_has_a_bound_and_a_cancel_goes_first(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    flood, count = FLOODS[name], 3 if name in LARGE_ONES else 300
    most = _Most()
    monkeypatch.setattr(Outbox, "put", most.put)
    monkeypatch.setattr(outbox, "MOST_LINES", LINES)
    monkeypatch.setattr(inbound, "MOST_OPEN", LINES)
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.chdir(folder)
        async with Stage(Path(folder).resolve()) as stage:
            session = await stage.start(FLOODED)
            await stage.turn(session)
            listens = anyio.Event()
            send = stage.link.send

            async def send_late(line: bytes) -> None:
                await listens.wait()
                await send(line)

            monkeypatch.setattr(stage.link, "send", send_late)
            stage.agent.write(b"".join(f"{flood(it)}\n".encode() for it in range(count)))
            await anyio.wait_all_tasks_blocked()
            stage.client.cancel(session)
            listens.set()
            is_cancel = [b'"session/cancel"' in (await stage.link.read())[:100]]
            if not is_cancel[0]:  # one answer was on its way
                is_cancel.append(b'"session/cancel"' in (await stage.link.read())[:100])
            assert is_cancel[-1]
            stage.agent.say("behind it", FLOODED)
            reading = _Reading(stage)
            stage.tasks.start_soon(reading.run)
            await stage.until(lambda: "".join(texts(session)).endswith("behind it"))
            reading.scope.cancel()
            draw(session)
    assert most.lines <= 2 * LINES + AT_ONCE + 1
    assert most.size < MOST_BYTES + 40_000_000


async def test_a_cancel_leaves_before_many_questions_end() -> None:
    count = 200
    async with WholeApp() as app:
        await app.open()
        prompt = {"chat": CHAT, "text": "go", "selections": [], "bang": False}
        await app.ask("prompt", prompt)
        await app.agent.expect("session/prompt")
        for number in range(count):
            call = {"toolCallId": f"p{number}", "title": f"rm {number}"}
            app.agent.request_permission(number, toolCall=call)
        await app.until(lambda: len(app.session.state.questions) == count)
        link, send = app.links[-1], app.links[-1].send
        open_then: list[int] = []

        async def noted(line: bytes) -> None:
            if b'"session/cancel"' in line[:100]:
                open_then.append(len(app.session.state.questions))
            await send(line)

        link.send = noted  # type: ignore[method-assign]
        app.client.cancel(app.session)
        await app.until(lambda: not app.session.state.questions)
        assert open_then == [count]


class _Most:
    """What has waited at most."""

    def __init__(self) -> None:
        self.lines = self.size = 0
        self.put = self._noted(Outbox.put)

    def _noted(self, put: Any) -> Any:
        def noted(outbox: Outbox, line: bytes, *, first: bool) -> None:
            put(outbox, line, first=first)
            self.lines = max(self.lines, outbox.waiting)
            self.size = max(self.size, outbox.size)

        return noted


class _Reading:
    """Reads all that the client sends, and nothing of what it says."""

    def __init__(self, stage: Stage) -> None:
        self._link = stage.link
        self.scope = anyio.CancelScope()

    async def run(self) -> None:
        with self.scope:
            while await self._link.read():
                pass
