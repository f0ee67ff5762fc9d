"""What the agent learns with a prompt, after the user's own words: in C-111's two ways."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_nvim.editor import LiveBuffer
from acp_nvim.files.roots import Roots
from acp_nvim.session.content import Resource, Text
from acp_nvim.session.model import Prompt, Selection
from acp_nvim.session.state import Message
from tests.conformance.requests.files import Files, put
from tests.support.agents.scripted_agent import SESSION
from tests.support.fakes.fake_ports import FakeFiles
from tests.support.stage import Stage

EMBEDDING: dict[str, Any] = {"agentCapabilities": {"promptCapabilities": {"embeddedContext": True}}}
KEY = ("scripted", SESSION)
REJECTED = "acp-nvim://rejected.diff"
CHANGED = "acp-nvim://changed-since.diff"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file of the project with one line."""
    path = tmp_path.resolve() / "a.py"
    put(path, "x = 1\n")
    return path


def uris(request: dict[str, Any]) -> list[str]:
    """Return what a `session/prompt` embeds."""
    assert request["method"] == "session/prompt"
    blocks = request["params"]["prompt"]
    return [block["resource"]["uri"] for block in blocks if block["type"] == "resource"]


def reject(stage: Stage, file: Path) -> None:
    """Let the user reject the agent's line of a file."""
    stage.lessons.rejected(KEY, str(file), "x = 2\n")


async def end(stage: Stage, request: dict[str, Any], reason: str = "end_turn") -> None:
    """Let the agent end the turn, and wait for the next or for its end."""
    (session,) = stage.client.registry
    turn = session.state.turn
    stage.agent.reply(request, {"stopReason": reason})
    await stage.until(lambda: session.state.status == "idle" or session.state.turn > turn)


async def test_notes_follow_the_user_s_words_and_are_sent_once(file: Path):
    async with Files(file.parent) as stage:
        session = await stage.start(**EMBEDDING)
        await stage.read(file)
        other = file.with_name("b.py")
        put(other, "y = 1\n")
        reject(stage, other)
        put(file, "x = 3\n")
        selection = Selection(1, 1, str(file), 1, 1, ("x = 3",), "python")
        stage.prompt(session, "see @a.py", selections=(selection,))
        request = await stage.agent.expect("session/prompt")
        first, *_ = request["params"]["prompt"]
        assert first == {"type": "text", "text": "see @a.py"}
        own = [f"file://{file}#L1-L1", f"file://{file}"]
        assert uris(request) == [*own, REJECTED, CHANGED]
        note = request["params"]["prompt"][-1]["resource"]
        assert note["mimeType"] == "text/x-diff"
        sentence, diff = note["text"].split("\n\n", 1)
        assert "changed since you last saw them" in sentence
        assert diff == "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 3\n"
        await end(stage, request)
        assert uris(await stage.turn(session)) == []


async def test_c111_without_embedded_context_a_note_is_text_and_no_link(file: Path):
    async with Files(file.parent) as stage:
        session = await stage.start()
        reject(stage, file)
        request = await stage.turn(session)
        text, note = request["params"]["prompt"]
        assert text == {"type": "text", "text": "go"}
        assert note["type"] == "text"
        assert note["text"].endswith(
            "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 2\n+x = 1\n```"
        )


async def test_what_the_agent_wrote_it_knows_but_not_what_the_user_added(file: Path):
    async with Files(file.parent) as stage:
        session = await stage.start(**EMBEDDING)
        await stage.read(file)
        await stage.write(file, "x = 2\n")
        request = await stage.turn(session)
        assert uris(request) == []
        await end(stage, request)
        stage.files.open(file, "x = 2", "unsaved")
        request = await stage.turn(session)
        assert uris(request) == [CHANGED]
        assert "a.py is not saved" in request["params"]["prompt"][-1]["resource"]["text"]


async def test_a_file_that_is_missing_is_known_to_be_missing(file: Path):
    async with Files(file.parent, quirks=frozenset({"empty_for_missing_file"})) as stage:
        session = await stage.start(**EMBEDDING)
        assert await stage.read(file.with_name("new.py")) == ""
        assert uris(await stage.turn(session)) == []


