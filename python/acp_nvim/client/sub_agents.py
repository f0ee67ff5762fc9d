"""Sub-agents that have a session of their own: taken in when their agent's session tells of them.

Such a session takes no prompt, and is cancelled only if the agent says so. It lives as long as the
one that has begun it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from acp_nvim.client.launch import Launch
from acp_nvim.client.registry import Registry
from acp_nvim.client.session import Session
from acp_nvim.errors import FileProblem
from acp_nvim.protocol.dialect import StateTold
from acp_nvim.session.event import Noticed, ReportedState, SessionOpened, SubAgentUpdated

MOST = 200
"""Sessions of sub-agents of one agent."""
TOO_MANY = f"More than {MOST} sub-agents have sessions of their own: this one is not shown"


class SubAgents:
    """Knows those of one connection; `told` takes what one is at."""

    def __init__(
        self, launch: Launch, registry: Registry, told: Callable[[StateTold], None]
    ) -> None:
        self._launch = launch
        self._registry = registry
        self._told = told
        self._turned_away: set[str] = set()

    def heard(self, parent: Session, event: SubAgentUpdated) -> None:
        """Take in the session of a sub-agent, or what is new of it.

        One that is known is this session's, or it is none of its: an agent may name any.
        """
        child = self._registry.find(event.id) or self._begun(parent, event)
        if child is None or child.state.parent != parent.id:
            return
        child.apply(event)
        if isinstance(event.reported, ReportedState):
            told = event.reported
            self._told(StateTold(event.id, told.state, told.stop_reason, told.error))

    def opened(self, parent: Session) -> list[Session]:
        """Open those that came while their agent's session was being opened; return them."""
        waiting = [it for it in self.below(parent) if it.state.status == "loading"]
        for child in waiting:
            child.apply(SessionOpened(child.id or "", replayed=True))
        return waiting

    def below(self, session: Session) -> list[Session]:
        """Return the sessions of its sub-agents, and of theirs."""
        children = self._registry.children(session.id) if session.id else []
        return [each for child in children for each in (*self.below(child), child)]

    def _begun(self, parent: Session, event: SubAgentUpdated) -> Session | None:
        if len(self._registry.children()) >= MOST:
            if event.id not in self._turned_away and len(self._turned_away) < MOST:
                self._turned_away.add(event.id)
                parent.apply(Noticed(TOO_MANY, "warning"))
            return None
        child = parent.child(self._folder(parent, event))
        is_open = parent.state.status != "loading"
        self._registry.adopt(event.id, child, is_open=is_open)
        return child

    def _folder(self, parent: Session, event: SubAgentUpdated) -> str:
        """Return where it works: its agent is let into no other folder by naming one."""
        cwd = event.cwd if isinstance(event.cwd, str) else ""
        with suppress(FileProblem):
            if cwd and os.path.isdir(cwd):
                return parent.roots(self._launch.folders, self._launch.paths).resolve(cwd)
        return parent.state.cwd
