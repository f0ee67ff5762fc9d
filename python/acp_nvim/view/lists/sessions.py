"""The sessions that can be chosen, each once: what kind, in which state, its title, its age.

Pure; called by `commands.sessions` for the picker, by `session_list` for the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.session import sub_agents
from acp_nvim.session.model import ListedSession
from acp_nvim.session.saved import SavedSession
from acp_nvim.session.state import SessionState
from acp_nvim.view.status import plan_step, running_tool, spent
from acp_nvim.view.visible import one_line

Kind: TypeAlias = Literal["open", "listed", "stored"]
Outcome: TypeAlias = Literal["", "done", "failed"]

_KIND_NAMES = {"open": "open", "listed": "agent", "stored": "kept"}
WELL = ("end_turn", "cancelled")
"""Stop reasons of a turn that did not fail."""
_STEPS = ((86_400 * 7, "w"), (86_400, "d"), (3_600, "h"), (60, "min"))


class Work(Struct, frozen=True):
    """What a session is at, as far as its row tells it."""

    plan: str = ""
    """How far the plan is, and its step: "2/4 ◐ Fix it"."""
    tool: str = ""
    """The title of the tool call that runs."""
    cost: str = ""
    hunks: int = 0
    """Of it, waiting for review."""


NO_WORK = Work()


def work(state: SessionState) -> Work:
    """Return what a session is at now."""
    plan = " ".join(plan_step(state)).strip() if state.is_running else ""
    tool = running_tool(state, is_own=True) if state.is_running else ""
    return Work(plan, tool, spent(state.usage))


def is_other_work(before: SessionState, state: SessionState) -> bool:
    """Tell whether a session may be at something else; a long plan is not looked through."""
    costs = [it.usage.cost if it.usage else None for it in (before, state)]
    is_same = before.plan is state.plan and costs[0] == costs[1]
    if not is_same or running_tool(before, is_own=True) != running_tool(state, is_own=True):
        return True
    if not state.sub_agents:
        return False
    at = [[sub_agents.activity(it, sub) for sub in sub_agents.shown(it)] for it in (before, state)]
    return before.sub_agents is not state.sub_agents or at[0] != at[1]


class Sub(Struct, frozen=True):
    """Where a sub-agent belongs; `depth` 0: it is none."""

    parent: str = ""
    """The id of the session that has begun it."""
    chat: int = 0
    """The chat that shows that."""
    call: str = ""
    """Id of the call in which it works; "": it has a session."""
    depth: int = 0
    """How many sessions it is below."""


NO_SUB = Sub()


class Row(Struct, frozen=True):
    """One session that can be chosen; `updated` in seconds since 1970, None if not known."""

    kind: Kind
    agent: str
    id: str
    cwd: str
    title: str | None = None
    updated: float | None = None
    state: str = ""
    roots: tuple[str, ...] = ()
    chat: int = 0
    """The chat that shows it, if it is open."""
    asks: int = 0
    """Questions of it that wait."""
    was_open: bool = False
    """It was when the last Neovim of the project ended."""
    work: Work = NO_WORK
    """What it is at, if it is open."""
    outcome: Outcome = ""
    """How its last turn has ended, "": there was none."""
    sub: Sub = NO_SUB
    """What it is below, if it is a sub-agent."""
    worktree: str = ""
    """What the worktree is called that it works in."""
    since: int = 0
    """The last turn of the session that it goes on from, after a rewind for instance."""


def open_row(chat: int, state: SessionState, *, epoch: float = 0.0) -> Row:
    """Return the row of a session that a chat shows; `epoch`: when its clock began."""
    worked = state.turn_started if state.is_running else state.turn_ended
    return Row(
        "open",
        state.agent,
        state.id or "",
        state.cwd,
        state.title,
        seconds_of(state.updated_at) if worked is None else epoch + worked,
        state.status,
        chat=chat,
        asks=len(state.questions),
        work=work(state),
        outcome=_outcome(state),
        since=state.origins[-1].last if state.origins else 0,
    )


def _outcome(state: SessionState) -> Outcome:
    """Return how the last turn has ended; what was kept has no turn that ended here."""
    is_well = not state.cut_off and (state.turn_ended is None or state.stop_reason in WELL)
    if not is_well:
        return "failed"
    return "done" if state.turn else ""


def listed_row(agent: str, listed: ListedSession) -> Row:
    """Return the row of a session that the agent knows; its roots are as listed now (C-078)."""
    updated = seconds_of(listed.updated_at)
    roots = listed.additional_directories
    return Row("listed", agent, listed.id, listed.cwd, listed.title, updated, roots=roots)


def stored_row(record: SavedSession, *, was_open: bool = False) -> Row:
    """Return the row of a session that was kept, and was perhaps open when Neovim ended."""
    return Row(
        "stored",
        record.agent,
        record.id,
        record.cwd,
        record.title,
        record.updated,
        was_open=was_open,
        since=record.origins[-1].last if record.origins else 0,
    )


def merged(groups: Sequence[Sequence[Row]]) -> tuple[Row, ...]:
    """Return each session once, as the first group knows it; groups in order, newest first.

    What an earlier group does not know of a session (title, time), a later one may tell. The open
    sessions, which come first, keep their order.
    """
    rows: dict[tuple[str, str], Row] = {}
    loose: list[Row] = []
    for row in (row for group in groups for row in group):
        known = rows.get((row.agent, row.id))
        if not row.id:
            loose.append(row)
        elif known is None:
            rows[row.agent, row.id] = row
        else:
            rows[row.agent, row.id] = _completed(known, row)
    opened = [*loose, *(row for row in rows.values() if row.kind == "open")]
    others = [row for row in rows.values() if row.kind != "open"]
    return (*opened, *sorted(others, key=lambda row: row.updated or 0.0, reverse=True))


def _completed(row: Row, other: Row) -> Row:
    updated = row.updated if row.updated is not None else other.updated
    was_open = row.kind != "open" and (row.was_open or other.was_open)
    since, title = row.since or other.since, row.title or other.title
    return replace(row, title=title, updated=updated, was_open=was_open, since=since)


def called(row: Row, most: int) -> str:
    """Return what tells it from others, its title last: the edge of a window cuts that.

    The agent knows one that is not open by its id.
    """
    if row.kind == "open" and not row.title and not row.sub.depth:
        return "(nothing said yet)" if row.id else "(not open yet)"
    since = f"from turn {row.since} on · " if row.since else ""
    return since + one_line(row.title or row.id, most)


def label(row: Row, *, now: float, cwd: str) -> str:
    """Return the row's text; the folder is named where it is not `cwd`."""
    parts = [
        f"{_KIND_NAMES[row.kind]:<5}",
        one_line(row.agent, 20),
        "was open" if row.was_open else row.state,
        f"{row.asks} waiting" if row.asks else "",
        called(row, 60),
        "" if row.updated is None else f"{age(now - row.updated)} ago",
        "" if row.cwd == cwd else one_line(row.worktree or row.cwd, 40),
        f"and {one_line(', '.join(row.roots), 40)}" if row.roots else "",
    ]
    return " · ".join(part for part in parts if part)


def age(seconds: float) -> str:
    """Return a span of time in its largest unit: 3 min, 2 h, 5 d, 7 w."""
    for length, unit in _STEPS:
        if seconds >= length:
            return f"{int(seconds // length)} {unit}"
    return f"{max(0, int(seconds))} s"


def seconds_of(text: str | None) -> float | None:
    """Return seconds since 1970 of an ISO 8601 time; None for anything else (C-101)."""
    try:
        return datetime.fromisoformat(text or "").timestamp()
    except (ValueError, OverflowError, OSError):
        return None
