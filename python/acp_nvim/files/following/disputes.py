"""Where the user's text stands against what is on the disk."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.files import disk
from acp_nvim.files.baselines.baselines import DiskChange
from acp_nvim.files.event import Conflicted, ConflictSettled, Emit, Rewritten
from acp_nvim.files.live import LiveFile
from acp_nvim.files.settle import Followed
from acp_nvim.history.author import Author, TurnKey
from acp_nvim.history.conflict import Conflict

MOST_TEXTS = 10
"""Texts of one file that are remembered, of which one may have been made upon the other."""


class Dispute(Struct, frozen=True):
    """The disk, as it was then, and the user differ at a line; `author` is whose the disk is, and
    `conflict` what the disk has, if it is an agent's."""

    stamp: str
    line: int
    author: Author | None
    conflict: Conflict | None = None


class Disputes:
    """Knows them by path, and what files held of which only the beginning came below unsaved edits,
    or nothing."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._open: dict[str, Dispute] = {}
        self._upon: dict[str, dict[str, str | None]] = {}
        """By path, and each text that the disk has had of an agent's against the user's text, what
        it had held before all of them; also where the user has decided since and not saved."""
        self._begun: dict[str, tuple[str, str]] = {}
        """What files held that are gone, or empty, or another text, below unsaved edits, and that
        text: the rest of it may come."""
        self._told: dict[str, TurnKey] = {}
        """The last turn of which the user knows that its text stands against theirs, by path."""

    def __contains__(self, path: str) -> bool:
        return path in self._open

    def waits(self, path: str) -> bool:
        """Return whether something stands against the user there, or may come."""
        return path in self._open or path in self._begun

    def line(self, path: str, *, found: bool = False) -> int | None:
        """Return the 0-based line where the user's text stands against another program's on disk.

        An agent's own text on disk does not count: that conflict is kept by the log. With `found`
        what is only supposed to be an agent's does.
        """
        dispute = self._open.get(path)
        if dispute is None or dispute.stamp != disk.stamp(path):
            return None
        is_others = dispute.author is None or (found and dispute.author.how == "found")
        return dispute.line if is_others else None

    def note(
        self, path: str, author: Author | None, followed: Followed, change: DiskChange | None
    ) -> None:
        """Take note of a merge of that change, which may have left conflicts."""
        if not followed.conflicts:
            if author is not None and change is not None and change.after is not None:
                self._goes_on(path, author, change.after)
                self._emit(Rewritten(path, author, followed.after or "", change.after))
            if change is not None and followed.after == change.after:
                self.over(path)
                self._upon.pop(path, None)
            return
        conflict: Conflict | None = None
        if author is not None:
            places = tuple((place.first, place.last) for place in followed.conflicts)
            sides, before = (followed.base, followed.theirs), self._before(path, change)
            mode = change.form.mode if change is not None and change.after is None else 0
            conflict = Conflict(path, author, *sides, places, True, before, mode)
            is_news = self._told.get(path) != author.turn_key
            self._told[path] = author.turn_key
            self._stands_upon(path, conflict.theirs, before)
            self._emit(Conflicted(conflict, tell=is_news))
        line = followed.conflicts[0].first
        self._open[path] = Dispute(disk.stamp(path), line, author, conflict)

    def _before(self, path: str, change: DiskChange | None) -> str | None:
        """Return what the disk held before agents' texts that stand against the user's, one upon
        the other: the user has had none of them."""
        before = None if change is None else change.before
        return before if before is None else self._upon.get(path, {}).get(before, before)

    def _stands_upon(self, path: str, theirs: str, before: str | None) -> None:
        texts = self._upon.setdefault(path, {})
        texts[theirs] = before
        if len(texts) > MOST_TEXTS:
            del texts[next(iter(texts))]

    def _goes_on(self, path: str, author: Author, theirs: str) -> None:
        """The disk has another text of that agent's, of which nothing more stands against the user:
        it is that which they may take."""
        dispute = self._open.get(path)
        conflict = None if dispute is None else dispute.conflict
        if dispute and conflict and conflict.author.session_key == author.session_key:
            self._stands_upon(path, theirs, conflict.before)
            conflict = replace(conflict, theirs=theirs)
            self._open[path] = replace(dispute, stamp=disk.stamp(path), conflict=conflict)

    def given_up(self, live: LiveFile) -> bool:
        """Return whether the user has given up their text by reading the file anew; once."""
        dispute = self._open.get(live.path)
        if dispute is None or not _is_reread(live):
            return False
        del self._open[live.path]
        self._upon.pop(live.path, None)
        if dispute.conflict is not None:
            # the agent may have wanted another text since, which was refused
            self._emit(Conflicted(dispute.conflict))
        return True

    def over(self, path: str, *, wrote: bool = False) -> None:
        """The buffer and the disk are one again, or the user has decided; of what we `wrote` no
        rest comes."""
        self._open.pop(path, None)
        if wrote:
            self._begun.pop(path, None)

    def seen(self, live: LiveFile) -> None:
        """The disk as it is has nothing against the user's text.

        An agent's text is kept by the log until the user has decided on it. Of what the user has
        written no rest comes.
        """
        path = live.path
        if path in self._open and self._open[path].stamp != live.stamp:
            del self._open[path]
        if live.buffer is not None and live.stamp and live.stamp == live.buffer.saved:
            self._begun.pop(path, None)

    def made_upon(self, change: DiskChange | None, live: LiveFile) -> DiskChange | None:
        """Return the change of a file that comes back, or of which the rest comes, as made upon
        what it had held, unless the user has read it anew: then what stood against them is over."""
        begun = None if change is None else self._begun.get(change.path)
        if change is None or begun is None or not change.after or _is_reread(live):
            return change
        before, after = begun
        is_rest = (change.before or "") == after and change.after.startswith(after)
        return replace(change, before=before) if is_rest else change

    def note_begun(self, path: str, followed: Followed, change: DiskChange | None) -> None:
        """Take note of what became of a file that goes, or comes back, below unsaved edits."""
        before, _ = self._begun.pop(path, (None, ""))
        if change is None or not change.before:
            return
        if change.before == before and not followed.conflicts:
            self.over(path)
            self._emit(ConflictSettled(path))
        if followed.conflicts:
            self._begun[path] = change.before, change.after or ""


def _is_reread(live: LiveFile) -> bool:
    """Return whether the buffer has been read from the file as it is, and is as that."""
    buffer = live.buffer
    is_read = buffer is not None and not buffer.modified and live.stamp == buffer.read_at
    return is_read and live.stamp != ""
