"""Permissions: questions with the agent's own options, open until the user takes one.

No timeout, no rule and no default approves anything (C-183, C-190).
"""

from __future__ import annotations

from acp_nvim.questions.questions import Questions
from acp_nvim.session.model import PermissionOption, Question
from acp_nvim.session.request import PermissionAnswer


class Permissions:
    """The open permission asks of all agents, oldest first; `questions` has the others too."""

    def __init__(self) -> None:
        self.questions = Questions()

    @property
    def pending(self) -> tuple[Question, ...]:
        """All permissions that wait for the user, oldest first."""
        return tuple(ask for ask in self.questions.pending if ask.kind == "permission")

    def open(self, tool_call_id: str, options: tuple[PermissionOption, ...]) -> Question:
        """Put a question; it must be awaited by `wait`."""
        ask = Question(self.questions.next_id(), "permission", tool_call_id, options)
        self.questions.put(ask)
        return ask

    async def wait(self, ask: Question) -> str | None:
        """Return the id of the option that the user chose, None if the turn was cancelled."""
        answer = await self.questions.wait(ask)
        return answer.option_id if isinstance(answer, PermissionAnswer) else None

    def answer(self, ask_id: str, option_id: str) -> bool:
        """Answer with one of the agent's options; False, and nothing happens, for any other."""
        ask = self.questions.find(ask_id)
        if ask is None or option_id not in {option.id for option in ask.options}:
            return False
        return self.questions.close(ask_id, PermissionAnswer(option_id))

    def cancel(self, ask_id: str) -> bool:
        """Withdraw a question of any kind; False if it is not open any more."""
        return self.questions.close(ask_id)
