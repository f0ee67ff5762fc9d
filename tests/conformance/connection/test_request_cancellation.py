"""C-151 to C-155: `$/cancel_request` in both directions, and one answer to each question."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from acp_nvim.editor import LiveBuffer
from tests.conformance.connection.burst import burst
from tests.conformance.requests.asking import CANCELLED, asked, selected
from tests.support.agents.scripted_agent import SESSION
from tests.support.fakes.fake_ports import FakeFiles
from tests.support.stage import PROJECT, Stage


class SlowFiles(FakeFiles):
    """An editor that never answers."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = anyio.Event()

    async def loaded(self, path: str) -> LiveBuffer | None:
        self.asked.set()
        await anyio.sleep_forever()
        return None


async def test_c151_a_permission_is_cancelled_by_the_agent():
    async with Stage() as stage:
        session = await stage.start()
        await asked(stage, session, 1, "one")
        question = session.state.questions[0]
        stage.agent.notify("$/cancel_request", {"requestId": 1})
        assert (await stage.agent.answer_to(1))["error"]["code"] == -32800
        assert [question.tool_call_id for question in session.state.questions] == ["call-one"]
        assert not stage.choose(question.id, "yes")
        await stage.agent.quiet()


async def test_c151_a_request_is_cancelled_before_it_was_begun():
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        with burst(stage.agent):
            stage.agent.request_permission("p")
            stage.agent.notify("$/cancel_request", {"requestId": "p"})
        assert (await stage.agent.answer_to("p"))["error"]["code"] == -32800
        assert session.state.questions == stage.questions.pending == ()
        await stage.agent.quiet()


async def test_c151_a_file_request_is_cancelled():
    stage, files = Stage(), SlowFiles()
    stage.files = files
    async with stage:
        await stage.start()
        params = {"sessionId": SESSION, "path": f"{PROJECT}/a"}
        stage.agent.request("fs/read_text_file", params, 5)
        await files.asked.wait()
        stage.agent.notify("$/cancel_request", {"requestId": 5})
        assert (await stage.agent.answer_to(5))["error"]["code"] == -32800
        await stage.agent.quiet()


async def test_c152_closing_a_session_answers_its_questions():
    async with Stage() as stage:
        session = await stage.start()
        await asked(stage, session, 1)
        await stage.client.close(session)
        assert (await stage.agent.answer_to(1))["result"] == CANCELLED
        await stage.agent.expect("session/cancel")
        await stage.agent.quiet()
        assert stage.questions.pending == ()


@pytest.mark.parametrize("request_id", ["never asked", 1, None, [], {}])
async def test_c153_a_late_or_unknown_cancel_request_is_ignored(request_id: Any):
    async with Stage() as stage:
        session = await stage.start()
        await asked(stage, session, 1)
        stage.choose(session.state.questions[0].id, "yes")
        await stage.agent.answer_to(1)
        stage.agent.notify("$/cancel_request", {"requestId": request_id})
        stage.agent.notify("$/cancel_request", {})
        await stage.agent.quiet()


@pytest.mark.parametrize("answer", ["result", "error", "none"])
async def test_c154_a_request_of_ours_is_cancelled(answer: str):
    async with Stage() as stage:
        session = await stage.start(agentCapabilities={"loadSession": True})
        await stage.client.close(session)
        scope = anyio.CancelScope()

        async def reopen() -> None:
            with scope:
                await stage.client.reopen(session, SESSION)

        stage.tasks.start_soon(reopen)
        load = await stage.agent.expect("session/load")
        scope.cancel()
        cancel = await stage.agent.expect("$/cancel_request")
        assert cancel["params"] == {"requestId": load["id"]} and "id" not in cancel
        if answer == "result":
            stage.agent.reply(load, {})
        elif answer == "error":
            stage.agent.refuse(load, -32800, "cancelled")
        await stage.agent.quiet()
        await stage.start_another("fresh")


@pytest.mark.parametrize("user_first", [True, False])
async def test_c155_cancel_and_answer_in_the_same_tick(user_first: bool):
    async with Stage() as stage:
        session = await stage.start()
        await asked(stage, session, 1)
        question = session.state.questions[0]
        if user_first:
            assert stage.choose(question.id, "yes")
            stage.client.cancel(session)
        else:
            stage.client.cancel(session)
            assert not stage.choose(question.id, "yes")
        answer = await stage.agent.answer_to(1)
        assert answer["result"] == (selected("yes") if user_first else CANCELLED)
        await stage.agent.expect("session/cancel")
        await stage.agent.quiet()


async def test_c155_a_cancel_request_and_an_answer_in_the_same_tick():
    async with Stage() as stage:
        session = await stage.start()
        await asked(stage, session, 1)
        stage.choose(session.state.questions[0].id, "yes")
        stage.agent.notify("$/cancel_request", {"requestId": 1})
        await stage.agent.answer_to(1)
        await stage.agent.quiet()
        assert session.state.questions == ()
