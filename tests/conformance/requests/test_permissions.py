"""C-180 to C-191: the user decides, and nobody else."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict

import acp_nvim
from acp_nvim.client import inbound
from acp_nvim.client.session import Session
from acp_nvim.config import parse
from acp_nvim.questions.questions import QuestionAnswer, Questions
from acp_nvim.session.model import Question
from acp_nvim.session.request import PermissionAnswer
from acp_nvim.workspace.launching import launch
from tests.conformance.connection.probe import bar, menu, menu_text
from tests.conformance.requests.asking import CANCELLED, selected
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import PROJECT, Stage
from tests.unit.view.look import groups, looks

PACKAGE = Path(acp_nvim.__file__).parent

MANY = [
    {"optionId": "a1", "name": "Always this file", "kind": "allow_always"},
    {"optionId": "a2", "name": "Always this folder", "kind": "allow_always"},
    {"optionId": "a3", "name": "Always anything", "kind": "allow_always"},
    {"optionId": "o", "name": "Just once", "kind": "allow_once"},
    {"optionId": "r", "name": "No", "kind": "reject_once"},
    {"optionId": "x", "name": "Something else", "kind": "x"},
]
ALLOWING = [
    {"optionId": "once", "name": "Allow", "kind": "allow_once"},
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
]
CONFIGURATIONS: list[dict[str, Any]] = [
    {},
    {"permission": {"focus": "auto"}},
    {"permission": {"allow": ["*"], "auto_approve": True, "timeout": 1, "default": "allow_once"}},
    {"permission": "allow_always", "auto_approve": True, "yolo": True, "trust": ["/"]},
    {"fs": {"read": False, "write": False}, "terminal": {"enabled": False}},
    {"additional_directories": ["/"], "follow": {"enabled": True}},
    {"agents": {"scripted": {"command": "scripted", "args": ["--yolo"], "env": {"YOLO": "1"}}}},
]


class RecordedQuestions(Questions):
    """Remembers every answer that was taken."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[tuple[str, QuestionAnswer]] = []

    def answer(self, question_id: str, answer: QuestionAnswer) -> bool:
        taken = super().answer(question_id, answer)
        if taken:
            self.taken.append((question_id, answer))
        return taken


def configured(options: dict[str, Any]) -> Stage:
    """Return a stage for an agent that is started with this `vim.g.acp`."""
    known, _ = parse({"agents": {"scripted": {"command": "scripted"}}} | options)
    plan = launch("scripted", known, root=PROJECT, cwd=PROJECT)
    return Stage(**asdict(plan))


async def asked(stage: Stage, session: Session, count: int = 1) -> Question:
    """Wait until so many questions are open; return the newest."""
    await stage.until(lambda: len(session.state.questions) == count)
    return session.state.questions[-1]


async def test_c180_permissions_are_always_served():
    async with Stage(read_files=False, write_files=False) as stage:
        session = await stage.start()
        stage.agent.request_permission(1)
        question = await asked(stage, session)
        assert stage.choose(question.id, "yes")
        assert (await stage.agent.answer_to(1))["result"] == selected("yes")


async def test_c181_the_options_are_shown_and_the_decision_returned():
    async with Stage() as stage:
        session = await stage.start()
        call = {"toolCallId": "call-1", "title": "Build", "rawInput": {"command": "make"}}
        stage.agent.request_permission(1, toolCall=call)
        question = await asked(stage, session)
        shown = menu(session)
        rows = ["✓ 1. Allow once", "✓ 2. Always (allow always)", "✗ 3. Reject"]
        assert looks(shown.options) == rows
        assert shown.option_ids == ("yes", "always", "no")
        assert "Build" in menu_text(session) and "make" in menu_text(session)
        assert "1 waiting for you" in bar(session)
        stage.choose(question.id, shown.option_ids[2])
        assert (await stage.agent.answer_to(1))["result"] == selected("no")
        assert session.state.questions == ()


@pytest.mark.parametrize("option_id", ["", " ", "1", "allow_once", "ü\n\t", "a" * 5000, "null"])
async def test_c182_option_ids_are_verbatim(option_id: str):
    async with Stage() as stage:
        session = await stage.start()
        option = {"optionId": option_id, "name": "Yes", "kind": "allow_once"}
        stage.agent.request_permission(1, options=[option])
        question = await asked(stage, session)
        assert not stage.choose(question.id, option_id + "x")
        await stage.agent.quiet()
        assert stage.choose(question.id, option_id)
        assert (await stage.agent.answer_to(1))["result"] == selected(option_id)


