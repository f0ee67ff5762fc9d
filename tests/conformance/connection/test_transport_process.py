"""Obligations C-022 to C-025: the process of an agent, real children of this test."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.session.terminal import ExitStatus
from acp_nvim.transport import group
from tests.support.process_stage import ProcessStage
from tests.support.stage import Stage, notices, texts


async def test_c022_stderr_is_drained(tmp_path: Path) -> None:
    flood = "sys.stderr.write('x' * 5_000_000 + '\\nlast words\\n'); sys.stderr.flush()\nserve()"
    async with ProcessStage(tmp_path, flood) as stage:
        session = await stage.start()
        assert session.state.status == "idle"
        await stage.end()
        assert stage.client.traffic.stderr.endswith("last words")


async def test_c023_stdin_is_closed_first(tmp_path: Path) -> None:
    polite = """
signal.signal(signal.SIGTERM, lambda *_: os._exit(9))
serve()
open("ended", "w").write("by itself")
"""
    async with ProcessStage(tmp_path, polite) as stage:
        await stage.start()
        await stage.end()
        assert (tmp_path / "ended").read_text() == "by itself"
        assert stage.client.exit == ExitStatus(0)


WRAPPER = """
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True: signal.pause()
"""


async def test_c023_the_children_of_a_wrapper_end_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_nvim.client.client.GRACE", 0.1)
    monkeypatch.setattr("acp_nvim.client.connection.DRAIN", 0.1)
    async with ProcessStage(tmp_path, WRAPPER + "serve()") as stage:
        await stage.start()
        await stage.end()
        assert not group.alive(stage.groups[0])


async def test_c023_the_children_of_a_wrapper_that_crashed_end_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_nvim.client.connection.DRAIN", 0.1)
    async with ProcessStage(tmp_path, WRAPPER + "serve(lambda request: os._exit(3))") as stage:
        session = await stage.start()
        stage.prompt(session, "go")
        await stage.until(lambda: stage.over)
        assert stage.client.exit == ExitStatus(3)
        assert not group.alive(stage.groups[0])


async def test_c023_no_process_outlives_a_cancelled_client(tmp_path: Path) -> None:
    async with ProcessStage(tmp_path, WRAPPER + "serve()") as stage:
        await stage.start()  # and nobody ends it: the stage checks what is left


CRASH = """
def crash(request):
    sys.stderr.write("about to\\ncrash, größe\\n")
    sys.stderr.flush()
    os._exit(3)
serve(prompt=crash)
"""


async def test_c024_a_crash_ends_all_that_waits(tmp_path: Path) -> None:
    async with ProcessStage(tmp_path, CRASH) as stage:
        session = await stage.start()
        stage.prompt(session, "go")
        stage.prompt(session, "and then")
        await stage.until(lambda: stage.over)
        assert session.state.status == "closed"
        assert session.state.turn == 1
        assert len(session.state.queue) == 1
        said = notices(session)[-1]
        assert "exit code 3" in said
        assert "about to / crash, größe" in said
        assert stage.announced == ["connected", "disconnected"]


async def test_c024_a_crash_closes_the_open_question() -> None:
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.agent.request_permission()
        await stage.until(lambda: session.state.questions)
        stage.link.exit(None, "SIGSEGV")
        await stage.until(lambda: stage.over)
        assert session.state.questions == ()
        assert stage.questions.pending == ()
        assert "SIGSEGV" in notices(session)[-1]


async def test_c024_an_agent_without_output_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_nvim.client.connection.DRAIN", 0.1)
    mute = "serve(lambda request: (os.close(1), signal.pause()))"
    async with ProcessStage(tmp_path, mute) as stage:
        session = await stage.start()
        stage.prompt(session, "go")
        await stage.until(lambda: session.state.status == "closed")


async def test_c025_output_before_the_exit_is_not_lost(tmp_path: Path) -> None:
    hasty = """
def leave(request):
    end = answer(request, {"stopReason": "end_turn"})
    sys.stdout.write(lines(chunk("x" * 200_000), chunk(" bye"), end))
    sys.stdout.flush()
    os._exit(0)
serve(prompt=leave)
"""
    async with ProcessStage(tmp_path, hasty) as stage:
        session = await stage.start()
        stage.prompt(session, "go")
        await stage.until(lambda: session.state.status == "closed")
        assert texts(session) == ["x" * 200_000 + " bye"]
        assert session.state.stop_reason == "end_turn"
