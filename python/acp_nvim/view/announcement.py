"""Which `User` autocommand an event of a session becomes, and its data (`:help acp-events`)."""

from __future__ import annotations

from typing import Any, TypeAlias

from acp_nvim.session.event import (
    AskClosed,
    Event,
    ModeChanged,
    SessionClosed,
    SessionOpened,
    ToolCallUpdated,
    TurnEnded,
    TurnStarted,
    UsageChanged,
)
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
        case ToolCallUpdated(id):
            return "AcpToolCall", _tool_call(after, id)
        case AskClosed(id, option_id) if any(ask.id == id for ask in before.asks):
            return "AcpPermissionAnswered", {"ask": id, "option": option_id}
        case _:
            return _of_session(before, event)


def _of_session(before: SessionState, event: Event) -> Announcement | None:
    match event:
        case SessionOpened():
            return "AcpSessionStarted", {}
        case SessionClosed(reason) if before.status != "closed":
            return "AcpSessionClosed", {"reason": reason}
        case ModeChanged(mode) if before.mode != mode:
            return "AcpModeChanged", {"mode": mode}
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
