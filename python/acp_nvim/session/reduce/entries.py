"""The transcript as a value: add an entry, put one in place of another, close what is open.

For the reducers of this package only. An entry never moves and is never taken out, so its position
makes a key unique, and everything but the touched entry stays the same object.
"""

from __future__ import annotations

from dataclasses import replace

from acp_nvim.session.model import Severity
from acp_nvim.session.state import Entry, Notice, SessionState, ToolCall

OPEN = frozenset({"pending", "in_progress"})


def add(state: SessionState, entry: Entry, *, current: str | None = None) -> SessionState:
    """Append an entry with a new key; `current` as in `SessionState`."""
    return replace(
        state,
        entries=(*state.entries, entry),
        index={**state.index, entry.key: len(state.entries)},
        current=current,
    )


def put(state: SessionState, entry: Entry, *, current: str | None) -> SessionState:
    """Put an entry in place of the one with the same key, which must be there."""
    position = state.index[entry.key]
    # Nearly every chunk: not unpacked, which makes a list first and takes six times as long.
    entries = state.entries[:position] + (entry,) + state.entries[position + 1 :]  # noqa: RUF005
    return replace(state, entries=entries, current=current)


def rename(state: SessionState, entry: ToolCall, key: str) -> SessionState:
    """Give an entry another key, which must be new, so that its own is free again."""
    position = state.index[entry.key]
    index = {name: place for name, place in state.index.items() if name != entry.key}
    entries = (*state.entries[:position], replace(entry, key=key), *state.entries[position + 1 :])
    return replace(state, entries=entries, index={**index, key: position})


def notice(state: SessionState, text: str, severity: Severity = "info") -> SessionState:
    """Append a notice."""
    key = f"notice:{state.turn}#{len(state.entries)}"
    return add(state, Notice(key, state.turn, text, severity))


def cancel_open(state: SessionState, *, since_turn: int) -> SessionState:
    """Show the tool calls of that turn and later ones as cancelled, if they are not finished.

    Looks at those turns only (v1/prompt-turn § Cancellation).
    """
    entries: list[Entry] = []
    for entry in reversed(state.entries):
        if entry.turn < since_turn:
            break
        entries.append(_cancelled(entry))
    first = len(state.entries) - len(entries)
    entries.reverse()
    if all(new is old for new, old in zip(entries, state.entries[first:], strict=True)):
        return state
    return replace(state, entries=(*state.entries[:first], *entries))


def _cancelled(entry: Entry) -> Entry:
    if isinstance(entry, ToolCall) and entry.status in OPEN:
        return replace(entry, status="cancelled")
    return entry
