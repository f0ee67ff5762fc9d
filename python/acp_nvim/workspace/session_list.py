"""The list of the sessions, as it is drawn in a buffer of its own: always as they are now."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial

from msgspec.structs import replace

from acp_nvim.editor import Picture
from acp_nvim.session.saved import SavedSession, title_of
from acp_nvim.storage.left_open import LeftOpen
from acp_nvim.view.chat.boundary import Boundary, undrawn
from acp_nvim.view.lists import session_list as view
from acp_nvim.view.lists import sidebar
from acp_nvim.view.lists.sessions import Row, merged, open_row, stored_row
from acp_nvim.view.status import faulty_bar
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.chat import Chat
from acp_nvim.worktrees.records import Worktrees

TITLE = 200
"""Characters of a title that the user may begin a new one with."""


def kept_rows(
    heads: Iterable[SavedSession], cwd: str, left_open: LeftOpen, worktrees: Worktrees
) -> tuple[Row, ...]:
    """Return the rows of what is kept of a project's sessions, those in its worktrees included."""
    is_here = cache(partial(worktrees.is_of, cwd))  # of many sessions in few folders
    left = left_open.left(is_here)
    return tuple(
        stored_row(head, was_open=(head.agent, head.id) in left)
        for head in heads
        if is_here(head.cwd) and not head.parent
    )


def open_rows(chats: Mapping[int, Chat], epoch: float) -> tuple[Row, ...]:
    """Return the rows of the sessions that are open, the newest first."""
    opened = [
        open_row(chat.number, state, epoch=epoch)
        for chat in chats.values()
        if (state := chat.session.state).status != "closed" or chat.suspended
        if not state.parent
    ]
    return tuple(reversed(opened))


def named(
    rows: Iterable[Row], chats: Mapping[int, Chat], worktrees: Mapping[str, str]
) -> tuple[Row, ...]:
    """Return the rows with titles, if only the first words of the user, and what their worktrees
    are called."""
    return tuple(
        replace(it, title=_title(it, chats), worktree=worktrees.get(it.cwd, "")) for it in rows
    )


def _title(row: Row, chats: Mapping[int, Chat]) -> str | None:
    chat = chats.get(row.chat)
    return row.title if row.title or chat is None else title_of(chat.session.state)


class SessionList:
    """One buffer with the sessions: all that are open, and of a project all that there are."""

    def __init__(
        self,
        number: int,
        cwd: str,
        chats: Mapping[int, Chat],
        *,
        clock: Callable[[], float],
        now: Callable[[], float],
        with_keys: bool,
        is_sidebar: bool = False,
    ) -> None:
        """Take the buffer and the project's folder; whether the bar names the keys.

        `clock` is that of the sessions, `now` tells seconds since 1970.
        """
        self.number = number
        self.cwd = cwd
        self.listed: tuple[Row, ...] = ()
        """What the agents have told."""
        self.kept: tuple[Row, ...] = ()
        """What is on disk."""
        self.wanted = ""
        """The words that a row must show."""
        self.is_sidebar = is_sidebar
        """It is a column, by project and without ages."""
        self.is_shown = True
        """A window of the user's tabpage shows it; else it is not drawn."""
        self.below: Callable[[Row], Iterable[Row]] = lambda _row: ()
        """Returns the rows of the sub-agents of an open session."""
        self.waiting: Callable[[str, str], int] = lambda _agent, _session: 0
        """Returns how many hunks of a session wait for review."""
        self.worktrees: Callable[[], Mapping[str, str]] = dict
        """Tells what worktrees are called, by their folders."""
        self._chats = chats
        self._clock = clock
        self._now = now
        self._with_keys = with_keys

    def rows(self) -> tuple[Row, ...]:
        """Return all sessions, whether or not they are shown."""
        rows = merged((open_rows(self._chats, self._now() - self._clock()), self.listed, self.kept))
        found: list[Row] = []
        for row in named(rows, self._chats, self.worktrees()):
            below = [*self.below(row)] if row.kind == "open" else []
            hunks = self.waiting(row.agent, row.id) if row.kind == "open" else 0
            work = replace(row.work, hunks=hunks) if hunks else row.work
            found += (replace(row, work=work), *below)
        subs = {(it.agent, it.id) for it in found if it.sub.depth and it.id}
        return tuple(it for it in found if it.sub.depth or (it.agent, it.id) not in subs)

    def row(self, agent: str, session: str, chat: int, call: str = "") -> Row | None:
        """Return the session of that chat, else of that name, or None; of one that has no session
        `call` is that in which it works, and the chat its agent's."""
        rows = self.rows()
        if call:
            places = ((row, (row.agent, row.sub.chat, row.sub.call)) for row in rows)
            return next((row for row, place in places if place == (agent, chat, call)), None)
        of_chat = (row for row in rows if chat and row.chat == chat)
        named = (row for row in rows if session and (row.agent, row.id) == (agent, session))
        return next(of_chat, None) or next(named, None)

    def picture(self) -> Picture:
        """Return what is to be seen now; its status says which session stands in which line."""
        boundary = Boundary()

        def instead(error: Exception) -> Picture:
            return Picture((undrawn("list", error),), {"rows": []}, faulty_bar("", error))

        drawn = boundary.draw(lambda: self._drawn(boundary), instead)
        return replace(drawn, faults=tuple(boundary.faults))

    def _drawn(self, boundary: Boundary) -> Picture:
        return self._drawn_sidebar(boundary) if self.is_sidebar else self._drawn_list(boundary)

    def _drawn_sidebar(self, boundary: Boundary) -> Picture:
        home, rows = os.path.expanduser("~"), self.rows()
        if self.wanted:
            rows = sidebar.matching(rows, self.wanted, home=home)
        column = sidebar.draw(
            rows, cwd=self.cwd, home=home, filtered=bool(self.wanted), boundary=boundary
        )
        works = any(row.state in ("running", "cancelling") and not row.asks for row in rows)
        status = {"rows": _names(column.rows), "filter": self.wanted, "works": works}
        return Picture(column.blocks, status, view.bar(rows, self.wanted, with_keys=False))

    def _drawn_list(self, boundary: Boundary) -> Picture:
        now, home, rows = self._now(), os.path.expanduser("~"), self.rows()
        if self.wanted:
            rows = view.matching(rows, self.wanted, now=now, home=home)
        blocks = view.blocks(
            rows, now=now, home=home, filtered=bool(self.wanted), boundary=boundary
        )
        bar = view.bar(rows, self.wanted, with_keys=self._with_keys)
        return Picture(blocks, {"rows": _names(rows), "filter": self.wanted}, bar)


def _names(rows: Sequence[Row | None]) -> list[dict[str, object] | bool]:
    """Return the session of each line; False where there is none."""
    return [
        row is not None
        and {
            "agent": row.agent,
            "session": row.id,
            "chat": row.sub.chat if row.sub.call else row.chat,
            "title": one_line(row.title or "", TITLE),
        }
        | ({"call": row.sub.call} if row.sub.call else {})
        | ({"worktree": row.worktree.rpartition("⎇ ")[2]} if row.worktree else {})
        for row in rows
    ]
