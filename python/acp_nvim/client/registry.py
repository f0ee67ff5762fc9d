"""The sessions of one agent by id, and what came for a session before its id was known.

Agents send updates before the response of `session/new`: they are kept while a session is
being opened, at most one at a time, and applied once its id is known.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

import anyio
from msgspec import Struct

from acp_nvim.client.launch import Launch
from acp_nvim.client.session import Session
from acp_nvim.errors import FileProblem
from acp_nvim.protocol.records import StateTold
from acp_nvim.session.event import (
    ChunkReceived,
    Event,
    Noticed,
    ReportedState,
    SessionClosed,
    SessionOpened,
    SessionReopening,
    SubAgentUpdated,
)

MOST_EARLY, MOST_EARLY_SIZE = 10_000, 16 * 1024 * 1024
"""Updates that are kept for sessions not yet known, and their characters."""
MOST_CHILDREN = 200
"""Sessions of sub-agents of one agent: of more, those that have nothing to do are let go."""
TOO_MANY = f"More than {MOST_CHILDREN} sub-agents have sessions of their own: this one is not shown"
MOST_SAID = 128 * 1024 * 1024
"""Characters of all updates of one session, with its sub-agents', that are taken in."""
MOST_IN_TURN = 8 * 1024 * 1024
"""Characters of the messages of one turn, and as many more for each hour that it takes; what may
replace something, as updates of tool calls do, counts a third."""
MOST_ENTRIES, MOST_NEW = 80_000, 12_000
"""Entries of a session, from which on nothing is added; and those of one turn, as its messages."""
HOUR = 3_600.0


class _Said(Struct):
    """How many characters the updates of a session had."""

    all: int = 0
    entries: int = 0
    """How many these have, with those of its sub-agents."""
    turn: int = -1
    in_turn: int = 0
    before: int = 0
    """How many entries there were before that turn."""
    since: float = 0.0
    """When that turn began to say something."""
    told: str = ""
    """What the user was told last."""

    def too_much(self, size: int, session: Session) -> str:
        """Count an update; return what to tell the user if it is too much, else ""."""
        self.all += size
        entries = max(self.entries, len(session.state.entries))
        if self.turn != session.state.turn:
            self.turn, self.in_turn, self.since = session.state.turn, 0, anyio.current_time()
            self.before, self.told = entries, ""
        begun, self.in_turn = self.in_turn, self.in_turn + size  # one message is shown as a whole
        if self.all > MOST_SAID or entries >= MOST_ENTRIES:
            most = f"{MOST_SAID >> 20} MB" if self.all > MOST_SAID else f"{MOST_ENTRIES:,} entries"
            said = f"More than {most} were said here: nothing more is shown."
            return f"{said} :Acp new begins another session"
        share = max(begun / MOST_IN_TURN, (entries - self.before) / MOST_NEW)
        if share <= 1 or session.state.status == "loading":  # which says all of its turns at once
            return ""
        hours = (anyio.current_time() - self.since) / HOUR
        if not self.told and share <= 1 + hours:
            return ""
        most = f"{MOST_IN_TURN >> 20} MB" if begun > MOST_IN_TURN else f"{MOST_NEW:,} entries"
        said = f"More than {most} were said in this turn"
        return f"{said}: nothing more of it is shown. :Acp cancel ends it"