@pytest.mark.parametrize("options", CONFIGURATIONS)
async def test_c183_no_configuration_answers_for_the_user(options: dict[str, Any]):
    stage = configured(options)
    stage.questions = questions = RecordedQuestions()
    async with stage:
        session = await stage.start()
        request = await stage.turn(session)
        for number, offered in enumerate((ALLOWING, MANY, ALLOWING[1:])):
            stage.agent.request_permission(number, options=offered)
        await asked(stage, session, 3)
        await stage.agent.quiet()
        first, second, _ = session.state.questions
        assert not stage.choose(first.id, "a1"), "an option of another question"
        assert not stage.choose("ask-0", "once"), "a question that is not"
        await stage.agent.quiet()
        assert stage.choose(second.id, "a3")
        assert (await stage.agent.answer_to(1))["result"] == selected("a3")
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.status == "idle")
        await stage.turn(session, "next")
        await stage.agent.quiet()
        stage.client.cancel(session)
        assert (await stage.agent.answer_to(0))["result"] == CANCELLED
        assert (await stage.agent.answer_to(2))["result"] == CANCELLED
        assert questions.taken == [(second.id, PermissionAnswer("a3"))]


def test_c183_only_a_command_of_the_user_answers():
    assert _callers("answer", of="questions") == {"commands/answering.py"}
    of_the_user, withdrawn = "commands/answering.py", "questions/questions.py"
    assert _callers("PermissionAnswer") == {of_the_user, withdrawn}
    assert _callers("ElicitationAnswer") == {of_the_user, withdrawn}


