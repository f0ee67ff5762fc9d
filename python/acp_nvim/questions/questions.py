"""The one store of the open questions to the user, of all agents, oldest first.

Nothing but `answer` and `withdraw` ends a question: no timeout, no rule and no default (C-183,
C-190). What the user fills into a form lives with its question, and nowhere else (C-303).
"""

from __future__ import annotations

from typing import TypeAlias

import anyio
from msgspec import Struct, field

from acp_nvim.questions import elicitation
from acp_nvim.questions.sight import Sight
from acp_nvim.session.elicitation import form
from acp_nvim.session.elicitation.form import Draft
from acp_nvim.session.elicitation.model import Form
from acp_nvim.session.model import (
    ElicitationQuestion,
    PermissionOption,
    PermissionQuestion,
    Question,
    Subject,
)
from acp_nvim.session.request import (
    ElicitationAnswer,
    ElicitationRequest,
    PermissionAnswer,
    PermissionRequest,
)

ALLOW, REJECT = "allow", "reject"


class OwnRequest(Struct, frozen=True):
    """A question of ours: may the agent do this, which it would not have asked?"""

    subject: Subject
    options: tuple[PermissionOption, ...] = (
        PermissionOption(ALLOW, "Allow once", "allow_once"),
        PermissionOption(REJECT, "Reject", "reject_once"),
    )


QuestionRequest: TypeAlias = PermissionRequest | ElicitationRequest | OwnRequest
"""What only the user can answer: a request of an agent, or of ours."""
QuestionAnswer: TypeAlias = PermissionAnswer | ElicitationAnswer

NO_DRAFT = Draft({}, {})


class _Entry(Struct):
    question: Question
    draft: Draft
    """Of a form; else empty."""
    answer: QuestionAnswer | None = None
    answered: anyio.Event = field(default_factory=anyio.Event)
    sight: Sight = field(default_factory=Sight)


class Questions:
    """The open questions of all agents."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._count = 0
        self.chosen = ""
        """The question that the user went to, of those that wait."""

    @property
    def pending(self) -> tuple[Question, ...]:
        """All that wait for the user, oldest first."""
        return tuple(it.question for it in self._entries.values() if it.answer is None)

    @property
    def sights(self) -> tuple[Sight, ...]:
        """What the user sees of all that wait, oldest first."""
        return tuple(it.sight for it in self._entries.values() if it.answer is None)

    def put(self, request: QuestionRequest) -> Question:
        """Make a question of a request, with an id of its own; it must be awaited by `wait`."""
        self._count += 1
        question = _question(f"ask-{self._count}", request)
        wanted = _form(question)
        draft = NO_DRAFT if wanted is None else form.prefilled(wanted)
        self._entries[question.id] = _Entry(question, draft)
        return question

    async def wait(self, question: Question) -> QuestionAnswer:
        """Return the answer; of one that was withdrawn, that nothing was chosen (C-142, C-144)."""
        entry = self._entries[question.id]
        try:
            await entry.answered.wait()
        finally:
            del self._entries[question.id]
        assert entry.answer is not None
        return entry.answer

    def find(self, question_id: str) -> Question | None:
        """Return the question of that id if it is open."""
        entry = self._open(question_id)
        return None if entry is None else entry.question

    def answer(self, question_id: str, answer: QuestionAnswer) -> bool:
        """Answer it; False, and nothing happens, if it is not open or does not take that.

        A permission takes the id of one of its options, to the letter. For an elicitation see
        `elicitation.accepted`: what is wrong with a form stands in its draft then.
        """
        entry = self._open(question_id)
        taken = None if entry is None else _taken(entry, answer)
        if entry is None or taken is None:
            return False
        _end(entry, taken)
        return True

    def withdraw(self, question_id: str) -> bool:
        """End it without the user; False, and nothing happens, if it is not open any more."""
        entry = self._open(question_id)
        if entry is None:
            return False
        _end(entry, _nothing(entry.question))
        return True

    def sight(self, question_id: str) -> Sight:
        """Return what the user sees of an open question; of another, nothing."""
        entry = self._open(question_id)
        return Sight() if entry is None else entry.sight

    def draft(self, question_id: str) -> Draft:
        """Return what stands in the form of that question."""
        entry = self._entries.get(question_id)
        return NO_DRAFT if entry is None else entry.draft

    def fill(self, question_id: str, number: int, filled: str | int | None) -> bool:
        """Change a field of a form as `elicitation.filled` says; False if that cannot be."""
        entry = self._open(question_id)
        wanted = None if entry is None else _form(entry.question)
        if entry is None or wanted is None:
            return False
        draft = elicitation.filled(wanted, entry.draft, number, filled)
        entry.draft = draft or entry.draft
        return draft is not None

    def _open(self, question_id: str) -> _Entry | None:
        entry = self._entries.get(question_id)
        return None if entry is None or entry.answer is not None else entry


def _question(question_id: str, request: QuestionRequest) -> Question:
    if isinstance(request, OwnRequest):
        return PermissionQuestion(question_id, "", request.options, request.subject, is_ours=True)
    if isinstance(request, PermissionRequest):
        call = request.tool_call.id if request.tool_call is not None else ""
        return PermissionQuestion(question_id, call, request.options, request.subject, request.asks)
    return ElicitationQuestion(question_id, request.elicitation, request.tool_call_id or "")


def _form(question: Question) -> Form | None:
    wanted = question.elicitation.wanted if isinstance(question, ElicitationQuestion) else None
    return wanted if isinstance(wanted, Form) else None


def _taken(entry: _Entry, answer: QuestionAnswer) -> QuestionAnswer | None:
    """Return what goes to the agent, None if the question does not take that."""
    match entry.question, answer:
        case PermissionQuestion(options=options), PermissionAnswer(option_id):
            return answer if option_id in {option.id for option in options} else None
        case ElicitationQuestion(elicitation=asked), ElicitationAnswer("accept", content):
            accepted = elicitation.accepted(asked.wanted, entry.draft, content)
            if isinstance(accepted, Draft):
                entry.draft = accepted
                return None
            return accepted
        case ElicitationQuestion(), ElicitationAnswer(action):
            return ElicitationAnswer(action)
        case _:
            return None


def _nothing(question: Question) -> QuestionAnswer:
    """Return the answer of a user who chose nothing."""
    if isinstance(question, PermissionQuestion):
        return PermissionAnswer(None)
    return ElicitationAnswer("cancel")


def _end(entry: _Entry, answer: QuestionAnswer) -> None:
    entry.answer = answer
    entry.answered.set()
