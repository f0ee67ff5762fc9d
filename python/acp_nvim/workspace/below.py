"""The rows of sub-agents: each stands below the session that has begun it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from acp_nvim.session import sub_agents
from acp_nvim.session.model import PermissionQuestion
from acp_nvim.session.state import SessionState, SubAgent, ToolCall
from acp_nvim.view.lists.sessions import Outcome, Row, Sub, Work
from acp_nvim.view.status import running_tool
from acp_nvim.workspace.workspace import Workspace

Waiting: TypeAlias = Mapping[tuple[str, str, str], int]
"""How many hunks wait, by agent, session and sub-agent."""

MOST = 20
"""Sub-agents of one session that have a row."""
DEEPEST = 3
_STATES = {"running": "running", "done": "idle", "failed": "idle", "": "idle"}
_OUTCOMES: Mapping[str, Outcome] = {"done": "done", "failed": "failed"}


def sub_rows(space: Workspace, above: Row, waiting: Waiting) -> Iterator[Row]:
    """Yield the rows below that of an open session, its newest turn's and all that still run."""
    session = space.session(above.agent, above.id) if above.id else None
    if session is None or above.sub.depth >= DEEPEST or not session.state.sub_agents:
        return
    for sub_agent in sub_agents.shown(session.state)[-MOST:]:
        row = _row(space, session.state, sub_agent, above, waiting)
        yield row
        if not sub_agent.key:
            yield from sub_rows(space, row, waiting)


def _row(
    space: Workspace, state: SessionState, sub_agent: SubAgent, above: Row, waiting: Waiting
) -> Row:
    own = None if sub_agent.key else space.session(state.agent, sub_agent.id)
    chat = None if own is None else space.chat_of(own)
    activity = sub_agents.activity(state, sub_agent)
    if own is not None and own.state.is_running:
        activity = "running"
    hunks = hunks_of(_root(space, state), waiting, sub_agent.id)
    tool = running_tool(own.state) if own else _running(state, sub_agent)
    return Row(
        "open",
        state.agent,
        "" if sub_agent.key else sub_agent.id,
        state.cwd if own is None else own.state.cwd,
        sub_agents.title(state, sub_agent),
        state=_STATES[activity],
        chat=chat.number if chat else 0,
        asks=len(own.state.questions) if own else _asks(state, sub_agent),
        work=Work(tool=tool if activity == "running" else "", hunks=hunks),
        outcome=_OUTCOMES.get(activity, ""),
        sub=Sub(
            state.id or "",
            above.chat or above.sub.chat,
            sub_agent.id if sub_agent.key else "",
            above.sub.depth + 1,
        ),
    )


def hunks_of(state: SessionState, waiting: Waiting, sub_agent: str = "") -> int:
    """Return how many hunks of a session, and of those that it goes on from, wait for review."""
    keys = {it.key for it in state.stretches}
    return sum(waiting.get((*key, sub_agent), 0) for key in keys)


def _root(space: Workspace, state: SessionState) -> SessionState:
    """Return the session of the user, whose turn all of it is."""
    above = space.session(state.agent, state.parent) if state.parent else None
    return state if above is None or above.state.id == state.id else _root(space, above.state)


def _asks(state: SessionState, sub_agent: SubAgent) -> int:
    """Return how many questions are about calls of a sub-agent."""
    asked = (it.tool_call_id for it in state.questions if isinstance(it, PermissionQuestion))
    calls = (state.tool_call(it) for it in asked)
    return sum(it is not None and it.parent == sub_agent.key for it in calls)


def _running(state: SessionState, sub_agent: SubAgent) -> str:
    """Return the title of the last call of a sub-agent that is not over."""
    call = state.entry(sub_agent.key)
    keys = call.children if isinstance(call, ToolCall) else ()
    calls = (state.entry(key) for key in reversed(keys[-MOST:]))
    titles = (it.title for it in calls if isinstance(it, ToolCall) and it.status == "in_progress")
    return next(titles, "")
