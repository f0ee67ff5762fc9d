"""Questions to the user, each open until it is answered: nothing else ever answers one.

No timeout, no rule and no default approves anything (C-183, C-190).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import anyio

from acp_nvim.session.noun import PendingAsk, PermissionOption


@dataclass(slots=True)
class _Question:
    ask: PendingAsk
    answered: anyio.Event = field(default_factory=anyio.Event)
    option_id: str | None = None


class Permissions:
    """The open permission asks of all agents, oldest first."""

    def __init__(self) -> None:
        self._questions: dict[str, _Question] = {}
        self._count = 0

    @property
    def pending(self) -> tuple[PendingAsk, ...]:
        """All that wait for the user, oldest first."""
        questions = self._questions.values()
        return tuple(question.ask for question in questions if not question.answered.is_set())

    def open(self, tool_call_id: str, options: tuple[PermissionOption, ...]) -> PendingAsk:
        """Put a question; it must be awaited by `wait`."""
        self._count += 1
        ask = PendingAsk(f"ask-{self._count}", "permission", tool_call_id, options)
        self._questions[ask.id] = _Question(ask)
        return ask

    async def wait(self, ask: PendingAsk) -> str | None:
        """Return the id of the option that the user chose, None if the turn was cancelled."""
        question = self._questions[ask.id]
        try:
            await question.answered.wait()
        finally:
            del self._questions[ask.id]
        return question.option_id

    def answer(self, ask_id: str, option_id: str) -> bool:
        """Answer with one of the agent's options; False, and nothing happens, for any other."""
        question = self._questions.get(ask_id)
        if question is None or option_id not in {option.id for option in question.ask.options}:
            return False
        return _close(question, option_id)

    def cancel(self, ask_id: str) -> bool:
        """Answer that the turn was cancelled; False if it is not open any more."""
        question = self._questions.get(ask_id)
        return question is not None and _close(question, None)


def _close(question: _Question, option_id: str | None) -> bool:
    if question.answered.is_set():
        return False
    question.option_id = option_id
    question.answered.set()
    return True
