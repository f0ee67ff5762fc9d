"""C-343, C-345, C-346: a connection that is lost and comes back; what is said of a new host."""

from __future__ import annotations

from pathlib import Path

import pytest
from anyio import wait_all_tasks_blocked

from acp_nvim.session.model import PermissionQuestion
from acp_nvim.session.request import PermissionAnswer
from tests.support.agents.scripted_agent import SESSION
from tests.support.agents.socket_wire import SocketWire
from tests.support.outage_stage import LOADS, OutageStage
from tests.support.stage import notices, texts


async def test_c343_the_session_is_loaded_when_the_server_is_back():
    async with SocketWire() as wire, OutageStage(wire) as stage:
        session = await stage.opened()
        await wire.stop()
        await stage.until(lambda: session.state.status == "loading")
        lost = "the connection to far is lost (it broke off): it is tried again, :Acp restart far"
        assert notices(session)[-1].startswith(lost)
        await stage.slept(1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0)
        await stage.until(lambda: stage.pauses)
        said = notices(session)
        await wire.listen()
        await stage.slept(30.0)
        await stage.loaded("as before")
        await stage.until(lambda: session.state.status == "idle")
        assert texts(session) == ["as before"]
        assert len(said) == 1, "each attempt was told"
        assert stage.client.state == "ready" and session.id == SESSION
        stage.prompt("go on")
        prompt = await stage.agent.expect("session/prompt")
        stage.agent.reply(prompt, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.status == "idle")


async def test_c343_what_is_said_meanwhile_waits():
    async with SocketWire() as wire, OutageStage(wire) as stage:
        session = await stage.opened()
        wire.connections[0].transport.abort()
        await stage.until(lambda: session.state.status == "loading")
        stage.prompt("when you are back")
        assert len(session.state.queue) == 1
        await stage.slept(1.0)
        await stage.loaded("as before")
        prompt = await stage.agent.expect("session/prompt")
        assert prompt["params"]["prompt"][0]["text"] == "when you are back"


@pytest.mark.parametrize(("option", "sent"), [("again", True), ("leave", False)])
async def test_c343_a_prompt_that_may_have_run_is_sent_by_the_user_only(option: str, *, sent: bool):
    async with SocketWire() as wire, OutageStage(wire) as stage:
        session = await stage.opened()
        stage.prompt("dig")
        await stage.agent.expect("session/prompt")
        wire.connections[0].transport.abort()
        await stage.slept(1.0)
        await stage.loaded("I dug half")
        await stage.until(lambda: session.state.questions)
        question = session.state.questions[0]
        assert isinstance(question, PermissionQuestion)
        about = question.subject
        assert about is not None and about.title.startswith(
            "The connection broke while this prompt"
        )
        await stage.agent.quiet()
        stage.host.questions.answer(question.id, PermissionAnswer(option))
        if sent:
            prompt = await stage.agent.expect("session/prompt")
            assert prompt["params"]["prompt"] == [{"type": "text", "text": "dig"}]
        await stage.agent.quiet()


async def test_c343_nobody_is_asked_where_the_agent_is_still_at_work():
    async with SocketWire() as wire, OutageStage(wire, protocol=2) as stage:
        session = await stage.opened()
        stage.prompt("dig")
        stage.agent.reply(await stage.agent.expect("session/prompt"), {"messageId": "u"})
        stage.agent.update("state_update", state="running")
        wire.connections[0].transport.abort()
        await stage.until(lambda: session.state.status == "loading")
        stage.prompt("and then")
        await stage.slept(1.0)
        await stage.agent.initialize_2()
        request = await stage.agent.expect("session/resume")
        content = [{"type": "text", "text": "dig"}]
        stage.agent.update("user_message", messageId="u", content=content)
        stage.agent.update("state_update", state="running")
        stage.agent.reply(request, {})
        await stage.until(lambda: session.state.status == "running")
        await stage.agent.quiet()
        assert not session.state.questions
        stage.agent.update("state_update", state="idle", stopReason="end_turn")
        prompt = await stage.agent.expect("session/prompt")
        assert prompt["params"]["prompt"] == [{"type": "text", "text": "and then"}]


async def test_c343_restart_tries_at_once():
    async with SocketWire() as wire, OutageStage(wire) as stage:
        session = await stage.opened()
        wire.connections[0].transport.abort()
        await stage.until(lambda: stage.pauses == [1.0])
        await stage.restart()
        await stage.loaded("as before")
        await stage.until(lambda: session.state.status == "idle")
        await stage.slept(1.0)
        await stage.agent.quiet()
        assert len(stage.host.workspace.clients) == 1


async def test_c343_restart_while_it_is_loaded_loads_it_anew():
    async with SocketWire() as wire, OutageStage(wire) as stage:
        session = await stage.opened()
        wire.connections[0].transport.abort()
        await stage.slept(1.0)
        await stage.agent.initialize(**LOADS)
        await stage.agent.expect("session/load")
        stage.host.tasks.start_soon(stage.restart)
        await stage.loaded("as before")
        await stage.until(lambda: session.state.status == "idle")
        assert texts(session) == ["as before"]


