"""Where the user's text stands against what is on the disk: conflicts as values with sides.

A conflict is live − base + theirs: what the disk has, `theirs`, was made of `base`, and the live
text keeps the user's where both have changed it. What fits of theirs is in the live text, and so it
is in the base. When the disk changes again it is merged upon the same base: what stood there goes
on, is another one, or is over, without a rule for each.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.files import disk
from acp_nvim.files.baselines.baselines import DiskChange
from acp_nvim.files.event import Conflicted, ConflictSettled, Emit
from acp_nvim.files.live import LiveFile
from acp_nvim.files.settle import Followed
from acp_nvim.history.author import Author
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.versions import carried


class Standing(Struct, frozen=True):
    """The disk, as it was at that stamp, and the user differ at a line.

    `author` is whose the disk is; `conflict`: both sides, if it is an agent's. `base`: what the
    disk's text was made of, with what fits of it; `before`: what the disk held before all of it.
    `saved`: the stamp of the file as the user had last written it.
    """

    stamp: str
    line: int
    author: Author | None
    conflict: Conflict | None
    base: str
    before: str | None
    saved: str = ""


class Conflicts:
    """Knows what stands against the user's unsaved text, by path."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._standing: dict[str, Standing] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._standing

    def line(self, path: str, *, found: bool = False) -> int | None:
        """Return the 0-based line where the user's text stands against another program's on disk.

        An agent's own text on disk does not count: that conflict is kept by the log. With `found`
        what is only supposed to be an agent's does.
        """
        standing = self._standing.get(path)
        if standing is None or standing.stamp != disk.stamp(path):
            return None
        is_others = standing.author is None or (found and standing.author.how == "found")
        return standing.line if is_others else None

    def upon(self, change: DiskChange | None, live: LiveFile) -> DiskChange | None:
        """Return a change of the disk as one of the base of what stands there, unless the user has
        written it since, or read it anew."""
        standing = None if change is None else self._standing.get(change.path)
        if change is None or standing is None or change.after is None:
            return change
        if saved_at(live) != standing.saved or _is_given_up(live):
            return change
        return replace(change, before=standing.base, held=change.before)

    def note(
        self, live: LiveFile, author: Author | None, followed: Followed, change: DiskChange | None
    ) -> None:
        """Take note of what a merge of that change has left."""
        path = live.path
        was = self._standing.pop(path, None)
        if not followed.conflicts:
            if was is not None and was.conflict is not None:
                self._emit(ConflictSettled(path))
            return
        before = was.before if was is not None else None if change is None else change.before
        conflict: Conflict | None = None
        if author is not None:
            places = tuple((place.first, place.last) for place in followed.conflicts)
            mode = change.form.mode if change is not None and change.after is None else 0
            sides = followed.base, followed.theirs
            conflict = Conflict(path, author, *sides, places, True, before, mode)
            self._emit(Conflicted(conflict, tell=True))
        line, base = followed.conflicts[0].first, followed.base
        if followed.before is not None and followed.after is not None:
            base = carried(base, followed.before, followed.after)
        stamp, saved = disk.stamp(path), saved_at(live)
        self._standing[path] = Standing(stamp, line, author, conflict, base, before, saved)

    def given_up(self, live: LiveFile) -> bool:
        """Return whether the user has given up their text, by reading the file anew or by closing
        the buffer; once."""
        standing = self._standing.get(live.path)
        if standing is None or not _is_given_up(live):
            return False
        del self._standing[live.path]
        if standing.conflict is not None:
            # the agent may have wanted another text since, which was refused
            self._emit(Conflicted(standing.conflict))
        return True

    def over(self, path: str) -> None:
        """The user has decided, or an agent's text is written."""
        self._standing.pop(path, None)

    def seen(self, live: LiveFile) -> None:
        """The disk as it is has nothing against the user's text.

        An agent's text is kept by the log until the user has decided on it.
        """
        standing = self._standing.get(live.path)
        if standing is not None and standing.stamp != live.stamp:
            del self._standing[live.path]


def saved_at(live: LiveFile) -> str:
    """Return the stamp of the file as the user had last written it, "" if not here."""
    return "" if live.buffer is None else live.buffer.saved


def _is_given_up(live: LiveFile) -> bool:
    """Return whether no buffer has a text of the user's: it has been read from the file as it is,
    or there is none."""
    buffer = live.buffer
    is_read = buffer is None or (not buffer.modified and live.stamp == buffer.read_at)
    return is_read and live.stamp != ""
