"""The question is the security boundary: an answer is for what was shown, and for nothing else."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_nvim.app import compose
from acp_nvim.client.questioning import ask, put, withdraw
from acp_nvim.commands.answering import CHANGED, GONE, Respond, go, respond
from acp_nvim.errors import UserError
from acp_nvim.questions.questions import OwnRequest, QuestionAnswer
from acp_nvim.reactions.clients import new_session
from acp_nvim.session.content import Diff, Text
from acp_nvim.session.event import ChunkReceived, QuestionClosed, ToolCallUpdated
from acp_nvim.session.model import PermissionOption, Question, Subject
from acp_nvim.session.request import PermissionAnswer, PermissionRequest
from acp_nvim.view.question.menu import Menu
from acp_nvim.workspace.chat import Chat
from tests.support.fakes.fake_editor import FakeQuestionWindow, fake_editor
from tests.support.fakes.fake_ports import FakeFiles

OPTIONS = (
    PermissionOption("yes", "Yes", "allow_once"),
    PermissionOption("no", "No", "reject_once"),
)


class SlowWindow(FakeQuestionWindow):
    """Draws when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.source: Callable[[], Menu | None] = lambda: None

    def draw(
        self, source: Callable[[], Menu | None], opened: Callable[[], None] | None = None
    ) -> None:
        self.source = source

    def frame(self) -> None:
        """Show what is asked by now."""
        self.shown = self.source()


@dataclass
class Rig:
    """A host with one session, whose agent the test plays, and its window."""

    folder: str = "/w"
    window: SlowWindow = field(default_factory=SlowWindow)
    files: FakeFiles = field(default_factory=FakeFiles)
    answers: list[tuple[Question, PermissionAnswer]] = field(default_factory=list)
    open: list[Question] = field(default_factory=list)

    def __post_init__(self) -> None:
        editor = fake_editor(questions=self.window, files=self.files)
        self.host = compose(editor, "/")
        self.session = new_session(self.host, "a", self.folder)
        self.host.workspace.chats[1] = Chat(1, 2, self.session, lambda: 0.0)
        answered = self.host.questions.answer

        def recorded(question_id: str, answer: QuestionAnswer) -> bool:
            question = self.host.questions.find(question_id)
            taken = answered(question_id, answer)
            if taken and question is not None and isinstance(answer, PermissionAnswer):
                self.answers.append((question, answer))
                self.withdraw(question)
            return taken

        self.host.questions.answer = recorded  # type: ignore[method-assign]

    def update(self, call: str, command: str, **more: Any) -> ToolCallUpdated:
        """Return what the agent says of a tool call."""
        return ToolCallUpdated(call, raw_input=json.dumps({"command": command}), **more)

    def ask(self, call: str = "c", command: str = "ls", **more: Any) -> Question:
        """Let the agent ask."""
        told = self.update(call, command, title="Run", **more)
        self.session.apply(told)
        question = put(self.session, self.host.questions, PermissionRequest("s", told, OPTIONS))
        self.open.append(question)
        return question

    def withdraw(self, question: Question) -> None:
        """Let the agent take it back, or let it be answered."""
        self.host.questions.withdraw(question.id)
        self.session.apply(QuestionClosed(question.id))
        self.open.remove(question)

    async def respond(self, seen: Menu, option: str = "yes", *, inside: bool = False) -> str:
        """Answer what was seen; return what the user is told, "" for nothing."""
        payload = Respond(seen.id, option, seen=seen.seen, inside=inside)
        return await told_by(lambda: respond(self.host, payload))


async def told_by(act: Callable[[], Any]) -> str:
    try:
        result = act()
        if inspect.isawaitable(result):
            await result
    except UserError as error:
        return str(error)
    return ""


@asynccontextmanager
async def rig(folder: str = "/w") -> AsyncIterator[Rig]:
    made = Rig(folder)
    async with made.host.tasks:
        yield made
        made.host.tasks._group.cancel_scope.cancel()


def shown(made: Rig) -> Menu:
    made.window.frame()
    assert made.window.shown is not None
    return made.window.shown


