"""The store of open questions: each takes its own kind of answer, once."""

from __future__ import annotations

import anyio
import pytest

from acp_nvim.questions.questions import QuestionAnswer, QuestionRequest, Questions
from acp_nvim.session.elicitation.model import Elicitation, Form, Link, TextField
from acp_nvim.session.event import ToolCallUpdated
from acp_nvim.session.model import ElicitationQuestion, PermissionOption, PermissionQuestion
from acp_nvim.session.request import (
    ElicitationAnswer,
    ElicitationRequest,
    PermissionAnswer,
    PermissionRequest,
)

OPTION = PermissionOption("accept", "Accept", "allow_once")
PERMISSION = PermissionRequest("s", ToolCallUpdated("t"), (OPTION,))
FORM = ElicitationRequest(
    Elicitation("m", Form((TextField(name="a", title="A", required=True),))), "s"
)
LINK = ElicitationRequest(Elicitation("m", Link("l", "https://example.com")), "s", "t")


async def waited(questions: Questions, *requests: QuestionRequest) -> list[QuestionAnswer]:
    """Put these, withdraw what is open, and return the answers."""
    answers = []
    for request in requests:
        question = questions.put(request)
        questions.withdraw(question.id)
        with anyio.fail_after(40):
            answers.append(await questions.wait(question))
    return answers


def test_a_question_is_what_was_asked_with_an_id_of_its_own() -> None:
    questions = Questions()
    found = [questions.put(it) for it in (PERMISSION, FORM, LINK)]
    assert found == [
        PermissionQuestion("ask-1", "t", (OPTION,)),
        ElicitationQuestion("ask-2", FORM.elicitation),
        ElicitationQuestion("ask-3", LINK.elicitation, "t"),
    ]
    assert questions.pending == tuple(found)
    assert [questions.find(it.id) for it in found] == found


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (PERMISSION, ElicitationAnswer("accept")),
        (PERMISSION, PermissionAnswer(None)),
        (PERMISSION, PermissionAnswer("Accept")),
        (FORM, PermissionAnswer("accept")),
        (FORM, ElicitationAnswer("accept")),
        (LINK, PermissionAnswer("accept")),
    ],
)
def test_it_takes_no_answer_of_another_kind(
    request_: QuestionRequest, answer: QuestionAnswer
) -> None:
    questions = Questions()
    question = questions.put(request_)
    assert not questions.answer(question.id, answer)
    assert questions.pending == (question,)


async def test_what_is_withdrawn_is_answered_that_nothing_was_chosen() -> None:
    questions = Questions()
    assert await waited(questions, PERMISSION, FORM) == [
        PermissionAnswer(None),
        ElicitationAnswer("cancel"),
    ]
    assert questions.pending == ()


async def test_a_late_answer_does_nothing_and_the_draft_goes_with_the_question() -> None:
    questions = Questions()
    question = questions.put(FORM)
    assert questions.fill(question.id, 0, "text")
    assert questions.answer(question.id, ElicitationAnswer("accept"))
    assert not questions.answer(question.id, ElicitationAnswer("decline"))
    assert not questions.withdraw(question.id)
    assert not questions.fill(question.id, 0, "other")
    assert questions.find(question.id) is None
    assert await questions.wait(question) == ElicitationAnswer("accept", {"a": "text"})
    assert questions.draft(question.id).filled == {}
