"""Both official servers, over WebSockets and HTTP: C-335 to C-342 as those who wrote them do it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.client.session import Session
from tests.support.peers.peer import KINDS, PeerServer
from tests.support.remote_stage import RemoteStage
from tests.support.stage import texts


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PeerServer]:
    """Yield each of the servers."""
    (tmp_path / "work").mkdir()
    with PeerServer(request.param, tmp_path) as running:
        yield running


async def opened(stage: RemoteStage, session: Session) -> Session:
    await stage.until(lambda: session.state.status != "loading")
    assert session.state.status == "idle", stage.client.error
    return session


async def turn(
    stage: RemoteStage, session: Session, text: str, until: Callable[[], Any] | None = None
) -> str:
    """Prompt, wait for the end of the turn, and return what the agent said in it."""
    number = session.state.turn
    stage.prompt(session, text)
    over = until or (lambda: session.state.turn > number and session.state.status == "idle")
    await stage.until(over)
    return session.state.said


@pytest.mark.parametrize("scheme", ["ws", "http"])
async def test_the_main_job(server: PeerServer, scheme: str, tmp_path: Path):
    work = (tmp_path / "work").resolve()
    async with RemoteStage(server.url(scheme), cwd=work, read_files=True) as stage:
        session = await opened(stage, stage.launch())
        expected = "".join(f"{number} " for number in range(10_000))
        assert await turn(stage, session, "stream:10000") == expected
        await turn(stage, session, "ask:", lambda: session.state.questions)
        stage.choose(session.state.questions[0].id, "y")
        await stage.until(lambda: session.state.status == "idle")
        assert session.state.said == "answer y"
        (work / "a.txt").write_text("saved\n", encoding="utf-8")
        stage.files.open(work / "a.txt", "unsaved")  # type: ignore[attr-defined]
        assert await turn(stage, session, f"read:{work}/a.txt") == "read unsaved\n"
        await turn(stage, session, "slow:10000", lambda: "tick" in session.state.said)
        stage.client.cancel(session)
        await stage.until(lambda: session.state.status == "idle")
        assert session.state.stop_reason == "cancelled"
        assert stage.client.ready is not None
        listed = await stage.client.ready.listing.all(str(work))
        assert [it.id for it in listed] == [session.id]
        other = await opened(stage, stage.open())
        assert await turn(stage, other, "say:here, too") == "here, too"
        await stage.end()


@pytest.mark.parametrize("scheme", ["ws", "http"])
async def test_c339_a_session_is_loaded_and_goes_on(
    server: PeerServer, scheme: str, tmp_path: Path
):
    work = (tmp_path / "work").resolve()
    async with RemoteStage(server.url(scheme), cwd=work) as stage:
        session = await opened(stage, stage.launch())
        await turn(stage, session, "say:hello")
        session_id = session.id or ""
        server.kill()
        await stage.until(lambda: stage.over)
        assert stage.client.left == (session,)
    server.start()
    async with RemoteStage(server.url(scheme), cwd=work) as stage:
        stage.tasks.start_soon(stage._run)
        session = await opened(stage, stage.reopen(session_id))
        assert (texts(session, "user"), texts(session)) == (["say:hello"], ["hello"])
        assert await turn(stage, session, "say:again") == "again"
        await turn(stage, session, "ask:", lambda: session.state.questions)
        stage.choose(session.state.questions[0].id, "n")
        await stage.until(lambda: session.state.status == "idle")
        assert session.state.said == "answer n"
        await stage.end()
