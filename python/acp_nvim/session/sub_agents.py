"""Who does a part of a turn for the agent: each sub-agent of a session once, with its name.

Some work by tool calls that are made in one of their agent's, some have a session of their own. The
list has both, the oldest first. Pure; for the reducers, and for whoever shows or names them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from msgspec.structs import replace

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.event import UNSET, SubAgentUpdated
from acp_nvim.session.model import ToolStatus
from acp_nvim.session.reduce.entries import add, put
from acp_nvim.session.state import SessionState, SubAgent, ToolCall

Activity: TypeAlias = Literal["running", "done", "failed", ""]
"""What it is at, "" if that is not known."""

MOST: Final = 500
"""Sub-agents of a session that are known; the oldest are forgotten."""
NAME: Final = 40
"""Characters of a name."""
WORDS: Final = frozenset({"file", "all", "because", "off", "agent"})
"""What commands take for something else."""
_CALLS: Mapping[str, ToolStatus] = {
    "running": "in_progress",
    "done": "completed",
    "failed": "failed",
    "": "pending",
}
_APART = lazy_pattern(r"[^\w]+", re.UNICODE)


def of_call(state: SessionState, call: ToolCall) -> SessionState:
    """Take in a call in which another one was made: a sub-agent works there."""
    new = SubAgent(call.id, call.turn, key=call.key)
    return _with(state, replace(new, name=_name(state, new, call.title)))


def updated(state: SessionState, event: SubAgentUpdated) -> SessionState:
    """Take what the agent tells of a sub-agent with a session; in that itself, what it is called
    and whether it can be cancelled."""
    if event.id == state.id:
        title = state.title if event.title is UNSET else event.title
        can = state.cancellable if event.cancellable is UNSET else event.cancellable
        return replace(state, title=title, cancellable=can)
    known = find(state, event.id)
    was = known or SubAgent(event.id, state.turn)
    title = was.title if event.title is UNSET else event.title or ""
    told = was.activity if event.activity is UNSET else event.activity or ""
    turn = state.turn if told == "running" and was.activity != "running" else was.turn
    new = replace(was, title=title, activity=told, turn=turn)
    if not was.name or (title and not was.title) or turn != was.turn:
        new = replace(new, name=_name(state, new, title))
    return state if new == known else _in_transcript(_with(state, new), new)


def _in_transcript(state: SessionState, sub_agent: SubAgent) -> SessionState:
    """Show one with a session as a call of no name: agents tell no call of theirs then."""
    key = f"sub:{sub_agent.turn}:{sub_agent.id}"
    entry = state.entry(key)
    was = entry if isinstance(entry, ToolCall) else ToolCall(key, "", state.turn, kind="think")
    now = replace(was, title=sub_agent.title or sub_agent.name, status=_CALLS[sub_agent.activity])
    if entry is None:
        return add(state, now)
    return state if now == was else put(state, now, current=state.current)


def restored(
    calls: Iterable[ToolCall], kept: Sequence[SubAgent], state: SessionState
) -> SessionState:
    """Return the state with the sub-agents of kept calls, and those that were kept themselves."""
    state = replace(state, sub_agents=tuple(replace(it, activity="") for it in kept))
    for call in calls:
        state = of_call(state, call) if call.children else state
    return state


def find(state: SessionState, sub_agent: str) -> SubAgent | None:
    """Return the sub-agent with that session, or None."""
    return next((it for it in state.sub_agents if it.id == sub_agent and not it.key), None)


def in_call(state: SessionState, call: ToolCall | None) -> SubAgent | None:
    """Return the sub-agent that has made that call; None: the agent itself has."""
    key = call.parent if call is not None else ""
    return next((it for it in reversed(state.sub_agents) if key and it.key == key), None)


def title(state: SessionState, sub_agent: SubAgent) -> str:
    """Return what a sub-agent is called."""
    call = state.entry(sub_agent.key) if sub_agent.key else None
    return (call.title if isinstance(call, ToolCall) else sub_agent.title) or sub_agent.name


def activity(state: SessionState, sub_agent: SubAgent) -> Activity:
    """Return what a sub-agent is at, as its call says, or the agent."""
    call = state.entry(sub_agent.key) if sub_agent.key else None
    if not isinstance(call, ToolCall):
        return sub_agent.activity
    match call.status:
        case "pending" | "in_progress":
            return "running"
        case "completed" | "ended":
            return "done"
        case _:
            return "failed"


def shown(state: SessionState) -> tuple[SubAgent, ...]:
    """Return those of the last turn, and those that still run."""
    subs = state.sub_agents
    return tuple(it for it in subs if it.turn == state.turn or activity(state, it) == "running")


def _with(state: SessionState, new: SubAgent) -> SessionState:
    known = state.sub_agents
    if all((it.id, it.key) != (new.id, new.key) for it in known):
        return replace(state, sub_agents=(*known[-MOST + 1 :], new))
    subs = tuple(new if (it.id, it.key) == (new.id, new.key) else it for it in known)
    return replace(state, sub_agents=subs)


def _name(state: SessionState, new: SubAgent, words: str) -> str:
    """Return a word for commands, as in "tests-for-stats", that no other has in its turn."""
    name = _APART.sub("-", words.casefold())[:NAME].strip("-_") or "sub-agent"
    name = f"sub-{name}" if name in WORDS or name.isdigit() else name
    others = (it for it in state.sub_agents if (it.id, it.key) != (new.id, new.key))
    taken = {it.name for it in others if it.turn == new.turn}
    numbers = (f"{name}-{number}" for number in range(2, MOST + 2))
    return name if name not in taken else next(it for it in numbers if it not in taken)