async def test_a_queued_prompt_takes_what_there_is_when_it_is_sent(file: Path):
    async with Files(file.parent) as stage:
        session = await stage.start(**EMBEDDING)
        first = await stage.turn(session, "one")
        stage.prompt(session, "two")
        reject(stage, file)
        await end(stage, first)
        second = await stage.agent.expect("session/prompt")
        assert uris(second) == [REJECTED]


async def test_the_chat_shows_what_went_along(file: Path):
    async with Files(file.parent) as stage:
        session = await stage.start(**EMBEDDING)
        reject(stage, file)
        await stage.turn(session)
        (said,) = [entry for entry in session.state.entries if isinstance(entry, Message)]
        assert said.content[0] == Text("go")
        assert isinstance(said.content[1], Resource)
        assert said.content[1].uri == REJECTED


def fails(stage: Stage, request: dict[str, Any]) -> None:
    stage.agent.refuse(request, -32603, "the model is busy")


def refuses(stage: Stage, request: dict[str, Any]) -> None:
    stage.agent.reply(request, {"stopReason": "refusal"})


@pytest.mark.parametrize("ending", [fails, refuses])
async def test_notes_of_a_prompt_that_is_no_part_of_the_conversation_go_again(
    file: Path, ending: Any
):
    async with Files(file.parent) as stage:
        session = await stage.start(**EMBEDDING)
        await stage.read(file)
        put(file, "x = 3\n")
        reject(stage, file.with_name("b.py"))
        request = await stage.turn(session)
        ending(stage, request)
        await stage.until(lambda: session.state.status == "idle")
        request = await stage.turn(session)
        assert uris(request) == [REJECTED, CHANGED]
        await end(stage, request)
        assert uris(await stage.turn(session)) == []


@pytest.mark.parametrize("reason", ["cancelled", "max_tokens"])
async def test_a_turn_that_ends_early_has_had_its_notes(file: Path, reason: str):
    async with Files(file.parent) as stage:
        session = await stage.start(**EMBEDDING)
        reject(stage, file)
        await end(stage, await stage.turn(session), reason)
        assert uris(await stage.turn(session)) == []


async def test_notes_survive_the_end_of_the_agent(file: Path):
    async with Files(file.parent) as stage:
        session = await stage.start(**EMBEDDING)
        reject(stage, file)
        await stage.turn(session)
        stage.link.exit(1)
        await stage.until(lambda: stage.over)
        draft = await stage.lessons.draft(KEY, Roots(str(file.parent)))
        assert [note.key for note in draft.notes] == ["rejected"]


async def test_c054_a_prompt_held_for_a_login_keeps_its_notes_and_gets_the_newer(file: Path):
    async with Files(file.parent) as stage:
        session = await stage.start(**EMBEDDING)
        reject(stage, file)
        request = await stage.turn(session, "dear")
        stage.agent.refuse(request, -32000, "no login")
        await stage.until(lambda: session.state.status == "idle")
        (held,) = session.state.queue
        assert held.held
        await stage.read(file)
        put(file, "x = 3\n")
        stage.client.submit(session, Prompt(()))
        assert uris(await stage.agent.expect("session/prompt")) == [REJECTED, CHANGED]


class SlowEditor(FakeFiles):
    """An editor that takes its time to say what it holds."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = anyio.Event()
        self.answer = anyio.Event()

    async def loaded(self, path: str) -> LiveBuffer | None:
        self.asked.set()
        await self.answer.wait()
        return await super().loaded(path)


async def test_a_turn_cancelled_before_it_was_sent_loses_no_notes(file: Path):
    stage, editor = Stage(file.parent), SlowEditor()
    stage.files = editor
    async with stage:
        session = await stage.start(**EMBEDDING)
        editor.open(file)
        reject(stage, file)
        stage.prompt(session, "go")
        await editor.asked.wait()
        stage.client.cancel(session)
        editor.answer.set()
        await stage.until(lambda: session.state.status == "idle")
        await stage.agent.quiet()
        assert uris(await stage.turn(session)) == [REJECTED]


async def test_sessions_of_one_agent_learn_their_own(file: Path):
    async with Files(file.parent) as stage:
        await stage.start(**EMBEDDING)
        other = await stage.start_another("another")
        reject(stage, file)
        assert uris(await stage.turn(other)) == []
