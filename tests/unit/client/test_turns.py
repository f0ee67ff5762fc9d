"""The queue of a session: who is sent when, and what a selection holds by then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from acp_nvim.client.session import Session
from acp_nvim.client.turns import fit
from acp_nvim.errors import EditorError, UserError
from acp_nvim.protocol.records import AgentCapabilities
from acp_nvim.session.content import Audio, Content, Image, Resource, ResourceLink, Text
from acp_nvim.session.event import (
    Event,
    PromptSent,
    SessionClosed,
    SessionOpened,
    TurnEnded,
    TurnStarted,
)
from acp_nvim.session.model import Prompt, Selection
from acp_nvim.session.state import SessionState
from tests.support.agents.scripted_agent import SESSION
from tests.support.fakes.fake_ports import FakeFiles
from tests.support.stage import Stage, notices, texts

SELECTION = Selection(1, 1, "/tmp/a.py", 2, 2, ("old",), "python")
EMBEDDING: dict[str, Any] = {"promptCapabilities": {"embeddedContext": True}}


class Editor(FakeFiles):
    """An editor that answers for a selection when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Selection] = []
        self.reading = anyio.Event()
        self.answer = anyio.Event()
        self.now: tuple[str, ...] = ("new",)
        self.error: EditorError | None = None

    async def selection(self, selection: Selection) -> Selection:
        self.asked.append(selection)
        self.reading.set()
        await self.answer.wait()
        if self.error:
            raise self.error
        return replace(selection, first=9, last=9, lines=self.now)


class QuickUser(Stage):
    """A user who says "three" in the very moment in which a turn ends."""

    def _listen(self, session: Session, before: SessionState, event: Event) -> None:
        super()._listen(session, before, event)
        if isinstance(event, TurnEnded):
            self.prompt(session, "three")


def edited() -> tuple[Stage, Editor]:
    """Return a stage with such an editor."""
    stage, editor = Stage(), Editor()
    stage.files = editor
    return stage, editor


def said(request: dict[str, Any]) -> list[str]:
    """Return the texts of a `session/prompt`."""
    assert request["method"] == "session/prompt"
    return [block["text"] for block in request["params"]["prompt"] if block["type"] == "text"]


def queued(session: Session) -> list[Content]:
    """Return the first block of each prompt that waits."""
    return [prompt.blocks[0] for prompt in session.state.queue]


def ordinary(stage: Stage, request: dict[str, Any]) -> None:
    stage.agent.reply(request, {"stopReason": "end_turn"})


def refused(stage: Stage, request: dict[str, Any]) -> None:
    stage.agent.reply(request, {"stopReason": "refusal"})


def failed(stage: Stage, request: dict[str, Any]) -> None:
    stage.agent.refuse(request, -32603, "no")


def aborted(stage: Stage, request: dict[str, Any]) -> None:
    stage.agent.refuse(request, -32800, "cancelled")


def garbled(stage: Stage, request: dict[str, Any]) -> None:
    stage.agent.reply(request, ["?"])


@pytest.mark.parametrize("end", [ordinary, refused, failed, aborted, garbled])
async def test_the_queue_goes_on_however_a_turn_ends(end: Callable[[Stage, dict[str, Any]], None]):
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session, "one")
        stage.prompt(session, "two")
        stage.prompt(session, "three")
        for text in ("two", "three"):
            await stage.agent.quiet()
            end(stage, request)
            request = await stage.agent.expect("session/prompt")
            assert said(request) == [text]
        assert session.state.queue == ()


async def test_cancel_keeps_the_queue():
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session, "one")
        stage.prompt(session, "two")
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        await stage.agent.quiet()
        assert queued(session) == [Text("two")]
        stage.agent.reply(request, {"stopReason": "cancelled"})
        assert said(await stage.agent.next()) == ["two"]


async def test_an_interrupting_prompt_cancels_and_is_sent_first():
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session, "one")
        stage.prompt(session, "two")
        stage.prompt(session, "now", interrupt=True)
        await stage.agent.expect("session/cancel")
        stage.prompt(session, "sooner", interrupt=True)
        await stage.agent.quiet()
        stage.agent.reply(request, {"stopReason": "cancelled"})
        for text in ("sooner", "now", "two"):
            request = await stage.agent.next()
            assert said(request) == [text]
            stage.agent.reply(request, {"stopReason": "end_turn"})


async def test_an_interrupting_prompt_without_a_turn_is_just_sent():
    async with Stage() as stage:
        session = await stage.start()
        stage.prompt(session, "now", interrupt=True)
        assert said(await stage.agent.next()) == ["now"]
        await stage.agent.quiet()


async def test_c110_a_prompt_before_the_session_is_open_is_queued():
    async with Stage() as stage:
        session = stage.launch()
        stage.prompt(session, "early")
        assert queued(session) == [Text("early")]
        await stage.agent.initialize()
        opening = await stage.agent.expect("session/new")
        await stage.agent.quiet()
        stage.agent.reply(opening, {"sessionId": SESSION})
        assert said(await stage.agent.next()) == ["early"]
        assert session.state.queue == ()


async def test_nobody_overtakes_the_queue_at_the_end_of_a_turn():
    async with QuickUser() as stage:
        session = await stage.start()
        request = await stage.turn(session, "one")
        stage.prompt(session, "two")
        stage.agent.reply(request, {"stopReason": "end_turn"})
        assert said(await stage.agent.next()) == ["two"]
        assert queued(session) == [Text("three")]


