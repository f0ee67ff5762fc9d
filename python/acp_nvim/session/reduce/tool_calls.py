"""How a tool call is merged from all that the agent says of it (C-160 to C-167).

A reducer of this package. A create, an update and the tool call inside a permission are one and the
same upsert, because agents repeat the first and forget it.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from acp_nvim.session import sub_agents
from acp_nvim.session.event import UNSET, CallChangedFile, ToolCallUpdated
from acp_nvim.session.reduce.entries import OPEN, add_named, put
from acp_nvim.session.reduce.terminals import noted, shown_in
from acp_nvim.session.state import SessionState, ToolCall

_PATCHED = tuple(
    name for name in ToolCallUpdated.__struct_fields__ if name not in ("id", "more", "parent")
)


def tool_call_updated(state: SessionState, event: ToolCallUpdated) -> SessionState:
    """Create the tool call or patch it.

    Only a new one ends the current message: an update of a call that runs beside it must not cut
    a sentence in two.
    """
    call = state.tool_call(event.id)
    if call is not None and not _begins_again(state, call, event):
        merged = _merged(state, call, event)
        if merged == call:
            return _attached(state, merged, event.parent)
        state = put(state, merged, current=state.current)
    else:
        named = [word for word in (event.name, event.kind) if word is not UNSET and word]
        call = ToolCall("", event.id, state.turn, named[0] if named else event.id)
        state = add_named(state, f"tool:{event.id}", _merged(state, call, event))
        merged = state.tool_call(event.id) or call
    state = state if merged.content is call.content else noted(state, merged)
    return _attached(state, merged, event.parent)


def call_changed_file(state: SessionState, event: CallChangedFile) -> SessionState:
    """Count what a call has changed in a file, together with what it had changed there before."""
    call, change = state.tool_call(event.tool_call_id), event.change
    if call is None:
        return state
    known = next((it for it in call.changes if it.path == change.path), None)
    if known is not None:
        added, removed = known.added + change.added, known.removed + change.removed
        change = replace(known, added=added, removed=removed)
    others = (it for it in call.changes if it is not known)
    return put(state, replace(call, changes=(*others, change)), current=state.current)


def _attached(state: SessionState, call: ToolCall, parent_id: str) -> SessionState:
    """Put a call into the one in which it was made: one that came before it, and is in none.

    One of an earlier turn that is over takes no more: nobody looks there.
    """
    if not parent_id or call.parent or call.children:
        return state
    found = state.tool_call(parent_id)
    parent = state.entry(found.parent) if found and found.parent else found
    if not isinstance(parent, ToolCall) or state.index[parent.key] >= state.index[call.key]:
        return state
    if parent.turn != call.turn and parent.status not in OPEN:
        return state
    state = put(state, replace(call, parent=parent.key), current=state.current)
    state = state if parent.children else sub_agents.of_call(state, parent)
    parent = replace(parent, children=(*parent.children, call.key))
    return put(state, parent, current=state.current)


def _begins_again(state: SessionState, call: ToolCall, event: ToolCallUpdated) -> bool:
    """Tell whether this is another call under a used id: some agents count anew in each turn.

    Such a call is open, or it has a title; but a title may also come late for a call that we have
    closed. In a replay, which has an order, nothing comes late.
    """
    has_title, is_over = event.title is not UNSET, call.status not in OPEN
    if call.turn >= state.turn or (is_over and event.status in OPEN):
        return call.turn < state.turn
    if state.status == "loading":
        return has_title
    is_told = call.status in ("completed", "failed")
    return has_title and is_over and (is_told or event.title != call.title)


def _merged(state: SessionState, call: ToolCall, event: ToolCallUpdated) -> ToolCall:
    changes: dict[str, Any] = {
        name: value for name in _PATCHED if (value := getattr(event, name)) is not UNSET
    }
    if event.more:
        changes["content"] = (*changes.get("content", call.content), *event.more)
    if "content" in changes:
        changes["terminals"] = shown_in(state, changes["content"])
    if state.status in ("cancelling", "closed") and changes.get("status", call.status) in OPEN:
        # What the agent said before it heard of the end; completed and failed still win (C-145).
        changes["status"] = "cancelled"
    return replace(call, **changes)
