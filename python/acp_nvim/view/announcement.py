"""Which `User` autocommand an event of a session becomes, and its data (`:help acp-events`)."""

from __future__ import annotations

from typing import Any, TypeAlias

from acp_nvim.session.event import (
    ConfigReplaced,
    Event,
    ModeChanged,
    QuestionClosed,
    SessionClosed,
    SessionOpened,
    ToolCallUpdated,
    TurnEnded,
    TurnStarted,
    UsageChanged,
)
from acp_nvim.session.model import ElicitationQuestion, PermissionQuestion, Question
from acp_nvim.session.options import mode_of
from acp_nvim.session.state import SessionState
from acp_nvim.view.cut import ITEMS
from acp_nvim.view.visible import one_line

Announcement: TypeAlias = tuple[str, dict[str, Any]]


def announce(before: SessionState, event: Event, after: SessionState) -> Announcement | None:
    """Return name and plain data of the autocommand, or None; `agent` and `session` are in it."""
    found = _of(before, event, after)
    if found is None:
        return None
    name, data = found
    parent = {"parent": after.parent} if after.parent else {}
    return name, _known(after, {"session": after.id or before.id} | parent | data)


def asked(state: SessionState, question: Question) -> Announcement:
    """Return the same of a new question: for the moment when the user can see it."""
    known = {"session": state.id, "ask": question.id, "title": title_of(state, question)}
    if isinstance(question, ElicitationQuestion):
        data = known | {"mode": question.elicitation.mode}
        return "AcpElicitationRequested", _known(state, data)
    return "AcpPermissionRequested", _known(state, known | {"options": options_of(question)})


def _known(state: SessionState, data: dict[str, Any]) -> dict[str, Any]:
    return {"agent": state.agent} | {key: it for key, it in data.items() if it is not None}


def _of(before: SessionState, event: Event, after: SessionState) -> Announcement | None:
    match event:
        case TurnStarted():
            return "AcpTurnStarted", {"turn": after.turn}
        case TurnEnded(_, stop_reason, error) if before.is_running:
            data = {"turn": after.turn, "stop_reason": stop_reason, "error": error}
            return "AcpTurnEnded", data
        case ToolCallUpdated() if before.status == "loading":
            return None  # a replay is history: nothing happens now
        case ToolCallUpdated(id):
            return "AcpToolCall", _tool_call(after, id)
        case QuestionClosed(id, option_id) if _is_permission(before, id):
            return "AcpPermissionAnswered", {"ask": id, "option": option_id}
        case _:
            return _of_session(before, event, after)


def _is_permission(state: SessionState, question_id: str) -> bool:
    found = (it for it in state.questions if it.id == question_id)
    return isinstance(next(found, None), PermissionQuestion)


def _of_session(before: SessionState, event: Event, after: SessionState) -> Announcement | None:
    match event:
        case SessionOpened():
            return "AcpSessionStarted", {}
        case SessionClosed(reason) if before.status != "closed":
            return "AcpSessionClosed", {"reason": reason}
        case ModeChanged() | ConfigReplaced() if mode_of(before) != mode_of(after):
            return "AcpModeChanged", {"mode": mode_of(after)}
        case UsageChanged(used, size, cost):
            amount = None if cost is None else {"amount": cost.amount, "currency": cost.currency}
            return "AcpUsage", {"used": used, "size": size, "cost": amount}
        case _:
            return None


def _tool_call(state: SessionState, tool_call_id: str) -> dict[str, Any]:
    tool = state.tool_call(tool_call_id)
    if tool is None:
        return {"id": tool_call_id}
    locations = tool.locations[:ITEMS]
    places = [{"path": place.path, "line": place.line or 0} for place in locations]
    return {
        "id": tool.id,
        "title": tool.title,
        "kind": tool.kind,
        "status": tool.status,
        "locations": places,
    }


TITLE = 200


def title_of(state: SessionState, question: Question) -> str:
    """Return what it is about: the tool call's title, ours, or the message, as one line."""
    if isinstance(question, ElicitationQuestion):
        return one_line(question.elicitation.message, TITLE)
    tool = state.tool_call(question.tool_call_id)
    if tool is None and question.subject is not None:
        return one_line(question.subject.title, TITLE)
    return question.tool_call_id if tool is None else tool.title


def kind_of(question: Question) -> str:
    """Return `permission` or `elicitation`."""
    return "elicitation" if isinstance(question, ElicitationQuestion) else "permission"


def options_of(question: Question) -> list[dict[str, Any]]:
    """Return what a permission can be answered with; [] for an elicitation."""
    if isinstance(question, ElicitationQuestion):
        return []
    return [{"id": it.id, "name": it.name, "kind": it.kind} for it in question.options]