def _callers(name: str, *, of: str = "") -> set[str]:
    """Return the modules that call a function of that name (on something of that name)."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                if called == name or (of and called.endswith(f"{of}.{name}")):
                    found.add(str(path.relative_to(PACKAGE)))
    return found


async def test_c184_without_a_fitting_option_it_is_cancelled_and_never_allowed():
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.agent.request_permission(1, options=ALLOWING)
        question = await asked(stage, session)
        assert not stage.choose(question.id, "reject_once")
        await stage.agent.quiet()
        stage.client.cancel(session)
        assert (await stage.agent.answer_to(1))["result"] == CANCELLED


async def test_c185_all_options_are_reachable():
    async with Stage() as stage:
        session = await stage.start()
        for number, option in enumerate(MANY):
            stage.agent.request_permission(number, options=MANY)
            question = await asked(stage, session)
            shown = menu(session)
            said = [line.text.partition(" ")[2] for line in shown.options]
            names = [str(option["name"]) for option in MANY]
            assert said == [f"{n}. {it}" for n, it in enumerate(names, 1)]
            assert groups(shown.options[5]) == ["AcpNeutral"]
            assert stage.choose(question.id, shown.option_ids[number])
            answer = await stage.agent.answer_to(number)
            assert answer["result"] == selected(str(option["optionId"]))


async def test_c186_always_is_remembered_by_the_agent_alone():
    async with Stage() as stage:
        session = await stage.start()
        for number, option in enumerate(("always", "yes", "no")):
            stage.agent.request_permission(number)
            question = await asked(stage, session)
            await stage.agent.quiet()
            stage.choose(question.id, option)
            assert (await stage.agent.answer_to(number))["result"] == selected(option)


async def test_c187_open_requests_are_answered_in_any_order():
    async with Stage() as stage:
        session = await stage.start()
        other = await stage.start_another("other")
        stage.agent.request_permission(1)
        stage.agent.request_permission("1")
        stage.agent.request_permission(2, "other")
        await asked(stage, session, 2)
        third = await asked(stage, other)
        first, second = session.state.questions
        answers = ((second, "1", "no"), (third, 2, "always"), (first, 1, "yes"))
        for question, request_id, option in answers:
            assert stage.choose(question.id, option)
            assert (await stage.agent.answer_to(request_id))["result"] == selected(option)
            await stage.agent.quiet()


async def test_c188_nothing_but_a_cancel_says_cancelled():
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.agent.request_permission(1)
        question = await asked(stage, session)
        stage.prompt(session, "what the user does instead")
        for wrong in ("", "cancelled", "None"):
            assert not stage.choose(question.id, wrong)
        stage.agent.update("tool_call_update", toolCallId="call-1", status="failed")
        await stage.agent.quiet()
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.agent.expect("session/prompt")
        await stage.agent.quiet()
        assert session.state.questions == (question,)
        stage.client.cancel(session)
        assert (await stage.agent.answer_to(1))["result"] == CANCELLED


TOO_MANY = [{"optionId": f"o{at}", "name": "Yes", "kind": "allow_once"} for at in range(101)]


@pytest.mark.parametrize("options", [[], "x", None, [1], [{"name": "no id"}], {}, TOO_MANY])
async def test_c189_what_cannot_be_answered_is_refused(options: Any):
    async with Stage() as stage:
        session = await stage.start()
        stage.agent.request_permission(1, options=options)
        error = (await stage.agent.answer_to(1))["error"]
        assert error["code"] == -32602 and "options" in error["message"]
        assert session.state.questions == ()


async def test_c189_two_options_of_one_id_are_refused():
    async with Stage() as stage:
        session = await stage.start()
        twins = [{"optionId": "a", "name": name, "kind": "allow_once"} for name in ("No", "Yes")]
        stage.agent.request_permission(1, options=twins)
        error = (await stage.agent.answer_to(1))["error"]
        assert (error["code"], error["message"]) == (-32602, "two options have the id 'a'")
        stage.agent.request_permission(2, options=[twins[0], twins[0]])
        question = await asked(stage, session)
        stage.choose(question.id, "a")
        assert (await stage.agent.answer_to(2))["result"] == selected("a")


async def test_c189_so_many_questions_wait_and_no_more(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(inbound, "MOST_OPEN", 3)
    async with Stage() as stage:
        session = await stage.start()
        for number in range(4):
            stage.agent.request_permission(number)
        error = (await stage.agent.answer_to(3))["error"]
        assert "3 requests are open already" in error["message"]
        stage.choose(session.state.questions[0].id, "no")
        assert (await stage.agent.answer_to(0))["result"] == selected("no")
        stage.agent.request_permission(4)
        await stage.until(lambda: len(session.state.questions) == 3)


async def test_c189_a_second_request_of_an_open_id_is_refused():
    async with Stage() as stage:
        session = await stage.start()
        stage.agent.request_permission("p")
        question = await asked(stage, session)
        stage.agent.request_permission("p", options=ALLOWING)
        error = (await stage.agent.answer_to("p"))["error"]
        assert error["message"] == "a request with the id 'p' is open already"
        assert session.state.questions == (question,)
        stage.choose(question.id, "no")
        assert (await stage.agent.answer_to("p"))["result"] == selected("no")


async def test_c189_two_questions_on_one_tool_call_have_each_its_answer():
    async with Stage() as stage:
        session = await stage.start()
        for number in (1, 2):
            stage.agent.request_permission(number)
        await stage.until(lambda: len(session.state.questions) == 2)
        first, second = session.state.questions
        stage.choose(second.id, "yes")
        assert (await stage.agent.answer_to(2))["result"] == selected("yes")
        assert session.state.questions == (first,)


async def test_c189_good_options_are_kept():
    async with Stage() as stage:
        session = await stage.start()
        options = [{"optionId": "a", "name": "No kind"}, {"optionId": 5}, ALLOWING[0]]
        stage.agent.request_permission(1, options=options)
        question = await asked(stage, session)
        assert [option.id for option in question.options] == ["a", "once"]
        assert groups(menu(session).options[0]) == ["AcpNeutral"]
        stage.choose(question.id, "a")
        assert (await stage.agent.answer_to(1))["result"] == selected("a")


async def test_c190_no_time_approves(monkeypatch: pytest.MonkeyPatch):
    async with Stage() as stage:
        session = await stage.start()
        stage.agent.request_permission(1)
        question = await asked(stage, session)
        loop = asyncio.get_running_loop()
        clock = loop.time
        for seconds in (60, 600, 86_400):
            monkeypatch.setattr(loop, "time", lambda later=seconds: clock() + later)
            await stage.agent.quiet()
        assert session.state.questions == (question,)


@pytest.mark.parametrize("wrapped", [False, True])
async def test_c191_the_plan_is_shown_when_it_is_to_be_approved(wrapped: bool):
    plan: dict[str, Any] = {"type": "text", "text": "## The plan\n\n1. Dig\n2. Fill"}
    content = {"type": "content", "content": plan} if wrapped else plan
    call = {"toolCallId": "c", "title": "Ready?", "kind": "switch_mode", "content": [content]}
    async with Stage() as stage:
        session = await stage.start()
        stage.agent.request_permission(1, toolCall=call)
        await asked(stage, session)
        assert "## The plan\n\n1. Dig\n2. Fill" in menu_text(session)


async def test_a_permission_before_session_new_is_answered_waits_for_its_session():
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize()
        opening = await stage.agent.expect("session/new")
        stage.agent.request_permission(1)
        await stage.agent.quiet()
        stage.agent.reply(opening, {"sessionId": SESSION})
        question = await asked(stage, session)
        assert stage.choose(question.id, "no")
        assert (await stage.agent.answer_to(1))["result"] == selected("no")
