"""What was found on disk is only supposed to be an agent's doing: who is surer to have done it."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from time import time_ns

from msgspec.structs import replace

from acp_nvim.history.author import Author, SessionKey, TurnKey

LEAD = 100_000_000
"""Nanoseconds that an agent may be ahead of what we have heard of it."""
LATE = 60_000_000_000
"""Nanoseconds after the end of a turn."""
MOST_CALLS = 1000
"""Tool calls of which is known when they began."""


def surest(*authors: Author | None) -> Author | None:
    """Return the first that has named the file, else the first that there is."""
    known = [it for it in authors if it is not None]
    named = (it for it in known if it.how == "named")
    return next(named, None) or next(iter(known), None)


class EndedTurns:
    """Knows the last turn of each session that is over: a look at the disk comes later, and finds
    what others did since, too; and when tool calls began: what is older others did. `now`:
    nanoseconds since 1970."""

    def __init__(self, now: Callable[[], int] = time_ns) -> None:
        self.now = now
        self._ended: dict[SessionKey, tuple[TurnKey, int]] = {}
        self._began: dict[tuple[SessionKey, str], int] = {}

    def end(self, author: Author) -> None:
        """The author's turn is over now."""
        self._ended[author.session_key] = (author.turn_key, self.now())

    def begins(self, author: Author) -> None:
        """The author's tool call has not begun before now."""
        self._began[author.session_key, author.tool_call] = self.now()
        if len(self._began) > MOST_CALLS:
            del self._began[next(iter(self._began))]

    def believed(self, author: Author | None, path: str) -> Author | None:
        """Return the author as having made the file as it is; None: that turn has not.

        A tool call that had not begun when the file was changed tells nothing of it by its name.
        """
        if author is not None and author.how == "named":
            began = self._began.get((author.session_key, author.tool_call))
            if began is not None and _changed(path, began) < began - LEAD:
                author = replace(author, how="found")
        return author if self.may_be_of(author, path) else None

    def is_over(self, author: Author) -> bool:
        """Return whether the author's turn has ended."""
        return self._ended.get(author.session_key, (None, 0))[0] == author.turn_key

    def is_soon_after(self, author: Author, path: str) -> bool:
        """Return whether the file has changed so soon after the author's turn that a write of it
        may have come late, though no tool call names it."""
        turn, ended = self._ended.get(author.session_key, (None, 0))
        with suppress(OSError):
            return turn == author.turn_key and os.lstat(path).st_ctime_ns - ended < LATE
        return False

    def may_be_of(self, author: Author | None, path: str) -> bool:
        """Return whether the file as it is may be what that turn has made of it.

        A tool call that names the file may work after its turn. Of one that is gone nothing is
        known, nor by a clock that is ahead of ours.
        """
        if author is None or author.how == "named":
            return True
        turn, ended = self._ended.get(author.session_key, (None, 0))
        if turn != author.turn_key:
            return True
        return not ended < _changed(path, ended) <= self.now()


def _changed(path: str, gone: int) -> int:
    """Return when the file was changed at all; `gone` if it is not there."""
    try:
        return os.lstat(path).st_ctime_ns
    except OSError:
        return gone
