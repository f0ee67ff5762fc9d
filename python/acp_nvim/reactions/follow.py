"""Where the agent is: told to those who follow it."""

from __future__ import annotations

from acp_nvim.client.session import Session
from acp_nvim.follow.follow_along import AgentId
from acp_nvim.session.event import Event, ToolCallUpdated
from acp_nvim.session.place import places
from acp_nvim.session.state import SessionState
from acp_nvim.workspace.host import Host


def walk(host: Host, session: Session, _before: SessionState, event: ToolCallUpdated) -> None:
    """Go where the tool call says that the agent is; not while a session is loaded."""
    state, call = session.state, session.state.tool_call(event.id)
    if state.status != "loading" and call is not None:
        roots = host.workspace.roots(session)
        found = places(event, call, state.cwd, roots.paths)
        host.follow.walked(AgentId(state.agent, state.id), roots, event.id, found)


def begin(host: Host, session: Session, _before: SessionState, _event: Event) -> None:
    """Forget where the agent was: a turn begins, or the session is over."""
    host.follow.begin(AgentId(session.state.agent, session.state.id))
