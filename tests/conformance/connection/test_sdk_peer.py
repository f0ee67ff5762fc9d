"""A peer that is not ours: an agent made with the official SDK, over stdio, method by method.

The SDK validates what it gets and what it sends; a test reads in the chat what the agent heard.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from acp_nvim.client.session import Session
from acp_nvim.session.content import Audio, Image, Resource, ResourceLink, Text
from acp_nvim.session.model import Cost
from tests.support.agents import sdk_peer
from tests.support.process_stage import ProcessStage
from tests.support.stage import Stage, texts, tool

DATA = base64.b64encode(b"hi").decode()


def peer(folder: Path) -> ProcessStage:
    """Return a stage whose agent is the peer."""
    program = str(Path(sdk_peer.__file__))
    return ProcessStage(folder, "", command=sys.executable, args=("-P", program))


async def turn(
    stage: Stage, session: Session, text: str, until: Callable[[], Any] | None = None
) -> str:
    """Prompt, wait for the end of the turn, and return what the agent said last."""
    number = session.state.turn
    stage.prompt(session, text)
    await stage.until(until or (lambda: session.state.turn > number and _is_idle(session)))
    return texts(session)[-1] if texts(session) else ""


def _is_idle(session: Session) -> bool:
    return session.state.status == "idle"


async def test_initialize_and_a_new_session(tmp_path: Path) -> None:
    async with peer(tmp_path) as stage:
        session = await stage.start()
        assert stage.client.label == "scripted (Peer 2.0)"
        assert session.id == "sdk-1"
        assert [mode.id for mode in session.state.modes] in (["ask", "code"], [])
        assert [option.id for option in session.state.config] == ["model"]
        other = stage.open()
        await stage.until(lambda: _is_idle(other))
        assert other.id == "sdk-2"


async def test_all_kinds_of_content_in_a_prompt(tmp_path: Path) -> None:
    async with peer(tmp_path) as stage:
        session = await stage.start()
        stage.prompt(
            session,
            Text("say"),
            Image(DATA, "image/png"),
            Audio(DATA, "audio/wav"),
            ResourceLink("file:///a", "a"),
            Resource("file:///b", text="b"),
        )
        await stage.until(lambda: session.state.stop_reason == "end_turn")
        assert texts(session)[-1] == "text image audio resource_link resource"


async def test_all_kinds_of_updates(tmp_path: Path) -> None:
    async with peer(tmp_path) as stage:
        session = await stage.start()
        assert (await turn(stage, session, "updates")).endswith("done")
        state = session.state
        assert texts(session, "thought") == ["a thought"]
        assert (tool(session).title, tool(session).status) == ("Dig", "completed")
        assert state.plan and state.plan.entries[0].content == "dig"
        assert [command.name for command in state.commands] == ["test"]
        assert state.title == "A title"
        assert state.usage and state.usage.cost == Cost(0.5, "EUR")
        assert [option.value for option in state.config] == ["small"]


async def test_a_permission_is_answered(tmp_path: Path) -> None:
    async with peer(tmp_path) as stage:
        session = await stage.start()
        stage.prompt(session, "ask")
        await stage.until(lambda: session.state.questions)
        stage.choose(session.state.questions[0].id, "no")
        await stage.until(lambda: session.state.stop_reason == "end_turn")
        assert json.loads(texts(session)[-1])["option_id"] == "no"


async def test_files_are_read_and_written(tmp_path: Path) -> None:
    async with peer(tmp_path) as stage:
        session = await stage.start()
        path = tmp_path / "a.txt"
        assert await turn(stage, session, f"write {path} one\ntwo\nthree\n") == "written"
        assert path.read_text() == "one\ntwo\nthree\n"
        assert await turn(stage, session, f"read {path}") == "two\n"


async def test_a_command_is_run_in_a_terminal(tmp_path: Path) -> None:
    async with peer(tmp_path) as stage:
        session = await stage.start()
        assert await turn(stage, session, "run echo out; exit 3") == "out 3"
        assert "out" in str(session.state)


async def test_a_form_is_declined(tmp_path: Path) -> None:
    async with peer(tmp_path) as stage:
        session = await stage.start()
        stage.prompt(session, "form")
        await stage.until(lambda: session.state.questions)
        stage.respond(session.state.questions[0].id, "decline")
        await stage.until(lambda: session.state.stop_reason == "end_turn")
        assert json.loads(texts(session)[-1]) == {"action": "decline"}


async def test_a_turn_is_cancelled(tmp_path: Path) -> None:
    async with peer(tmp_path) as stage:
        session = await stage.start()
        stage.prompt(session, "wait")
        await stage.until(lambda: texts(session) == ["waiting"])
        stage.client.cancel(session)
        await stage.until(lambda: session.state.stop_reason == "cancelled")


async def test_an_option_is_set(tmp_path: Path) -> None:
    async with peer(tmp_path) as stage:
        session = await stage.start()
        await stage.client.set_option(session, "model", "large")
        assert session.state.config[0].value == "large"


async def test_a_session_is_loaded_and_closed(tmp_path: Path) -> None:
    async with peer(tmp_path) as stage:
        await stage.start()
        old = stage.reopen("old-1")
        await stage.until(lambda: _is_idle(old))
        assert old.id == "old-1"
        assert (texts(old, "user"), texts(old)) == (["an old question"], ["an old answer"])
        await stage.client.close(old)
        assert old.state.status == "closed"
        assert stage.client.state == "ready"


async def test_the_sessions_of_all_pages_are_listed(tmp_path: Path) -> None:
    async with peer(tmp_path) as stage:
        await stage.start()
        listed = await stage.client.ready.listing.all(str(tmp_path))
        assert [(it.id, it.title) for it in listed] == [("old-0", "Old 0"), ("old-1", "Old 1")]


async def test_a_mode_of_an_agent_without_options_is_set(tmp_path: Path) -> None:
    async with peer(tmp_path) as stage:
        await stage.start()
        old = stage.reopen("old-1")  # whose answer has modes only
        await stage.until(lambda: _is_idle(old))
        await stage.client.set_mode(old, "code")
        assert old.state.mode == "code"


async def test_it_ends_with_its_input(tmp_path: Path) -> None:
    async with peer(tmp_path) as stage:
        session = await stage.start()
        await stage.end()
        assert session.state.status == "closed"
        assert stage.client.exit and stage.client.exit.code == 0
