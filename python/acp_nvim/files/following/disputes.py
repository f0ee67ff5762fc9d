"""Where the user's text stands against what is on the disk."""

from __future__ import annotations

from dataclasses import dataclass, replace

from acp_nvim.files import disk
from acp_nvim.files.baselines.baselines import DiskChange
from acp_nvim.files.event import Conflicted, ConflictSettled, Emit, Rewritten
from acp_nvim.files.live import LiveFile
from acp_nvim.files.settle import Followed
from acp_nvim.ledger.conflict import Conflict
from acp_nvim.ledger.delta import Author


@dataclass(frozen=True, slots=True)
class Dispute:
    """The disk, as it was then, and the user differ at a line; `author` is whose the disk is."""

    stamp: str
    line: int
    author: Author | None


class Disputes:
    """Knows them by path, and what files held that were emptied below unsaved edits."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._open: dict[str, Dispute] = {}
        self._emptied: dict[str, str] = {}
        """What files held that are gone, or empty, below unsaved edits: they may come back."""

    def __contains__(self, path: str) -> bool:
        return path in self._open

    def line(self, path: str) -> int | None:
        """Return the 0-based line where the user's text stands against another program's on disk.

        An agent's own text on disk does not count: that conflict is kept by the log.
        """
        dispute = self._open.get(path)
        if dispute is None or dispute.author is not None or dispute.stamp != disk.stamp(path):
            return None
        return dispute.line

    def note(
        self, path: str, author: Author | None, followed: Followed, change: DiskChange | None
    ) -> None:
        """Take note of a merge of that change, which may have left conflicts."""
        if not followed.conflicts:
            if author is not None and change is not None and change.after is not None:
                self._emit(Rewritten(path, author, followed.after or "", change.after))
            return
        line = followed.conflicts[0].first
        self._open[path] = Dispute(disk.stamp(path), line, author)
        if author is not None:
            places = tuple((place.first, place.last) for place in followed.conflicts)
            sides, before = (followed.base, followed.theirs), change.before if change else None
            conflict = Conflict(path, author, *sides, places, on_disk=True, before=before)
            self._emit(Conflicted(conflict))

    def given_up(self, live: LiveFile) -> bool:
        """Return whether the user has given up their text by reading the file anew; once."""
        buffer = live.buffer
        if buffer is None or buffer.modified or not live.stamp or live.stamp != buffer.read_at:
            return False
        return self._open.pop(live.path, None) is not None

    def over(self, path: str) -> None:
        """The buffer and the disk are one again."""
        self._open.pop(path, None)

    def seen(self, path: str, stamp: str) -> None:
        """The disk as it is has nothing against the user's text.

        An agent's text is kept by the log until the user has decided on it.
        """
        if path in self._open and self._open[path].stamp != stamp:
            del self._open[path]

    def made_upon(self, change: DiskChange | None) -> DiskChange | None:
        """Return the change of a file that comes back as made upon what it had held."""
        emptied = None if change is None else self._emptied.get(change.path)
        if change is None or emptied is None or change.before or not change.after:
            return change
        return replace(change, before=emptied)

    def note_emptied(self, path: str, followed: Followed, change: DiskChange | None) -> None:
        """Take note of what became of a file that goes, or comes back, below unsaved edits."""
        before = self._emptied.pop(path, None)
        if change is None or not change.before:
            return
        if change.before == before and not followed.conflicts:
            self._emit(ConflictSettled(path))
        if not change.after and followed.conflicts:
            self._emptied[path] = change.before
