"""The list of the sessions, as it is drawn in a buffer of its own: always as they are now."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from acp_nvim.editor import Picture
from acp_nvim.session.saved import SavedSession, title_of
from acp_nvim.storage.left_open import LeftOpen
from acp_nvim.view.chat.boundary import Boundary, undrawn
from acp_nvim.view.lists import session_list as view
from acp_nvim.view.lists.sessions import Row, merged, open_row, stored_row
from acp_nvim.view.status import faulty_bar
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.chat import Chat

TITLE = 200
"""Characters of a title that the user may begin a new one with."""


def is_same(one: str, other: str) -> bool:
    """Tell whether two names are of one folder."""
    return os.path.realpath(one) == os.path.realpath(other)


def kept_rows(heads: Iterable[SavedSession], cwd: str, left_open: LeftOpen) -> tuple[Row, ...]:
    """Return the rows of what is kept of a folder's sessions."""
    left = left_open.left(partial(is_same, cwd))
    return tuple(
        stored_row(head, was_open=(head.agent, head.id) in left)
        for head in heads
        if is_same(head.cwd, cwd)
    )


def open_rows(chats: Mapping[int, Chat], epoch: float) -> tuple[Row, ...]:
    """Return the rows of the sessions that are open, the newest first."""
    states = ((chat.number, chat.session.state) for chat in chats.values())
    opened = [
        open_row(number, state, epoch=epoch) for number, state in states if state.status != "closed"
    ]
    return tuple(reversed(opened))


def titled(row: Row, chats: Mapping[int, Chat]) -> Row:
    """Return the row with a title, if only the first words of the user."""
    chat = chats.get(row.chat)
    if row.title or chat is None:
        return row
    return replace(row, title=title_of(chat.session.state))


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
        self._chats = chats
        self._clock = clock
        self._now = now
        self._with_keys = with_keys

    def rows(self) -> tuple[Row, ...]:
        """Return all sessions, whether or not they are shown."""
        rows = merged((open_rows(self._chats, self._now() - self._clock()), self.listed, self.kept))
        return tuple(titled(row, self._chats) for row in rows)

    def row(self, agent: str, session: str, chat: int) -> Row | None:
        """Return the session of that chat, else of that name, or None."""
        rows = self.rows()
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
        now, home, rows = self._now(), os.path.expanduser("~"), self.rows()
        if self.wanted:
            rows = view.matching(rows, self.wanted, now=now, home=home)
        blocks = view.blocks(
            rows, now=now, home=home, filtered=bool(self.wanted), boundary=boundary
        )
        bar = view.bar(rows, self.wanted, with_keys=self._with_keys)
        return Picture(blocks, {"rows": _names(rows), "filter": self.wanted}, bar)


def _names(rows: Sequence[Row]) -> list[dict[str, object]]:
    return [
        {
            "agent": row.agent,
            "session": row.id,
            "chat": row.chat,
            "title": one_line(row.title or "", TITLE),
        }
        for row in rows
    ]
