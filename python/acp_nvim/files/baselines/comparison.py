"""What is there now, against what was seen before, which it takes the place of.

Blocking: runs in a thread. `SnapshotCache.swap` settles who is right where the event loop has
noted a file meanwhile.

A file is read when it has been quiet for a moment, and a buffer follows what was seen then; if the
disk has gone on, it is looked at again (`Moved`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from time import monotonic, sleep, time_ns
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.files.baselines.listing import Listing, Scan, scan
from acp_nvim.files.baselines.snapshot import (
    ABSENT_FORM,
    UNKNOWN,
    Fingerprint,
    Snapshot,
    SnapshotCache,
    Text,
    Unknown,
    committed_snapshot,
    fingerprint,
    read_snapshot,
    real_fingerprint,
)
from acp_nvim.files.roots import inside
from acp_nvim.history.attributes import UNKNOWN_ATTRIBUTES, FileAttributes

Reason: TypeAlias = Literal["too large", "binary", "a link", "not read before"]
"""Why what a file held is not known."""
QUIET = 0.02
"""Seconds between two writes of most programs, which empty a file, and then write it."""
EMPTIED = 10
"""So many times as long, if a program has emptied it, and is held up."""
PATIENCE = 0.2
"""Seconds that one comparison waits for all files that somebody is writing."""


class DiskChange(Struct, frozen=True):
    """What one file held, and what it holds; None: it was, or is, not there. Exact texts."""

    path: str
    before: str | None
    after: str | None
    form: FileAttributes = UNKNOWN_ATTRIBUTES
    """How the file was on disk before, and what else it was given."""
    stamps: tuple[str, ...] = ()
    """What `disk.stamp` said when it held `before`, as far as that is known."""
    held: str | None = None
    """What the disk held, where `before` is the base of what stood against the user's text."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DiskChange) and self._texts == other._texts

    def __hash__(self) -> int:
        return hash(self._texts)

    @property
    def _texts(self) -> tuple[str, str | None, str | None]:
        return self.path, self.before, self.after


class Unclear(Struct, frozen=True):
    """A file whose text before or after a change is not known, as it was seen; None: not seen, of
    a link both."""

    was: Snapshot | None
    now: Snapshot | None

    def reason(self, largest: int) -> Reason:
        """Return why its text is not known; files of more than `largest` bytes are not read."""
        seen = [it for it in (self.was, self.now) if it is not None]
        if not seen:
            return "a link"
        if any(it.size > largest for it in seen):
            return "too large"
        no_text = any(it.is_binary or (it.packed and it.text() is UNKNOWN) for it in seen)
        return "binary" if no_text else "not read before"


