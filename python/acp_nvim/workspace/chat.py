"""A chat: one session as it is drawn in one buffer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from acp_nvim.client.client import Client
from acp_nvim.client.session import Session
from acp_nvim.editor import Picture
from acp_nvim.prompt.images import HeldImages
from acp_nvim.prompt.library import offered
from acp_nvim.session.state import Entry
from acp_nvim.view.blocks import Blocks
from acp_nvim.view.chat.boundary import Boundary, undrawn
from acp_nvim.view.chat.cell import PLAN
from acp_nvim.view.chat.transcript import FoldAction, Transcript, fold, key_at, render
from acp_nvim.view.measure import Chunks
from acp_nvim.view.status import Bar, completed, faulty_bar, least, summary, winbar
from acp_nvim.workspace.waiting import Waiting

SLICE = 0.005
"""CPU seconds of drawing after which others have their turn: a key's answer, a cancel."""


class Noted(Struct):
    """What the prompt shows of the notes that go along with it."""

    labels: tuple[tuple[str, str, str], ...] = ()
    """Key, label and lines of each."""
    sought: bool = False
    """They are being found out."""
    wanted: bool = False
    """They must be found out, again if they are already."""


class Rewound(Struct, frozen=True):
    """The chat that a rewind came from, and the undos that it made, the newest turn first."""

    chat: int
    batches: tuple[str, ...]


class Chat:
    """Chat and prompt buffer of a session; the number of the chat buffer is its name."""

    def __init__(
        self,
        number: int,
        prompt: int,
        session: Session,
        clock: Callable[[], float],
        used: Callable[[], float] = time.thread_time,
    ) -> None:
        """Take the clock of what is shown, and the CPU seconds that drawing has used."""
        self.number = number
        self.prompt = prompt
        self.session = session
        self.client: Client | None = None
        """None as long as it is not clear which agent it will be."""
        self.transcript = Transcript()
        self.noted = Noted()
        self.images = HeldImages()
        self.rewound: Rewound | None = None
        """The rewind that the chat came from."""
        self.waiting = Waiting()
        self.changes: tuple[Chunks, ...] = ()
        """The row that says what waits for review in its project, the longest first."""
        self.prompts: Mapping[str, str] = {}
        """The user's own."""
        self.room: int | None = None
        """Cells of a line in its narrowest window; None: it was in none yet."""
        self.pins_plan = False
        self.suspended = ""
        """What was said when its agent was ended because nobody used it, "" if it was not.

        Who chooses the session opens it again."""
        self.is_drawn = True
        """False: an earlier host has drawn it, and what is to be seen stays until it goes on."""
        self._opened: frozenset[str] = frozenset()
        self._offered: tuple[tuple[object, object], Sequence[Mapping[str, str]]] = (None, None), ()
        """What completion offers, behind the commands and prompts that it was made of."""
        self._clock = clock
        self._used = used

    def picture(self) -> Picture:
        """Return what is to be seen now."""
        state, boundary = self.session.state, Boundary()
        since, used = self._clock(), self._used()

        def is_over() -> bool:
            # the clock is cheaper to ask, and is never behind
            return self._clock() - since >= SLICE and self._used() - used >= SLICE

        drawn = self.transcript = boundary.draw(
            lambda: render(state, self._opened, self.transcript, is_over, self.room),
            lambda error: Transcript(Blocks.of((undrawn("chat", error),))),
        )
        title = boundary.draw(self._bar, partial(faulty_bar, state.status))
        status = boundary.draw(self._status, lambda _error: least(state))
        return Picture(drawn.blocks, status, title, drawn.paused, (*drawn.faults, *boundary.faults))

    def pin_plan(self) -> None:
        """Let the bar say how far the plan is; in the chat it is one line, until it is opened."""
        self.pins_plan = True
        self._opened ^= {PLAN}

    def fold(self, row: int, action: FoldAction) -> bool:
        """Open or close what stands in the 0-based row; False if nothing has changed."""
        opened, self._opened = self._opened, fold(self.transcript, self._opened, row, action)
        return opened != self._opened

    def entry_at(self, row: int) -> Entry | None:
        """Return what stands in the 0-based row, if it is of the conversation."""
        key = key_at(self.transcript, row)
        return self.session.state.entry(key) if key else None

    @property
    def login_since(self) -> float | None:
        """When a login to the agent began, in monotonic seconds; None when none is going on."""
        ready = None if self.client is None else self.client.ready
        return None if ready is None else ready.login.since

    def _bar(self) -> Bar:
        """Return what stands above the chat."""
        state = self.session.state
        return winbar(
            state,
            title=self.client.label if self.client is not None else state.agent,
            now=self._clock(),
            login_since=self.login_since,
            pins_plan=self.pins_plan,
        )

    def _status(self) -> dict[str, Any]:
        """Return `b:acp_status`, with what completion needs besides."""
        info = None if self.client is None else self.client.info
        methods = () if info is None else info.auth_methods
        logins = {"logins": [method.id for method in methods]} if methods else {}
        changes = {"changes": self.changes} if self.changes else {}
        found = summary(self.session.state)
        return found | {"commands": self._offers()} | logins | changes

    def _offers(self) -> Sequence[Mapping[str, str]]:
        """Return what completion offers: the agent may have a hundred commands, so made once."""
        given = self.session.state.commands, self.prompts
        if any(now is not was for now, was in zip(given, self._offered[0], strict=True)):
            self._offered = given, offered(self.prompts, completed(given[0]))
        return self._offered[1]