async def test_the_oldest_is_shown_and_the_user_goes_on_to_the_others() -> None:
    async with rig() as made:
        questions = [made.ask(f"c{number}", f"cmd {number}") for number in range(3)]
        assert (shown(made).id, shown(made).position) == (questions[0].id, (1, 3))
        for step, position in ((1, 2), (1, 3), (1, 1), (-1, 3)):
            go(made.host, step)
            assert shown(made).position == (position, 3)
        made.withdraw(questions[2])
        assert (shown(made).id, shown(made).position) == (questions[0].id, (1, 2))


async def test_an_answer_to_one_that_is_gone_answers_none() -> None:
    async with rig() as made:
        first = made.ask()
        seen = shown(made)
        made.ask("other", "rm -rf ~")
        made.withdraw(first)
        assert await made.respond(seen) == GONE
        assert made.answers == []


async def test_one_that_has_changed_is_looked_at_first() -> None:
    async with rig() as made:
        question = made.ask()
        seen = shown(made)
        made.session.apply(made.update("c", "rm -rf ~"))
        assert await made.respond(seen) == CHANGED, "the screen was not even drawn"
        changed = shown(made)
        assert "changed" in changed.notes[0].text
        assert changed.body[0].text == "rm -rf ~"
        assert await made.respond(changed) == CHANGED, "nobody has looked at it"
        assert await made.respond(changed) == ""
        assert [it.id for it, _ in made.answers] == [question.id]


async def test_a_key_in_the_window_has_looked_at_the_change() -> None:
    async with rig() as made:
        made.ask()
        seen = shown(made)
        made.session.apply(made.update("c", "rm -rf ~"))
        assert await made.respond(seen, inside=True) == CHANGED
        assert await made.respond(shown(made), inside=True) == ""


async def test_what_becomes_again_what_it_was_is_as_it_was() -> None:
    async with rig() as made:
        made.ask()
        seen = shown(made)
        made.session.apply(made.update("c", "rm -rf ~"), made.update("c", "ls"))
        assert await made.respond(seen) == ""


async def test_a_second_question_on_a_tool_call_changes_the_first() -> None:
    async with rig() as made:
        first = made.ask()
        seen = shown(made)
        second = made.ask("c", "rm -rf ~")
        assert await made.respond(seen) == CHANGED
        assert shown(made).id == first.id
        assert await made.respond(shown(made), "no", inside=True) == ""
        assert shown(made).id == second.id
        assert await made.respond(shown(made), "no") == "", "the second was asked like that"


async def test_a_script_answers_what_was_asked_and_not_what_became_of_it() -> None:
    async with rig() as made:
        question = made.ask()
        respond_ = lambda: respond(made.host, Respond(question.id, "yes"))  # noqa: E731
        made.session.apply(made.update("c", "rm -rf ~"))
        assert await told_by(respond_) == CHANGED
        assert await told_by(respond_) == CHANGED
        made.session.apply(made.update("c", "ls"))
        assert await told_by(respond_) == ""
        assert respond(made.host, Respond(question.id, "yes")) is False


async def test_what_the_agent_says_meanwhile_does_not_change_the_question() -> None:
    async with rig() as made:
        made.ask()
        seen = shown(made)
        made.session.apply(ChunkReceived("agent", Text("more words.")))
        made.session.apply(ToolCallUpdated("c", status="in_progress"))
        assert shown(made) == seen
        assert await made.respond(seen) == ""


@pytest.mark.parametrize("way", ["key", "command", "script"])
async def test_a_late_tool_call_with_another_title_raises_no_alarm(way: str) -> None:
    async with rig() as made:
        told = ToolCallUpdated("c", title="echo hi")
        made.session.apply(told)
        question = put(made.session, made.host.questions, PermissionRequest("s", told, OPTIONS))
        made.open.append(question)
        early = shown(made)
        made.session.apply(made.update("c", "echo hi", title="$ echo hi", status="in_progress"))
        late = shown(made)
        assert (late.seen, late.notes) == (early.seen, ())
        if way == "script":
            assert await told_by(lambda: respond(made.host, Respond(question.id, "yes"))) == ""
        else:
            assert await made.respond(early, inside=way == "key") == ""
        assert len(made.answers) == 1


