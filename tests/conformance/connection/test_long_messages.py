"""What is long is understood beside the loop: the user gets through, and nothing overtakes it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from acp_nvim.client.connection import LONG
from acp_nvim.protocol.v1.dialect import V1
from tests.conformance.connection.burst import burst
from tests.support.agents.scripted_agent import PATIENCE, SESSION
from tests.support.fakes.fake_ports import FakeFiles
from tests.support.stage import Stage, texts

MUCH = "x" * LONG
SMALL = [{"content": "one", "status": "pending", "priority": "low"}]


class Held:
    """What the dialect makes of one kind of message waits until the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch
        self._goes_on = threading.Event()
        self.threads: list[threading.Thread] = []

    def hold(self, name: str) -> None:
        real: Callable[..., Any] = getattr(V1, name)

        def held(*arguments: Any) -> Any:
            self.threads.append(threading.current_thread())
            if MUCH in repr(arguments):
                assert self._goes_on.wait(PATIENCE)
            return real(*arguments)

        self._patch.setattr(V1, name, held)

    async def begun(self) -> None:
        with anyio.fail_after(PATIENCE):
            while not self.threads:
                await checkpoint()

    def release(self) -> None:
        self._goes_on.set()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    held = Held(monkeypatch)
    yield held
    held.release()


async def test_a_cancel_gets_through_while_an_update_is_understood(held: Held):
    async with Stage() as stage:
        session = await stage.start()
        prompt = await stage.turn(session)
        held.hold("decode_notification")
        with burst(stage.agent):
            stage.agent.update("plan", entries=[*SMALL, {"content": MUCH}])
            stage.agent.say("after it")
        await held.begun()
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        assert session.state.plan is None
        assert texts(session) == []
        held.release()
        await stage.until(lambda: texts(session) == ["after it"])
        assert session.state.plan is not None
        assert len(session.state.plan.entries) == 2
        stage.agent.reply(prompt, {"stopReason": "cancelled"})
        await stage.until(lambda: session.state.status == "idle")


async def test_a_small_update_is_understood_at_once(held: Held):
    async with Stage() as stage:
        session = await stage.start()
        held.hold("decode_notification")
        stage.agent.say("word")
        stage.agent.update("plan", entries=SMALL)
        await stage.until(lambda: session.state.plan is not None)
        assert texts(session) == ["word"]
        stage.agent.say(MUCH, messageId="m")
        held.release()
        await stage.until(lambda: len(texts(session)) == 2)
        here = threading.current_thread()
        assert [it is here for it in held.threads] == [True, False]


async def test_a_request_is_understood_beside_the_loop_and_answered_once(held: Held):
    stage = Stage()
    stage.files = FakeFiles()
    async with stage:
        session = await stage.start()
        held.hold("decode_request")
        asked = {"sessionId": SESSION, "path": "relative", "content": MUCH}
        with burst(stage.agent):
            stage.agent.request("fs/write_text_file", asked, 1)
            stage.agent.say("after it")
        await held.begun()
        stage.prompt(session, "go")
        await stage.agent.expect("session/prompt")
        assert texts(session) == []
        held.release()
        assert "absolute" in (await stage.agent.answer_to(1))["error"]["message"]
        await stage.until(lambda: texts(session) == ["after it"])
        await stage.agent.quiet()


async def test_an_answer_is_understood_beside_the_loop_in_its_order(held: Held):
    async with Stage() as stage:
        held.hold("decode_session")
        session = stage.launch()
        await stage.agent.initialize()
        asked = await stage.agent.expect("session/new")
        modes = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": MUCH}]}
        with burst(stage.agent):
            stage.agent.update("agent_message_chunk", content={"type": "text", "text": "early"})
            stage.agent.reply(asked, {"sessionId": SESSION, "modes": modes})
            stage.agent.say(" and late")
        other = stage.open()
        await held.begun()
        assert session.state.status == other.state.status == "loading"
        held.release()
        await stage.until(lambda: texts(session) == ["early and late"])
        assert session.state.mode == "ask"
        await stage.agent.open("second")
        await stage.until(lambda: other.state.status == "idle")


async def test_what_cannot_be_understood_is_still_the_answers_own_error(held: Held):
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize()
        asked = await stage.agent.expect("session/new")
        stage.agent.reply(asked, {"modes": MUCH})
        await stage.until(lambda: session.state.status == "closed")
        assert stage.faults == []


async def test_an_agent_that_is_gone_is_still_understood(held: Held):
    async with Stage() as stage:
        session = await stage.start()
        held.hold("decode_notification")
        stage.agent.say(MUCH)
        await held.begun()
        stage.link.exit()
        held.release()
        await stage.until(lambda: stage.over)
        assert texts(session) == [MUCH]


async def test_many_messages_at_once_leave_turns_to_others():
    turns, seen = [], []

    async def others() -> None:
        while True:
            await checkpoint()
            turns.append(None)

    async with Stage() as stage:
        session = await stage.start()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(others)
            with burst(stage.agent):
                for number in range(500):
                    stage.agent.say(f"{number} ")
            listen = session.apply

            def apply(*events: Any) -> None:
                seen.append(len(turns))
                listen(*events)

            session.apply = apply  # type: ignore[method-assign]
            await stage.until(lambda: texts(session)[-1:] and "499" in texts(session)[0])
            tasks.cancel_scope.cancel()
        assert len(set(seen)) > 10
