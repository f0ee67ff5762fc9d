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
from acp_nvim.session.options import mode_of
from acp_nvim.session.state import SessionState, ToolCall

Announcement: TypeAlias = tuple[str, dict[str, Any]]


def announce(before: SessionState, event: Event, after: SessionState) -> Announcement | None:
    """Return name and plain data of the autocommand, or None; `agent` and `session` are in it."""
    found = _of(before, event, after)
    if found is None:
        return None
    name, data = found
    common = {"agent": after.agent, "session": after.id or before.id}
    return name, {key: value for key, value in {**common, **data}.items() if value is not None}


def _of(before: SessionState, event: Event, after: SessionState) -> Announcement | None:
    match event:
        case TurnStarted():
            return "AcpTurnStarted", {"turn": after.turn}
        case TurnEnded(_, stop_reason, error) if before.status in ("running", "cancelling"):
            data = {"turn": after.turn, "stop_reason": stop_reason, "error": error}
            return "AcpTurnEnded", data
        case ToolCallUpdated() if before.status == "loading":
            return None  # a replay is history: nothing happens now (P-02)
        case ToolCallUpdated(id):
            return "AcpToolCall", _tool_call(after, id)
        case QuestionClosed(id, option_id) if _is_permission(before, id):
            return "AcpPermissionAnswered", {"ask": id, "option": option_id}
        case _:
            return _of_session(before, event, after)


def _is_permission(state: SessionState, ask_id: str) -> bool:
    return any(
        question.id == ask_id and question.kind == "permission" for question in state.questions
    )


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
    tool = state.entry(f"tool:{tool_call_id}")
    if not isinstance(tool, ToolCall):
        return {"id": tool_call_id}
    places = [{"path": place.path, "line": place.line or 0} for place in tool.locations]
    return {
        "id": tool.id,
        "title": tool.title,
        "kind": tool.kind,
        "status": tool.status,
        "locations": places,
    }