class Registry:
    """The sessions of one connection; ids are opaque and used verbatim (C-080)."""

    def __init__(self) -> None:
        self.opening: Session | None = None
        self.heard: Callable[[Session, SubAgentUpdated], None] = lambda *_: None
        """Told of what a session says of its sub-agents."""
        self._sessions: list[Session] = []
        self._by_id: dict[str, Session] = {}
        self._early: list[tuple[str, tuple[Event, ...]]] = []
        self._early_size = 0
        self._said: dict[Session, _Said] = {}
        self._settled = anyio.Event()

    def __iter__(self) -> Iterator[Session]:
        return iter(tuple(self._sessions))

    def apply(self, event: Event) -> None:
        """Let all of them know."""
        for session in self:
            session.apply(event)

    def find(self, session_id: str) -> Session | None:
        """Return the session of that id that is not closed, or None."""
        session = self._by_id.get(session_id)
        return session if session is not None and session.state.status != "closed" else None

    def deliver(self, session_id: str, events: tuple[Event, ...], size: int = 0) -> str:
        """Apply events to their session, or keep them; return why that is not done (C-082).

        `size`: the characters of the message. What a session says beyond its bound is left out, and
        said once.
        """
        session = self.find(session_id)
        if session is not None:
            return self._apply(session, events, size)
        if self.opening is None or not session_id:
            return f"update for unknown session {session_id!r} dropped"
        if len(self._early) >= MOST_EARLY or self._early_size + size > MOST_EARLY_SIZE:
            return "update dropped: too many came before their session was open"
        self._early.append((session_id, events))
        self._early_size += size
        return ""

    def _apply(self, session: Session, events: tuple[Event, ...], size: int) -> str:
        owner = self._owner(session)
        said = self._said.get(owner)
        if said is None:
            said = self._said[owner] = _Said(entries=len(owner.state.entries))
        grows = any(isinstance(event, ChunkReceived) for event in events)
        too_much = said.too_much(size if grows else size // 3, owner)
        if not too_much:
            before = len(session.state.entries)
            self._tell(session, events)
            said.entries += len(session.state.entries) - before
            return ""
        if too_much != said.told:
            said.told = too_much
            session.apply(Noticed(too_much, "warning"))
        return "update dropped: its session has said too much"

    def _owner(self, session: Session) -> Session:
        """Return the session that it is a sub-agent's of, however far above; else itself."""
        while session.state.parent and (above := self.find(session.state.parent)) is not None:
            session = above
        return session

    def _tell(self, session: Session, events: tuple[Event, ...]) -> None:
        session.apply(*events)
        for event in events:
            if isinstance(event, SubAgentUpdated):
                self.heard(session, event)

    def add(self, session: Session) -> None:
        """Take in a session that is to be opened."""
        if session not in self._sessions:
            self._sessions.append(session)

    def adopt(self, session_id: str, session: Session, *, is_open: bool) -> None:
        """Take in the session of a sub-agent; it is open, unless its agent's is being opened."""
        self.add(session)
        self._by_id[session_id] = session
        opened = (SessionOpened(session_id),) if is_open else ()
        session.apply(SessionReopening(session_id=session_id), *opened)

    def children(self, session_id: str | None = None) -> list[Session]:
        """Return the sessions of sub-agents, or those that are of this one."""
        subs = [it for it in self._sessions if it.state.parent]
        return subs if session_id is None else [it for it in subs if it.state.parent == session_id]

    def begin(self, session: Session) -> None:
        """The session's opening has begun."""
        self.opening = session
        self._settled = anyio.Event()

    def enter(self, session_id: str, session: Session, *events: Event) -> None:
        """The session has this id from now on; early updates follow the given events."""
        self._by_id[session_id] = session
        session.apply(*events)
        early, self._early, self._early_size = self._early, [], 0
        for owner, kept in early:
            known = self._by_id.get(owner)  # a sub-agent may have come with what is before it
            if known is not None and (known is session or known.state.parent):
                self._tell(known, kept)

    def finish(self) -> None:
        """The opening has ended, well or not."""
        self.opening = None
        self._early.clear()
        self._early_size = 0
        self._settled.set()

    def remove(self, session: Session) -> None:
        """Forget a session."""
        self._said.pop(session, None)
        if (said := self._said.get(self._owner(session))) is not None:
            said.entries -= len(session.state.entries)
        self._sessions = [each for each in self._sessions if each is not session]
        self._by_id = {key: each for key, each in self._by_id.items() if each is not session}

    async def opened(self) -> None:
        """Wait until no session is being opened."""
        if self.opening is not None:
            await self._settled.wait()


class SubAgents:
    """Sub-agents that have a session of their own; `told` takes what one is at.

    Such a session takes no prompt, and is cancelled only if the agent says so. It lives as long as
    the one that has begun it.
    """

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
        if not self._has_room():
            if event.id not in self._turned_away and len(self._turned_away) < MOST_CHILDREN:
                self._turned_away.add(event.id)
                parent.apply(Noticed(TOO_MANY, "warning"))
            return None
        child = parent.child(self._folder(parent, event))
        is_open = parent.state.status != "loading"
        self._registry.adopt(event.id, child, is_open=is_open)
        return child

    def _has_room(self) -> bool:
        """Tell whether one more is taken in; the oldest that has nothing to do, nor anybody below,
        makes room."""
        children = self._registry.children()
        if len(children) < MOST_CHILDREN:
            return True
        above = {it.state.parent for it in children}
        idle = (it for it in children if it.state.status == "idle" and not it.state.questions)
        oldest = next((it for it in idle if it.id not in above), None)
        if oldest is None:
            return False
        oldest.apply(SessionClosed())
        self._registry.remove(oldest)
        return True

    def _folder(self, parent: Session, event: SubAgentUpdated) -> str:
        """Return where it works: its agent is let into no other folder by naming one."""
        cwd = event.cwd if isinstance(event.cwd, str) else ""
        with suppress(FileProblem):
            if cwd and os.path.isdir(cwd):
                return parent.roots(self._launch.folders, self._launch.paths).resolve(cwd)
        return parent.state.cwd


def let_wait(sessions: Iterable[Session]) -> tuple[Session, ...]:
    """Let sessions wait to be opened again, and prompts in them; return them."""
    waiting = tuple(sessions)
    for session in waiting:
        session.apply(SessionReopening(session_id=session.id))
    return waiting


def close_waiting(sessions: Iterable[Session], why: str | None) -> None:
    """Close those of the sessions that still wait: nobody will open them."""
    for session in sessions:
        if session.state.status == "loading":
            session.apply(SessionClosed(why))
