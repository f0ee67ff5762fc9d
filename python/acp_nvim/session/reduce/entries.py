"""The transcript as a value: add an entry, put one in place of another, close what is open.

For the reducers of this package only. An entry never moves and is never taken out, so its position
makes a key unique, and everything but the touched entry stays the same object.
"""

from __future__ import annotations

from dataclasses import replace

from acp_nvim.session.log import Index, Log
from acp_nvim.session.model import Mark, Severity, ToolStatus
from acp_nvim.session.state import Compaction, Entry, Notice, SessionState, ToolCall

OPEN = frozenset({"pending", "in_progress"})


def add(state: SessionState, entry: Entry, *, current: str | None = None) -> SessionState:
    """Append an entry with a new key; `current` as in `SessionState`."""
    return state.evolved(
        entries=Log.of(state.entries).appended(entry),
        index=Index.of(state.index).put(entry.key, len(state.entries)),
        current=current,
    )


def put(state: SessionState, entry: Entry, *, current: str | None) -> SessionState:
    """Put an entry in place of the one with the same key, which must be there."""
    position = state.index[entry.key]
    entries = Log.of(state.entries).put(position, entry)
    return state.evolved(entries=entries, current=current)


def rename(state: SessionState, entry: ToolCall, key: str) -> SessionState:
    """Give an entry another key, which must be new, so that its own is free again."""
    position = state.index[entry.key]
    index = Index.of(state.index).without(entry.key).put(key, position)
    entries = Log.of(state.entries).put(position, replace(entry, key=key))
    return replace(state, entries=entries, index=index)


def notice(
    state: SessionState, text: str, severity: Severity = "info", mark: Mark = ""
) -> SessionState:
    """Append a notice."""
    key = f"notice:{state.turn}#{len(state.entries)}"
    return add(state, Notice(key, state.turn, text, severity, mark))


def close_open(
    state: SessionState, status: ToolStatus = "cancelled", *, since_turn: int
) -> SessionState:
    """Show what is not finished in that turn and later ones, tool calls above all, as closed.

    Looks at those turns only (v1/prompt-turn § Cancellation); what goes on in the background is
    not over.
    """
    entries = before = Log.of(state.entries)
    goes_on = {work.id for work in state.background if work.kind == "tool_call"}
    positions = range(len(before) - 1, -1, -1)
    for position, entry in zip(positions, reversed(tuple(before)), strict=True):
        if entry.turn < since_turn:
            break
        if isinstance(entry, ToolCall) and entry.id in goes_on:
            continue
        closed = _closed(entry, status)
        if closed is not entry:
            entries = entries.put(position, closed)
    return state if entries is before else replace(state, entries=entries)


def close_call(state: SessionState, tool_call_id: str, status: ToolStatus) -> SessionState:
    """Show a tool call as closed, if it is there and not finished."""
    call = state.tool_call(tool_call_id)
    if call is None or call.status not in OPEN:
        return state
    return put(state, replace(call, status=status), current=state.current)


def _closed(entry: Entry, status: ToolStatus) -> Entry:
    match entry:
        case ToolCall(status=known) if known in OPEN:
            return replace(entry, status=status)
        case Compaction(status="in_progress") if status == "cancelled":
            return replace(entry, status=status)
        case _:
            return entry
