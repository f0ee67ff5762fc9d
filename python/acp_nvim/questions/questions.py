"""The one store of open questions to the user: permissions and elicitations, oldest first.

Nothing but `close` ends a question: no timeout, no rule and no default (C-183, C-190).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import anyio

from acp_nvim.session.model import Question
from acp_nvim.session.request import ElicitationAnswer, PermissionAnswer

Given: TypeAlias = PermissionAnswer | ElicitationAnswer | None
"""What the user answered; None: the question was withdrawn."""


@dataclass(slots=True)
class _Question:
    ask: Question
    answered: anyio.Event = field(default_factory=anyio.Event)
    answer: Given = None


class Questions:
    """The open questions of all agents."""

    def __init__(self) -> None:
        self._questions: dict[str, _Question] = {}
        self._count = 0

    @property
    def pending(self) -> tuple[Question, ...]:
        """All that wait for the user, oldest first."""
        questions = self._questions.values()
        return tuple(question.ask for question in questions if not question.answered.is_set())

    def next_id(self) -> str:
        """Return an id that no other question has."""
        self._count += 1
        return f"ask-{self._count}"

    def put(self, ask: Question) -> None:
        """Put a question; it must be awaited by `wait`."""
        self._questions[ask.id] = _Question(ask)

    async def wait(self, ask: Question) -> Given:
        """Return the answer, None if the question was withdrawn."""
        question = self._questions[ask.id]
        try:
            await question.answered.wait()
        finally:
            del self._questions[ask.id]
        return question.answer

    def find(self, ask_id: str) -> Question | None:
        """Return the question of that id if it is open."""
        question = self._questions.get(ask_id)
        return None if question is None or question.answered.is_set() else question.ask

    def close(self, ask_id: str, answer: Given = None) -> bool:
        """Answer or withdraw it; False, and nothing happens, if it is not open any more."""
        question = self._questions.get(ask_id)
        if question is None or question.answered.is_set():
            return False
        question.answer = answer
        question.answered.set()
        return True