async def test_c343_one_in_which_nothing_was_said_begins_anew_where_it_is_not_known():
    async with SocketWire() as wire, OutageStage(wire) as stage:
        session = await stage.opened()
        wire.connections[0].transport.abort()
        await stage.slept(1.0)
        await stage.agent.initialize(**LOADS)
        load = await stage.agent.expect("session/load")
        stage.agent.refuse(load, -32002, "Session not found")
        await stage.agent.open("another")
        await stage.until(lambda: session.state.status == "idle")
        assert session.id == "another"
        assert notices(session)[-1] == "far no longer knows this session: this one starts anew"


async def test_c343_stop_ends_it():
    async with SocketWire() as wire, OutageStage(wire) as stage:
        session = await stage.opened()
        await wire.stop()
        await stage.slept(1.0)
        await stage.until(lambda: stage.pauses == [2.0])
        await stage.stop()
        assert session.state.status == "closed"
        await wire.listen()
        await stage.slept(2.0)
        assert not wire.requests[1:]


async def test_a_stop_ends_it_when_an_attempt_was_lost_too():
    async with SocketWire() as wire, OutageStage(wire) as stage:
        session = await stage.opened()
        wire.connections[-1].transport.abort()
        await stage.slept(1.0)
        await stage.agent.expect("initialize")
        wire.connections[-1].transport.abort()
        await stage.until(lambda: stage.pauses)
        assert session.state.status == "loading"
        await stage.stop()
        assert session.state.status == "closed"


async def test_c343_credentials_that_hold_no_more_end_it():
    async with SocketWire() as wire, OutageStage(wire) as stage:
        session = await stage.opened()
        wire.refusal = (401, {}, b"")
        wire.connections[0].transport.abort()
        await stage.slept(1.0)
        await stage.until(lambda: session.state.status == "closed")
        assert "it does not let us in; check agents.far.headers" in notices(session)[-1]
        assert not stage.pauses


async def test_c343_it_may_be_lost_again():
    async with SocketWire() as wire, OutageStage(wire) as stage:
        session = await stage.opened()
        for count in range(1, 3):
            wire.connections[-1].transport.abort()
            await stage.slept(1.0)
            await stage.loaded(f"load {count}")
            await stage.until(lambda: session.state.status == "idle")
            assert texts(session) == [f"load {count}"]


async def test_c343_one_that_is_lost_before_it_has_a_session_is_asked_ever_less_often():
    async with SocketWire() as wire, OutageStage(wire) as stage:
        session = await stage.opened()
        wire.connections[-1].transport.abort()
        for pause in (1.0, 2.0, 4.0):
            await stage.slept(pause)
            await stage.agent.initialize(**LOADS)
            await stage.agent.expect("session/load")
            wire.connections[-1].transport.abort()
        await stage.slept(8.0)
        await stage.loaded("as before")
        await stage.until(lambda: session.state.status == "idle")
        wire.connections[-1].transport.abort()
        await stage.slept(1.0)


async def test_c345_a_server_that_says_what_it_was_sent_is_not_repeated():
    async with SocketWire() as wire, OutageStage(wire) as stage:
        session = await stage.opened()
        await wire.connections[0].close(1008, "'token 1', /acp?key=3fe1-of-query\nis stale")
        await stage.until(lambda: session.state.status == "loading")
        (said,) = notices(session)
        assert "token 1" not in said and "3fe1" not in said
        assert "is stale): it is tried again" in said
        assert "\n" not in said


async def test_an_agent_that_was_never_reached_is_not_tried_again():
    async with SocketWire() as wire, OutageStage(wire) as stage:
        wire.refusal = (502, {}, b"")
        session = stage.begin()
        await stage.until(lambda: session.state.status == "closed")
        await wait_all_tasks_blocked()
        assert not stage.pauses and len(wire.requests) == 1


async def test_c345_headers_are_fetched_for_each_connection():
    async with SocketWire() as wire, OutageStage(wire) as stage:
        await stage.opened()
        wire.connections[0].transport.abort()
        await stage.slept(1.0)
        await stage.loaded()
        sent = [request.headers["Authorization"] for request in wire.requests]
        assert sent == ["token 1", "token 2"]
        assert not [it for it in Path(stage.folder).glob("**/*") if _holds(it, "token")]


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and text in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "it is sent your prompts and touches no file of yours by us"),
        ({"fs": True, "terminal": True}, "may read and write files and run commands in your"),
    ],
)
async def test_c346_a_new_host_is_told_once(options: dict[str, bool], sentence: str):
    async with SocketWire() as wire, OutageStage(wire, **options) as stage:
        await stage.opened()
        place = f"far is at ws://localhost:{wire.port}, new to you: "
        told = [text for text in stage.notifier.notices if text.startswith(place)]
        assert len(told) == 1 and sentence in told[0]
        wire.connections[0].transport.abort()
        await stage.slept(1.0)
        await stage.loaded()
        await stage.until(lambda: stage.client.state == "ready")
        assert len([text for text in stage.notifier.notices if text.startswith(place)]) == 1