class Comparison:
    """Collects what differs: changes, and files whose text before or after is unknown.

    `encodings` are those of buffers, by path; `quiet`: for how many seconds a file must not have
    changed before it is read. `unread` are files of which only the stamp is known.
    """

    def __init__(
        self,
        shelf: SnapshotCache,
        largest: int,
        encodings: Mapping[str, str],
        *,
        quiet: float = QUIET,
    ) -> None:
        self._quiet = quiet
        self._deadline = monotonic() + PATIENCE
        self._shelf = shelf
        self._largest = largest
        self._encodings = encodings
        self.known: list[DiskChange] = []
        self.unknown: dict[str, Unclear] = {}
        self.unread: list[str] = []
        self.unlisted: Mapping[str, Fingerprint | None] = {}
        """Files that were seen before, and that the inventory does not have."""

    def compare_all(self, folder: str, inventory: Listing, began: int, last: Scan | None) -> Scan:
        """Compare all files below a folder; return this visit of it.

        `began`: when the inventory was begun. `last`: the visit before, None if this is the first.
        """
        this = scan(folder, inventory, began)
        self.unlisted = self._unlisted(folder, inventory.stamps)
        sure = last is not None and last.vouches(this)
        self._take({**inventory.stamps, **self.unlisted}, last, lambda path: sure)
        links = () if last is None else last.moved_links(this)
        self.unknown |= dict.fromkeys(links, Unclear(None, None))
        return this

    def compare_some(self, paths: Mapping[str, bool], last: Scan) -> list[str]:
        """Compare only these files, each with whether one has come by its name, since that visit.

        Returns those that are to be looked at again: one may have been in the middle of a write.
        """
        now = {path: real_fingerprint(path) for path in paths}
        self._take(now, last, lambda path: last.whole and paths[path])
        return [path for path, at in now.items() if not self._is_settled(path, at)]

    def _take(
        self,
        now: Mapping[str, Fingerprint | None],
        last: Scan | None,
        is_sure: Callable[[str], bool],
    ) -> None:
        """See files as they are now; `is_sure`: one that was never seen, and has come, is new."""
        seen, unseen = self._differing(now)
        gone = {was.fingerprint[3] for _, at, was in seen if at is None and was.fingerprint}
        for path, at, was in seen:
            self.compare(path, at, was)
        for path, found in unseen:
            if last and (last.is_since(found) or found[3] in gone):
                is_new = is_sure(path) and path not in last.links
                self.meet(path, found, is_new=True if is_new else None)
            elif self._shelf.swap(path, None, Snapshot(found)):
                self.unread.append(path)

    def _is_settled(self, path: str, at: Fingerprint | None) -> bool:
        sight = self._shelf.get(path)
        if sight is None or at is None:
            return at is None and (sight is None or sight.fingerprint is None)
        return sight.fingerprint == at and (sight.settled or not sight.digest)

    def compare(self, path: str, at: Fingerprint | None, was: Snapshot) -> None:
        """Look at a file that was seen before."""
        now = self._see(path, at, was)
        if now is None or not self._shelf.swap(path, was, now) or was.is_like(now):
            return
        if now.fingerprint != was.fingerprint or (was.digest and now.digest):
            self._tell(path, was, now)

    def meet(self, path: str, at: Fingerprint | None, *, is_new: bool | None) -> None:
        """Look at a file that was never seen; `is_new`: None if it is not known."""
        now = self._see(path, at)
        if now is None or not self._shelf.swap(path, None, now):
            return
        if is_new:
            self._tell(path, None, now)
        elif is_new is None:
            self.unknown[path] = Unclear(None, now)

    def tell_read(self, texts: Mapping[str, bytes]) -> None:
        """Tell what is known of unclear changes by the bytes that the files held before."""
        for path, data in texts.items():
            seen, now = self.unknown[path].was, self.unknown[path].now
            if seen is None or now is None:
                continue
            was = committed_snapshot(seen, data)
            if seen.digest in (b"", was.digest):
                del self.unknown[path]
                if not was.is_like(now):
                    self._tell(path, was, now)

    def _see(
        self, path: str, at: Fingerprint | None, was: Snapshot | None = None
    ) -> Snapshot | None:
        """Read a file; one that has changed when nobody is writing it, or there is no end to it.

        None: not now. One that is empty while there is no end to it has just been emptied.
        """
        if was is not None and at == was.fingerprint:
            now, then = read_snapshot(path, at, self._largest, was), fingerprint(path)
            if then == at:
                return now
            at = then  # somebody has just begun to write it
        if at is None:
            at = self._back_again(path, was)
        while True:
            while (rest := self._unrest(at, was)) > 0:
                sleep(rest)
                at = fingerprint(path)
            now, then = read_snapshot(path, at, self._largest, was), fingerprint(path)
            if at is None or then is None or then[2] >= at[2] or self._unrest(then) <= 0:
                is_emptied = at is not None and not at[2] and was is not None and was.fingerprint
                is_new = then != at or (at is not None and self._age(at) < self._quiet)
                return None if is_emptied and is_new else now
            at = then  # somebody has just emptied it

    def _back_again(self, path: str, was: Snapshot | None) -> Fingerprint | None:
        """Wait for a file that is gone: some programs remove it, and then write it anew."""
        rest = min(self._quiet, self._deadline - monotonic())
        above = os.path.dirname(path)
        if was is None or was.fingerprint is None or rest <= 0 or os.path.realpath(above) != above:
            return None
        sleep(rest)
        return fingerprint(path)

    def _age(self, at: Fingerprint) -> float:
        """Return for how many seconds the file has not changed."""
        return (time_ns() - at[1]) / 1e9

    def _unrest(self, at: Fingerprint | None, was: Snapshot | None = None) -> float:
        """Return for how many seconds the file is to be let alone: for longer if it is emptied."""
        age = self._quiet if at is None else 0.0 if _is_torn(at, was) else self._age(at)
        is_emptied = at is not None and not at[2] and was is not None and was.fingerprint
        quiet = self._quiet * EMPTIED if is_emptied else self._quiet
        return min(quiet - age, self._deadline - monotonic()) if age >= 0 else 0.0

    def _tell(self, path: str, was: Snapshot | None, now: Snapshot) -> None:
        encoding = self._encodings.get(path, "")
        before: Text = was.text(encoding) if was else None
        after = now.text(encoding)
        if isinstance(before, Unknown) or isinstance(after, Unknown):
            self.unknown[path] = Unclear(was, now)
        elif before != after:
            form, stamps = (was.form(), was.stamps) if was else (ABSENT_FORM, ())
            mode = now.form().mode
            form = replace(form, given=mode if mode != form.mode else 0)
            self.known.append(DiskChange(path, before, after, form, stamps))

    def _differing(
        self, now: Mapping[str, Fingerprint | None]
    ) -> tuple[list[tuple[str, Fingerprint | None, Snapshot]], list[tuple[str, Fingerprint]]]:
        """Return the files that may have changed, and those that were never seen.

        All sights are fetched first: what is put on the shelf later may push their texts out.
        """
        seen: list[tuple[str, Fingerprint | None, Snapshot]] = []
        unseen: list[tuple[str, Fingerprint]] = []
        for path, at in now.items():
            was = self._shelf.get(path)
            if was is None:
                unseen += [(path, at)] if at else []
            elif was.fingerprint != at or (was.digest and not was.settled):
                seen.append((path, at, was))
        return seen, unseen

    def _unlisted(
        self, folder: str, stamps: Mapping[str, Fingerprint]
    ) -> dict[str, Fingerprint | None]:
        """Return the files that were seen below the folder and are not in its inventory."""
        start = inside(folder)
        paths = [it for it in self._shelf.paths() if it not in stamps and it.startswith(start)]
        real: dict[str, bool] = {}
        for above in {path.rpartition("/")[0] for path in paths}:
            real[above] = os.path.realpath(above) == (above or "/")
        return {it: fingerprint(it) if real[it.rpartition("/")[0]] else None for it in paths}


def _is_torn(at: Fingerprint, was: Snapshot | None) -> bool:
    """Return whether the system has cut the file, or added to it, and not noted when: somebody who
    writes it is held up in the middle of that."""
    before = None if was is None else was.fingerprint
    return before is not None and at[:2] == before[:2] and at[2] != before[2]