async def test_a_selection_is_read_when_it_is_sent():
    stage, editor = edited()
    async with stage:
        session = await stage.start(agentCapabilities=EMBEDDING)
        first = await stage.turn(session, "one")
        stage.prompt(session, "explain", selections=(SELECTION,))
        await stage.agent.quiet()
        assert editor.asked == []
        stage.agent.reply(first, {"stopReason": "end_turn"})
        await editor.reading.wait()
        await stage.agent.quiet()
        editor.now = ("newest",)
        editor.answer.set()
        request = await stage.agent.expect("session/prompt")
        resource = request["params"]["prompt"][1]["resource"]
        assert (resource["uri"], resource["text"]) == ("file:///tmp/a.py#L9-L9", "newest\n")
        assert editor.asked == [SELECTION]
        sent = [event for _, event in stage.events if isinstance(event, PromptSent)]
        assert sent[-1].blocks[1] == Resource(resource["uri"], "newest\n", None, "text/x-python")


async def test_a_cancel_before_the_prompt_is_sent_ends_the_turn():
    stage, editor = edited()
    async with stage:
        session = await stage.start()
        stage.prompt(session, "explain", selections=(SELECTION,))
        await editor.reading.wait()
        stage.client.cancel(session)
        editor.answer.set()
        await stage.until(lambda: session.state.status == "idle")
        assert session.state.stop_reason == "cancelled"
        await stage.agent.quiet()
        assert said(await stage.turn(session, "next")) == ["next"]


async def test_an_interrupt_before_the_prompt_is_sent_takes_its_place():
    stage, editor = edited()
    async with stage:
        session = await stage.start()
        stage.prompt(session, "explain", selections=(SELECTION,))
        await editor.reading.wait()
        stage.prompt(session, "now", interrupt=True)
        editor.answer.set()
        assert said(await stage.agent.next()) == ["now"]
        assert texts(session, "user") == ["explain", "now"]


async def test_an_editor_that_fails_ends_the_turn_and_nothing_else():
    stage, editor = edited()
    editor.error = EditorError("E5108: no such buffer")
    async with stage:
        session = await stage.start()
        stage.prompt(session, "explain", selections=(SELECTION,))
        await editor.reading.wait()
        stage.prompt(session, "two")
        editor.answer.set()
        assert said(await stage.agent.next()) == ["two"]
        (said_so,) = notices(session)
        assert said_so.endswith("cannot read the selection: E5108: no such buffer")


@pytest.mark.parametrize("text", ["", " \n"])
async def test_an_empty_prompt_is_refused(text: str):
    async with Stage() as stage:
        session = await stage.start()
        with pytest.raises(UserError, match="empty"):
            stage.client.submit(session, Prompt((Text(text),)))
        await stage.agent.quiet()


async def test_a_closed_session_takes_no_prompt():
    async with Stage() as stage:
        session = await stage.start()
        session.apply(SessionClosed())
        with pytest.raises(UserError, match=":Acp restart"):
            stage.prompt(session, "hello")
        await stage.agent.quiet()


async def test_the_end_of_the_agent_ends_the_turn_and_keeps_the_queue():
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session, "one")
        stage.prompt(session, "two")
        stage.link.exit(1)
        await stage.until(lambda: session.state.status == "closed")
        assert queued(session) == [Text("two")]


NOTHING = AgentCapabilities()
EVERYTHING = AgentCapabilities(image=True, audio=True, embedded_context=True)
IMAGE = Image("aGVsbG8=", "image/png")
AUDIO = Audio("aGVsbG8=", "audio/wav")
RESOURCE = Resource("file:///a", text="x\n")
LINK = ResourceLink("file:///a", "a")


@pytest.mark.parametrize("block", [Text("x"), IMAGE, AUDIO, RESOURCE, LINK])
def test_a_capable_agent_gets_every_block_as_it_is(block: Content):
    assert fit(block, EVERYTHING) == (block,)


@pytest.mark.parametrize(
    ("block", "instead"),
    [
        (Text("x"), (Text("x"),)),
        (LINK, (LINK,)),
        (IMAGE, (Text("[image/png image: this agent takes no images]"),)),
        (AUDIO, (Text("[audio/wav: this agent takes no audio]"),)),
        (RESOURCE, (LINK, Text("```\nx\n```"))),
    ],
)
def test_c111_another_agent_gets_text_and_links(block: Content, instead: tuple[Content, ...]):
    assert fit(block, NOTHING) == instead


async def test_the_end_of_each_turn_can_be_waited_for() -> None:
    session, ends = Session("a", "/", lambda *_: None), dict[int, TurnEnded | None]()

    async def wait(turn: int) -> None:
        ends[turn] = await session.end_of(turn)

    session.apply(SessionOpened("s"), TurnStarted(Prompt(()), 0.0))
    async with anyio.create_task_group() as group:
        for turn in (1, 2):
            group.start_soon(wait, turn)
        await anyio.lowlevel.checkpoint()
        session.apply(TurnEnded(1.0, "end_turn"))
        session.apply(SessionClosed("gone"))
    assert ends == {1: TurnEnded(1.0, "end_turn"), 2: None}
