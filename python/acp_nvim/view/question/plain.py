"""A question as plain data, for the user's scripts and `inspect()`."""

from __future__ import annotations

from typing import Any

from acp_nvim.session.model import ElicitationQuestion, Question
from acp_nvim.session.state import SessionState
from acp_nvim.view.visible import one_line

TITLE = 200


def title(state: SessionState, question: Question) -> str:
    """Return what it is about: the tool call's title, ours, or the message, as one line."""
    if isinstance(question, ElicitationQuestion):
        return one_line(question.elicitation.message, TITLE)
    tool = state.tool_call(question.tool_call_id)
    if tool is None and question.subject is not None:
        return one_line(question.subject.title, TITLE)
    return question.tool_call_id if tool is None else tool.title


def kind(question: Question) -> str:
    """Return `permission` or `elicitation`."""
    return "elicitation" if isinstance(question, ElicitationQuestion) else "permission"


def options(question: Question) -> list[dict[str, Any]]:
    """Return what a permission can be answered with; [] for an elicitation."""
    if isinstance(question, ElicitationQuestion):
        return []
    return [{"id": it.id, "name": it.name, "kind": it.kind} for it in question.options]
