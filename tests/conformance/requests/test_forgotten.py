"""What an agent was served is in no memory when the agent is stopped, or its chat is gone."""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from acp_nvim.commands import agent, viewing
from acp_nvim.commands.sessions import deeds
from acp_nvim.view.lists.sessions import Row
from tests.conformance.connection.logins import CHAT, LoginStage
from tests.support.agents.scripted_agent import SESSION
from tests.support.fakes.fake_ports import FakeFiles

MARK = "the only text of its kind, " * 3


def holders() -> Iterator[str]:
    """Yield what holds the text, in any form."""
    gc.collect()
    for holder in gc.get_objects():
        for held in gc.get_referents(holder):
            found = isinstance(held, str | bytes | bytearray) and (
                MARK in held if isinstance(held, str) else MARK.encode() in held
            )
            if found and held is not MARK and held is not __doc__:
                yield f"{type(holder).__module__}.{type(holder).__name__}: {holder!r}"[:300]


async def stop(stage: LoginStage) -> None:
    await agent.stop(stage.host, bang=False, agent="scripted")


async def wipe(stage: LoginStage) -> None:
    ended = viewing.chat_wiped(stage.host, CHAT)
    assert ended is not None
    await ended


async def close(stage: LoginStage) -> None:
    row = cast(Row, SimpleNamespace(chat=CHAT, sub=SimpleNamespace(parent="")))
    await deeds.DEEDS["close"](stage.host, row, "")


@pytest.mark.parametrize("end", [stop, wipe, close])
async def test_nothing_of_an_unsaved_text_is_kept(
    tmp_path: Path, end: Callable[[LoginStage], Awaitable[None]]
):
    path = tmp_path.resolve() / "a.txt"
    path.write_text("on disk\n")
    async with LoginStage(cwd=tmp_path.resolve()) as stage:
        files = stage.host.editor.files
        assert isinstance(files, FakeFiles)
        files.open(path, MARK + "!")
        await stage.opened([])
        asked = {"sessionId": SESSION, "path": str(path)}
        served = await stage.agent.ask("fs/read_text_file", asked)
        assert MARK in served["result"]["content"]
        assert list(holders())
        await end(stage)
        files.buffers.clear()
        stage.agent.received.clear()
        stage.agent.raw.clear()
        stage.client.traffic.flush()
        del served
        assert list(holders()) == []
