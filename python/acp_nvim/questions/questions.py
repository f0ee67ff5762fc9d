"""The one store of the open questions to the user, of all agents, oldest first.

Nothing but `answer` and `withdraw` ends a question: no timeout, no rule and no default (C-183,
C-190). What the user fills into a form lives with its question, and nowhere else (C-303).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import anyio
from msgspec import Struct, field

from acp_nvim.questions.preview import Previewed
from acp_nvim.session.elicitation import form
from acp_nvim.session.elicitation.address import judge
from acp_nvim.session.elicitation.form import Draft
from acp_nvim.session.elicitation.model import BooleanField, ChoicesField, Field, Form, Link
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


class Sight(Struct):
    """Of one open question; the digests are those of `view.question.menu`."""

    ready: bool = False
    """It may be shown: the files that it is about were read, or take too long."""
    said: str = ""
    """What the agent had said when it asked."""
    previews: tuple[Previewed, ...] = ()
    of: object = None
    """The deed that they are of: those of another one are not shown."""
    in_place: tuple[Previewed, ...] = ()
    """The same, found again whenever the user has typed in one of the files."""
    reading: bool = False
    """The files are being read now."""
    asked: str = ""
    """What it showed at first."""
    looked: str = ""
    """What it showed when the user last looked at a change."""

    def shows(self, seen: str, *, first: bool) -> None:
        """Take note that this is what it shows; `first`: it is what was asked."""
        if first or not self.asked:
            self.asked = seen

    def is_changed(self, seen: str) -> bool:
        """Tell whether what it shows is neither what was asked nor what was looked at."""
        return seen not in (self.asked, self.looked)


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
        `acceptance`: what is wrong with a form stands in its draft then.
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
        """Change a field of a form as `filled_in` says; False if that cannot be."""
        entry = self._open(question_id)
        wanted = None if entry is None else _form(entry.question)
        if entry is None or wanted is None:
            return False
        draft = filled_in(wanted, entry.draft, number, filled)
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
            accepted = acceptance(asked.wanted, entry.draft, content)
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


def filled_in(wanted: Form, draft: Draft, number: int, value: str | int | None) -> Draft | None:
    """Return the draft with another value in the field of that number, None if that cannot be.

    The value is a text, the number of an option, or None for empty; a yes-or-no is turned over, and
    so is an option of which there may be several.
    """
    if not 0 <= number < len(wanted.fields):
        return None
    field = wanted.fields[number]
    options = _options(field)
    if isinstance(value, int) and not 0 <= value < len(options):
        return None
    if isinstance(field, BooleanField):
        return form.fill(draft, field, not draft.filled.get(field.name))
    text = options[value] if isinstance(value, int) else value
    if isinstance(field, ChoicesField) and isinstance(value, int):
        return form.toggle(draft, field, options[value])
    return form.fill(draft, field, text)


def acceptance(
    wanted: Form | Link, draft: Draft, content: Mapping[str, Any] | None
) -> ElicitationAnswer | Draft | None:
    """Return the answer, the draft with what is wrong with it, or None for a refused link.

    A link that is not to be opened is not accepted (C-304). A form is accepted with `content`, or
    with what the user has filled in.
    """
    if isinstance(wanted, Link):
        return None if judge(wanted.url).refusal else ElicitationAnswer("accept")
    said = form.checked(wanted, draft) if content is None else form.written(wanted, content)
    if said.errors:
        return Draft(draft.filled, said.errors)
    return ElicitationAnswer("accept", form.content(wanted, said))


def _options(field: Field) -> tuple[str, ...]:
    return tuple(option.value for option in getattr(field, "options", ()))
