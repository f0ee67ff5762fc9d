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
from tests.fuzz.flooding_agent import FLOODS, LARGE_ONES
from tests.fuzz.flooding_agent import SESSION as FLOODED
from tests.fuzz.play import draw
from tests.support.stage import Stage, texts

LINES = 30
"""Answers that may wait, and requests that may be open: few, so that a test is short."""


@pytest.mark.parametrize("name", FLOODS)
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
            await stage.until(lambda: texts(session)[-1:] == ["behind it"])
            reading.scope.cancel()
            draw(session)
    assert most.lines <= 2 * LINES + AT_ONCE + 1
    assert most.size < MOST_BYTES + 40_000_000


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
