"""The transcript as a value: add an entry, put one in place of another, close what is open.

For the reducers of this package only. An entry never moves, is never taken out and keeps its key:
so its position makes a key unique, what refers to an entry by its key stays right, and everything
but the touched entry stays the same object.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

from msgspec.structs import replace

from acp_nvim.session.log import Index, Log, Table
from acp_nvim.session.model import Mark, Severity, ToolStatus
from acp_nvim.session.state import Compaction, Entry, Notice, SessionState, ToolCall

Named: TypeAlias = ToolCall | Compaction
OPEN = frozenset({"pending", "in_progress"})


def add(state: SessionState, entry: Entry, *, current: str | None = None) -> SessionState:
    """Append an entry with a new key; `current` as in `SessionState`."""
    return replace(
        state,
        entries=Log.of(state.entries).appended(entry),
        index=Index.of(state.index).put(entry.key, len(state.entries)),
        current=current,
    )


def put(state: SessionState, entry: Entry, *, current: str | None) -> SessionState:
    """Put an entry in place of the one with the same key, which must be there."""
    position = state.index[entry.key]
    entries = Log.of(state.entries).put(position, entry)
    return replace(state, entries=entries, current=current)


def add_named(state: SessionState, name: str, entry: Named) -> SessionState:
    """Append what the agent calls by that name from now on, under a key that no other entry has."""
    if name not in state.index:
        return add(state, replace(entry, key=name))
    key = f"again#{len(state.entries)}:{name}"
    state = add(state, replace(entry, key=key))
    return replace(state, latest=Table.of(state.latest).put(name, key))


def under_new_keys(kept: Sequence[Entry]) -> list[Entry]:
    """Return kept entries under keys of their own, with all that refers to them.

    They may come from several sessions, and some may be gone: a call was made in the nearest one
    before it that has the key of its parent, or it stands alone.
    """
    nearest: dict[str, int] = {}
    parents: dict[int, int] = {}
    children: defaultdict[int, list[str]] = defaultdict(list)
    for place, entry in enumerate(kept):
        outer = nearest.get(entry.parent) if isinstance(entry, ToolCall) and entry.parent else None
        if outer is not None and outer not in parents and isinstance(kept[outer], ToolCall):
            parents[place] = outer
            children[outer].append(_kept(place))
        nearest[entry.key] = place
    return [
        _renamed(it, place, parents.get(place), tuple(children.get(place, ())))
        for place, it in enumerate(kept)
    ]


def _kept(place: int | None) -> str:
    return "" if place is None else f"kept:{place}"


def _renamed(entry: Entry, place: int, parent: int | None, children: tuple[str, ...]) -> Entry:
    """Return the same entry if all of that is so already."""
    if not isinstance(entry, ToolCall):
        return entry if entry.key == _kept(place) else replace(entry, key=_kept(place))
    names = (_kept(place), _kept(parent), children)
    if (entry.key, entry.parent, entry.children) == names:
        return entry
    return replace(entry, key=names[0], parent=names[1], children=names[2])


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
    before, changes = Log.of(state.entries), dict[int, Entry]()
    goes_on = {work.id for work in state.background if work.kind == "tool_call"}
    positions = range(len(before) - 1, -1, -1)
    for position, entry in zip(positions, reversed(tuple(before)), strict=True):
        if entry.turn < since_turn:
            break
        if isinstance(entry, ToolCall) and entry.id in goes_on:
            continue
        closed = _closed(entry, status)
        if closed is not entry:
            changes[position] = closed
    return replace(state, entries=before.put_all(changes)) if changes else state


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
