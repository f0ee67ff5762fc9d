"""Elicitations: forms and links, open until the user accepts, declines or cancels.

What the user fills in lives here as long as its question is open, and nowhere else (C-303).
Nothing is accepted that its schema forbids (C-285), and nothing is sent by itself (C-283).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acp_nvim.questions.questions import Questions
from acp_nvim.session.elicitation import form
from acp_nvim.session.elicitation.address import judge
from acp_nvim.session.elicitation.form import Draft
from acp_nvim.session.elicitation.model import (
    BooleanField,
    ChoicesField,
    Elicitation,
    Field,
    Form,
    Link,
)
from acp_nvim.session.model import Question
from acp_nvim.session.request import ElicitationAction, ElicitationAnswer

EMPTY = Draft({}, {})


class Elicitations:
    """The open elicitations of all agents, in the same store as the permissions."""

    def __init__(self, questions: Questions) -> None:
        self.questions = questions
        self._drafts: dict[str, Draft] = {}

    def open(self, elicitation: Elicitation, tool_call_id: str = "") -> Question:
        """Put a question; it must be awaited by `wait`."""
        ask = Question(
            self.questions.next_id(), "elicitation", tool_call_id, elicitation=elicitation
        )
        if isinstance(elicitation.wanted, Form):
            self._drafts[ask.id] = form.prefilled(elicitation.wanted)
        self.questions.put(ask)
        return ask

    async def wait(self, ask: Question) -> ElicitationAnswer:
        """Return what the user did; `cancel` if the question was withdrawn (C-144)."""
        try:
            answer = await self.questions.wait(ask)
        finally:
            self._drafts.pop(ask.id, None)
        return answer if isinstance(answer, ElicitationAnswer) else ElicitationAnswer("cancel")

    def draft(self, ask_id: str) -> Draft:
        """Return what stands in the form of that question."""
        return self._drafts.get(ask_id, EMPTY)

    def fill(self, ask_id: str, number: int, filled: str | int | None) -> bool:
        """Change a field by its number: the text of it, the number of an option, None for empty.

        A yes-or-no is turned over, and so is an option of which there may be several. False if
        there is no such question, field or option.
        """
        wanted = self._form(ask_id)
        if wanted is None or not 0 <= number < len(wanted.fields):
            return False
        field, draft = wanted.fields[number], self._drafts[ask_id]
        if isinstance(filled, int) and not 0 <= filled < len(_options(field)):
            return False
        if isinstance(field, BooleanField):
            self._drafts[ask_id] = form.fill(draft, field, not draft.filled.get(field.name))
        elif isinstance(field, ChoicesField) and isinstance(filled, int):
            self._drafts[ask_id] = form.toggle(draft, field, field.options[filled].value)
        else:
            text = _options(field)[filled] if isinstance(filled, int) else filled
            self._drafts[ask_id] = form.fill(draft, field, text)
        return True

    def answer(
        self, ask_id: str, action: ElicitationAction, content: Mapping[str, Any] | None = None
    ) -> bool:
        """Answer the question; False, and nothing happens, if it is not open or not acceptable.

        A link that is not to be opened is not accepted (C-304). A form is accepted with `content`,
        or with what the user has filled in; what is wrong with it stands in its draft then.
        """
        ask = self.questions.find(ask_id)
        if ask is None or ask.elicitation is None:
            return False
        wanted = ask.elicitation.wanted
        if action == "accept" and isinstance(wanted, Link) and judge(wanted.url).refusal:
            return False
        if action != "accept" or isinstance(wanted, Link):
            return self.questions.close(ask_id, ElicitationAnswer(action))
        if content is None:
            draft = form.checked(wanted, self._drafts[ask_id])
        else:
            draft = form.written(wanted, content)
        if draft.errors:
            self._drafts[ask_id] = Draft(self._drafts[ask_id].filled, draft.errors)
            return False
        return self.questions.close(
            ask_id, ElicitationAnswer("accept", form.content(wanted, draft))
        )

    def _form(self, ask_id: str) -> Form | None:
        """Return the form of an open question, or None."""
        ask = self.questions.find(ask_id)
        wanted = ask.elicitation.wanted if ask is not None and ask.elicitation else None
        return wanted if isinstance(wanted, Form) else None


def _options(field: Field) -> tuple[str, ...]:
    return tuple(option.value for option in getattr(field, "options", ()))
