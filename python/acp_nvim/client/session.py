"""One session in the making: its state, who hears of its changes, what ends with its turn."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import anyio

from acp_nvim.client.connection import Patience
from acp_nvim.errors import Code, RequestFailed, UserError
from acp_nvim.files.roots import Roots
from acp_nvim.paths import SAME, Paths
from acp_nvim.session.action import Action, Refused
from acp_nvim.session.decide import decide
from acp_nvim.session.event import (
    Event,
    Noticed,
    NoticeOver,
    SessionClosed,
    SessionOpened,
    ToolCallUpdated,
    TurnEnded,
)
from acp_nvim.session.place import placed
from acp_nvim.session.reduce.reduce import reduce
from acp_nvim.session.state import SessionState

_HOME = os.path.expanduser("~")

UNWANTED = "the user has cancelled the turn before this was begun: nothing was done"
"""What an agent is told of a request."""

Listener: TypeAlias = Callable[["Session", SessionState, Event], None]
"""Called after each event with the session, the state before it, and the event."""


class _End:
    """The end of a turn, for whoever waits for it."""

    def __init__(self) -> None:
        self.came = anyio.Event()
        self.how: TurnEnded | None = None


class Session:
    """A session's state over time; changed by `apply` only."""

    def __init__(self, agent: str, cwd: str, listener: Listener, parent: str = "") -> None:
        self.state = SessionState(agent=agent, cwd=cwd, parent=parent)
        self._listener = listener
        self._real: dict[str, str] = {}
        """What its folders led to at first: a link that takes the place of one leads nowhere."""
        self.was_open = False
        """An agent has had it open here, though perhaps nothing was said in it."""
        self._parent: Session | None = None
        self._unbegun: set[anyio.CancelScope] = set()
        """What its agent has asked for, and is not done yet."""
        self._ends: dict[int, _End] = {}
        """Of the turns whose end somebody waits for."""

    def child(self, cwd: str) -> Session:
        """Return the session of a sub-agent that this one has begun, which works there."""
        child = Session(self.state.agent, cwd, self._listener, self.id or "")
        child._parent = self
        return child

    @property
    def is_cancelled(self) -> bool:
        """Whether the user wants nothing more of its turn; that of a sub-agent is a part of one."""
        above = self._parent is not None and self._parent.is_cancelled
        return self.state.status == "cancelling" or above

    @contextmanager
    def wanted(self) -> Iterator[None]:
        """Do what its agent asks for, unless the user cancels the turn before that has begun.

        Raises `RequestFailed` then. What has begun shields itself, and is finished.
        """
        if self.is_cancelled:
            raise RequestFailed(Code.REQUEST_CANCELLED, UNWANTED)
        with anyio.CancelScope() as scope:
            self._unbegun.add(scope)
            try:
                yield
            finally:
                self._unbegun.discard(scope)
        if scope.cancelled_caught:
            raise RequestFailed(Code.REQUEST_CANCELLED, UNWANTED)

    def drop(self) -> None:
        """Do nothing that its agent has asked for, and that has not begun."""
        for scope in self._unbegun:
            scope.cancel()

    @property
    def id(self) -> str | None:
        """The agent's id, verbatim; None until it is known."""
        return self.state.id

    def roots(self, additional: tuple[str, ...], paths: Paths = SAME) -> Roots:
        """Return the folders that its agent is let into: its own, and those that all get."""
        folders = (self.state.cwd, *additional)
        for folder in folders:
            if folder not in self._real:
                self._real[folder] = os.path.realpath(folder)
        return Roots(self.state.cwd, additional, tuple(self._real[it] for it in folders), paths)

    def apply(self, *events: Event) -> None:
        """Reduce the events in order and tell the listener of each."""
        for event in events:
            if isinstance(event, ToolCallUpdated):
                event = placed(event, self.state.cwd, _HOME)
            before = self.state
            self.state = reduce(before, event)
            self.was_open = self.was_open or isinstance(event, SessionOpened)
            self._listener(self, before, event)
            if isinstance(event, SessionClosed):
                self._tell(list(self._ends), None)
            elif isinstance(event, TurnEnded) and before.is_running:
                self._tell([before.turn], event)

    def _tell(self, turns: list[int], how: TurnEnded | None) -> None:
        for end in filter(None, (self._ends.pop(turn, None) for turn in turns)):
            end.how = how
            end.came.set()

    async def end_of(self, turn: int) -> TurnEnded | None:
        """Return how that turn ends, which has not yet; None: the session is closed before."""
        end = self._ends.setdefault(turn, _End())
        await end.came.wait()
        return end.how

    def decide(self, action: Action) -> tuple[Event, ...] | Refused:
        """Decide on an action and apply what it leads to, without a pause in between."""
        decision = decide(self.state, action)
        if not isinstance(decision, Refused):
            self.apply(*decision)
        return decision

    def act(self, action: Action) -> tuple[Event, ...]:
        """Decide as `decide` does; raises `UserError` with the reason if it is refused."""
        decision = self.decide(action)
        if isinstance(decision, Refused):
            raise UserError(decision.reason)
        return decision


SLOW = 10.0
"""Seconds after which it is said, unless others are named."""


def patience(
    session: Session, sentence: Callable[[float], str], seconds: float | None = None
) -> Patience:
    """Return what says in a session that it takes long; the sentence is made of the seconds."""

    def tell(seconds: float) -> None:
        session.apply(Noticed(sentence(seconds), "warning", "passing"))

    def over(seconds: float) -> None:
        session.apply(NoticeOver(sentence(seconds)))

    return Patience(tell, over, SLOW if seconds is None else seconds)
