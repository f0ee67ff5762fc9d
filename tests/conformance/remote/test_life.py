"""A server of Streamable HTTP that says nothing: stopped, or only at work."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from acp_nvim.transport import http, life
from tests.conformance.remote.test_http import HttpStage
from tests.support.agents.http_wire import HttpWire
from tests.support.stage import SESSION, notices

COMMENT = b"4\r\n: a\n\r\n"


def lulls(session: Any) -> list[str]:
    return [it for it in notices(session) if "no sign of life" in it or "there again" in it]


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(life, "LULL", 0.3)
    monkeypatch.setattr(life, "SILENCE", 60.0)


async def awake(wire: HttpWire, *, times: int = 2, names: tuple[str, ...] = ("", SESSION)) -> None:
    """Send comments on both streams, as a server does that keeps them awake."""
    for name in names:
        await wire.opened(name)
        for _ in range(times):
            await wire.streams[name].send(COMMENT)


async def test_a_server_that_was_awake_and_says_nothing_is_told_once_and_when_it_is_back() -> None:
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        request = await stage.turn(session)
        await awake(wire)
        await stage.until(lambda: lulls(session))
        assert ":Acp restart scripted" in lulls(session)[0]
        assert session.state.status == "running"
        await wire.streams[SESSION].send(COMMENT)
        await stage.until(lambda: len(lulls(session)) == 2)
        assert lulls(session)[1] == "scripted is there again"
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason == "end_turn")
        await stage.end()


async def test_a_server_that_stays_silent_is_a_lost_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        await stage.turn(session)
        monkeypatch.setattr(life, "SILENCE", 0.6)
        await awake(wire)
        await stage.until(lambda: stage.over)
        assert "is lost (nothing came for" in notices(session)[-1]
        assert stage.client.left == (session,)


async def test_a_server_without_comments_is_asked_and_lives() -> None:
    async with HttpWire() as wire, HttpStage(wire) as stage:
        asked = anyio.Event()

        def judge(method: str, _headers: Any, _message: Any) -> Any:
            if method != "OPTIONS":
                return None
            asked.set()
            return 405, {}, b""

        wire.judge = judge
        session = await stage.start()
        request = await stage.turn(session)
        with anyio.fail_after(30):
            await asked.wait()
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason == "end_turn")
        assert lulls(session) == []
        await stage.end()


async def test_a_server_without_comments_that_does_not_answer_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http, "PATIENCE", 0.5)
    async with HttpWire() as wire, HttpStage(wire) as stage:
        session = await stage.start()
        request = await stage.turn(session)
        wire.deaf = anyio.Event()
        await stage.until(lambda: lulls(session))
        assert session.state.status == "running"
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason == "end_turn")
        await stage.until(lambda: len(lulls(session)) == 2)
        wire.deaf.set()
        await stage.end()


@pytest.mark.parametrize(("times", "names"), [(1, ("", SESSION)), (3, (SESSION,))])
async def test_a_server_that_does_not_keep_all_streams_awake_may_be_silent(
    monkeypatch: pytest.MonkeyPatch, times: int, names: tuple[str, ...]
) -> None:
    asked = []
    async with HttpWire() as wire, HttpStage(wire) as stage:

        def judge(method: str, _headers: Any, _message: Any) -> Any:
            asked.extend([method] if method == "OPTIONS" else ())

        wire.judge = judge
        session = await stage.start()
        request = await stage.turn(session)
        monkeypatch.setattr(life, "SILENCE", 0.2 if times == 1 else 60.0)
        await awake(wire, times=times, names=names)
        with anyio.fail_after(30):
            while len(asked) < 2:  # noqa: ASYNC110
                await anyio.sleep(0.01)
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason == "end_turn")
        assert lulls(session) == []
        await stage.end()