async def test_a_late_diff_of_what_the_input_says_raises_no_alarm(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "a.txt"
    path.write_text("one\ntwo\n")
    raw = json.dumps({"file_path": str(path), "old_string": "two", "new_string": "2"})
    diff = Diff(str(path), "two", "2")
    async with rig(str(path.parent)) as made:
        told = ToolCallUpdated("c", title="Edit", kind="edit", raw_input=raw)
        made.session.apply(told)
        question = put(made.session, made.host.questions, PermissionRequest("s", told, OPTIONS))
        made.open.append(question)
        sight = made.host.questions.sight(question.id)
        with anyio.fail_after(40):
            while not sight.ready:
                await anyio.lowlevel.checkpoint()
        early = shown(made)
        made.session.apply(ToolCallUpdated("c", title="a.txt", content=(diff,)))
        with anyio.fail_after(40):
            while not any(it.told for it, _ in sight.previews):
                await anyio.lowlevel.checkpoint()
        late = shown(made)
        assert (late.seen, late.notes) == (early.seen, ())
        assert await made.respond(early) == ""


async def test_an_answer_between_a_change_and_its_files_is_for_the_change(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "a.txt"
    path.write_text("one\ntwo\n")
    async with rig(str(path.parent)) as made:
        made.ask("c", "", content=(Diff(str(path), "two", "2"),), kind="edit")
        with anyio.fail_after(40):
            while not made.host.questions.sight(made.open[0].id).ready:
                await anyio.lowlevel.checkpoint()
        seen = shown(made)
        raw = {"file_path": str(path), "old_string": "one", "new_string": "rm -rf ~"}
        made.session.apply(ToolCallUpdated("c", raw_input=json.dumps(raw)))
        assert await made.respond(seen) == CHANGED
        assert made.answers == []


async def test_a_file_that_changes_changes_the_question(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "a.txt"
    path.write_text("one\ntwo\n")
    async with rig(str(path.parent)) as made:
        made.ask("c", "", content=(Diff(str(path), "two", "2"),), kind="edit")
        with anyio.fail_after(40):
            while not made.host.questions.sight(made.open[0].id).ready:
                await anyio.lowlevel.checkpoint()
        seen = shown(made)
        assert await made.respond(seen, "maybe") == "", "nothing was chosen, and nothing is wrong"
        path.write_text("more\none\nTWO, two\n")
        assert await made.respond(seen) == CHANGED
        changed = shown(made)
        assert changed.seen != seen.seen
        assert await made.respond(changed, inside=True) == ""


async def test_a_question_of_ours_is_asked_like_any_other() -> None:
    async with rig() as made:
        subject = Subject("Write .git/config", (Diff("/w/.git/config", "a", "b"),))
        found: list[str | None] = []

        async def wanted() -> None:
            found.append(await ask(made.session, made.host.questions, OwnRequest(subject)))

        made.host.tasks.start_soon(wanted)
        with anyio.fail_after(40):
            while not (made.host.questions.pending and made.window.source()):
                await anyio.lowlevel.checkpoint()
        menu = shown(made)
        assert menu.title == " acp.nvim asks "
        assert menu.head[0].text == "Write .git/config"
        assert menu.option_ids == ("allow", "reject")
        withdraw(made.session, made.host.questions)
        with anyio.fail_after(40):
            while not found:
                await anyio.lowlevel.checkpoint()
        assert found == [None]
        assert made.host.questions.pending == ()


# --- a hostile agent

CALLS, COMMANDS = ("a", "b"), ("ls", "rm -rf ~")
WORDS: tuple[dict[str, Any], ...] = (
    {"title": "$ ls"},
    {"title": "Say hello", "status": "in_progress"},
    {"kind": "execute", "name": "bash"},
    {"content": (Text("it is harmless"),)},
)
"""What an agent may say of a command that changes nothing at stake."""
AGENT = st.one_of(
    st.tuples(st.just("ask"), st.sampled_from(CALLS), st.sampled_from(COMMANDS)),
    st.tuples(st.just("update"), st.sampled_from(CALLS), st.sampled_from(COMMANDS)),
    st.tuples(st.just("retitle"), st.sampled_from(CALLS), st.sampled_from(WORDS)),
    st.tuples(st.just("withdraw"), st.integers(0, 3), st.none()),
)
FRAME = st.tuples(st.just("frame"), st.none(), st.none())
USER = st.one_of(
    st.tuples(st.just("go"), st.sampled_from([1, -1]), st.none()),
    st.tuples(st.just("answer"), st.booleans(), st.integers(0, 2)),
    st.tuples(st.just("script"), st.integers(0, 3), st.none()),
)


def command_of(menu: Menu) -> str:
    """Return the command on screen; that the title says is not said twice."""
    lines = [line.text for line in (*menu.body, *menu.head)]
    return next(it for it in lines if it in COMMANDS)


class Play:
    """The agent and the user take turns in any order; `seen` is all that was ever on screen."""

    def __init__(self, made: Rig) -> None:
        self.made = made
        self.seen: list[Menu] = []
        self.asked: dict[str, str] = {}
        self.told: set[tuple[str, str]] = set()

    async def step(self, what: str, one: Any, two: Any) -> None:
        self.agent(what, one, two)
        await self.user(what, one, two)

    def agent(self, what: str, one: Any, two: Any) -> None:
        made = self.made
        if what == "ask":
            question = made.ask(one, two)
            self.asked[question.id] = two
        elif what == "update":
            made.session.apply(made.update(one, two))
        elif what == "retitle":
            made.session.apply(ToolCallUpdated(one, **two))
        elif what == "withdraw" and one < len(made.open):
            made.withdraw(made.open[one])

    async def user(self, what: str, one: Any, two: Any) -> None:
        made = self.made
        if what == "frame":
            made.window.frame()
            self.seen += [made.window.shown] if made.window.shown else []
        elif what == "go":
            go(made.host, one)
        elif what == "answer" and two < len(self.seen):
            await self.answer(self.seen[-1 - two], inside=one)
        elif what == "script" and one < len(made.open):
            await self.script(made.open[one])

    def now(self, question_id: str) -> str | None:
        """Return the command that an answer to that question would be for."""
        found = next((it for it in self.made.open if it.id == question_id), None)
        call = found and self.made.session.state.tool_call(found.tool_call_id)
        return json.loads(call.raw_input or "{}")["command"] if call else None

    def is_as_seen(self, menu: Menu) -> bool:
        """Tell whether it still asks what it asked at first, and what that screen showed."""
        return self.asked.get(menu.id) == self.now(menu.id) == command_of(menu)

    async def answer(self, menu: Menu, *, inside: bool) -> None:
        """Answer what was on screen at some time."""
        before, now = len(self.made.answers), self.now(menu.id)
        is_as_seen = self.is_as_seen(menu)
        said = await self.made.respond(menu, inside=inside)
        if len(self.made.answers) == before:
            assert not is_as_seen, "the first answer counts where nothing at stake has changed"
            assert said, "who answers and is not heard is told"
            self.told.add((menu.id, menu.seen))
            return
        question, _ = self.made.answers[-1]
        assert question.id == menu.id
        assert command_of(menu) == now, "what was approved is what was on screen"
        is_changed = self.asked[menu.id] != now
        assert not is_changed or inside or (menu.id, menu.seen) in self.told

    async def script(self, question: Question) -> None:
        """Answer by its id alone."""
        before, now = len(self.made.answers), self.now(question.id)
        await told_by(lambda: respond(self.made.host, Respond(question.id, "yes")))
        if len(self.made.answers) > before:
            assert self.made.answers[-1][0] == question
            looked = {command_of(it) for it in self.seen if it.id == question.id}
            assert now == self.asked[question.id] or now in looked


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(AGENT, USER, FRAME), min_size=4, max_size=30))
def test_no_answer_reaches_a_question_that_was_not_on_screen_as_it_was(
    steps: list[tuple[str, Any, Any]],
) -> None:
    async def play() -> None:
        async with rig() as made:
            game = Play(made)
            for step in (("ask", "a", "ls"), ("frame", None, None), *steps):
                await game.step(*step)

    anyio.run(play)


async def test_of_a_thousand_questions_one_is_drawn_and_none_is_left() -> None:
    async with rig() as made:
        for number in range(1000):
            made.ask(f"c{number}")
        assert shown(made).position == (1, 1000)
        for question in list(made.open):
            made.withdraw(question)
        made.window.frame()
        assert made.window.shown is None
