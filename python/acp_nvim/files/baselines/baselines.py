"""What the files of the roots held when last seen, so that changes by any program can be found.

Needs no git. Texts are kept in memory within a budget (see `SnapshotCache`); of what is too large
for it, binary, or beyond the limits of an inventory, a change may be found, but not what was there
before. Where a `Watch` knows what has changed since the last pass, the next looks at no more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import filterfalse
from time import monotonic, monotonic_ns, time_ns
from types import MappingProxyType

import anyio
from anyio import to_thread
from msgspec import Struct, field
from msgspec.structs import replace

from acp_nvim.files import disk, git
from acp_nvim.files.baselines.committed import CommittedTexts
from acp_nvim.files.baselines.comparison import QUIET, Comparison, DiskChange, Reason
from acp_nvim.files.baselines.ignored import IgnoredFiles
from acp_nvim.files.baselines.listing import (
    GIT,
    LEFT_OUT,
    LISTING_LIMIT,
    Listing,
    Listings,
    Scan,
    folders_below,
)
from acp_nvim.files.baselines.memory import Memory, Remembered, recall
from acp_nvim.files.baselines.snapshot import (
    ABSENT,
    RACY,
    UNKNOWN,
    Fingerprint,
    Snapshot,
    SnapshotCache,
    Text,
    Unknown,
    has_names,
    read_snapshot,
    real_fingerprint,
    written_snapshot,
)
from acp_nvim.files.baselines.watch import MOST, Watch
from acp_nvim.files.roots import Roots, inside

__all__ = ["UNKNOWN", "Baselines", "Changes", "DiskChange", "Unknown"]

MIB = 1 << 20
PATIENCE = 2.0
"""Seconds, from when it is asked for, after which a refresh reads no more files for the first time;
the next one goes on."""
HURRIED = 0.25
"""The same while somebody waits: `read_on` does the rest."""
AT_LEAST = 500
"""Files that are read whatever time that takes: those of an ordinary project, or made just now."""
SLICE = 0.02
"""Seconds for which `read_on` keeps others waiting."""
MANY = 1_000
"""Files for which git is asked instead of reading them all."""
MOST_LINKED = 500
"""Files with several names which are looked at in each pass; with more of them all are."""
MOST_PARTS = 20
"""Repositories within a folder that is watched."""
EXACT = 20_000_000
"""Nanoseconds in which a file may change without another time of change."""
NO_ENCODINGS: Mapping[str, str] = MappingProxyType({})


class Changes(Struct, frozen=True):
    """What differs; `unknown`: files that changed, whose text before or after is not known.

    `gone`: files and folders (with "/") that git ignores and that are gone, and nobody has kept.
    """

    known: tuple[DiskChange, ...]
    unknown: tuple[str, ...]
    gone: tuple[str, ...] = ()
    reasons: Mapping[str, Reason] = field(default_factory=dict)
    """Why each of the unknown is not known."""

    def __eq__(self, other: object) -> bool:
        mine = self.known, self.unknown, self.gone
        return isinstance(other, Changes) and mine == (other.known, other.unknown, other.gone)


class Baselines:
    """Sees files, and says what has changed since; each change is told once.

    Paths are absolute and resolved. One pass at a time; `text`, `note` and `watches` never wait.
    """

    def __init__(
        self,
        *,
        budget: int = 64 * MIB,
        largest: int = 2 * MIB,
        inventories: Listings | None = None,
        quiet: float = QUIET,
        watch: Watch | None = None,
        own: Callable[[], Collection[str]] = tuple,
    ) -> None:
        """`own`: what tells the folders of our own files: no agent changes these."""
        self._own = own
        self._quiet = quiet
        self._watch = watch
        self._apart: set[str] = set()
        """Files that were seen, and whose changes the watch does not note."""
        self._linked: dict[str, list[str]] = {}
        self._scanned: set[str] = set()
        """Folders that were scanned since the last refresh."""
        self._let_go = 0
        self._reads_on = False
        self._shelf = SnapshotCache(budget)
        self._largest = largest
        self._inventories = inventories or Listings()
        self._visits: dict[str, Scan] = {}
        self._ahead = 0
        """Nanoseconds by which the clock was ahead of one that nobody sets."""
        self._ignored = IgnoredFiles(git.ignored)
        self._unread: set[str] = set()
        self._room_for = largest
        """The most bytes of a file for which the shelf has had room."""
        self._committed = CommittedTexts()
        self._untold: dict[str, Reason] = {}
        self._deadline = 0.0
        """When to read no more."""
        self._lock = anyio.Lock(fast_acquire=True)
        self._memory: Memory | None = None

    def keep_in(self, memory: Memory) -> None:
        """Keep there what is seen from now on."""
        self._memory = memory

    async def keep(self) -> None:
        """Return when all that was seen is kept, for who comes after a kill."""
        if self._memory is not None and self._shelf.has_fresh:
            async with self._lock:
                await to_thread.run_sync(self._memory.keep, self._shelf, self._visits)

    async def recall(
        self, remembered: Remembered, until: int, known: Container[str]
    ) -> tuple[str, ...]:
        """Let what a killed host has seen be what was seen last, so that `changes` tells the rest.

        What has changed after `until` (ns since 1970), or is `known`, is seen as it is now; returns
        the paths of those of the former that were seen otherwise.
        """
        since: list[str] = []
        async with self._lock:
            for folder, last in remembered.scans.items():
                listing = await self._inventories.take(folder)
                since += await to_thread.run_sync(
                    partial(
                        recall,
                        self._shelf,
                        remembered,
                        last,
                        listing,
                        until=until,
                        known=known,
                        largest=self._largest,
                    )
                )
                self._visits[folder] = last
        return tuple(since)

    def hurry(self) -> float:
        """Somebody waits for a refresh: one that is under way reads no more.

        Returns when that one is to have done, in monotonic seconds.
        """
        self._deadline = 0.0
        return monotonic() + HURRIED

    async def refresh(
        self,
        roots: Roots,
        encodings: Mapping[str, str] = NO_ENCODINGS,
        deadline: float | None = None,
    ) -> Changes:
        """See all files of the roots as they are now, and return what `changes` would.

        Reads as many texts as the budget and the deadline allow, the smallest files first; without
        a deadline `PATIENCE` from now.
        """
        deadline = monotonic() + PATIENCE if deadline is None else deadline
        async with self._lock:
            self._deadline = deadline
            known = self._unread.copy() if self._reads_on else frozenset[str]()
            changes = await self._compare(roots, encodings)
            if new := self._unread - known:
                waiting = iter(await to_thread.run_sync(self._glimpses, new))
                await to_thread.run_sync(self._read, waiting, AT_LEAST)
            scanned = [it for it in roots.folders() if it in self._scanned]
            self._scanned -= {*scanned}
            if scanned or self._let_go != self._shelf.let_go:
                self._let_go = self._shelf.let_go
                await self._remember_unread(roots)
            await self._ignored.see(self._repositories(scanned))
            await self._ignored.see_touched()
            return changes

    def is_torn(self, roots: Roots) -> bool:
        """Return whether the next pass has to scan though its folders are watched."""
        watch = self._watch
        return watch is not None and any(map(watch.is_torn, roots.folders()))

    async def leave(self, used: Iterable[str]) -> None:
        """Watch no others than these folders."""
        async with self._lock:
            if self._watch is not None:
                self._watch.leave_others(used)

    async def read_on(self) -> None:
        """Read what nobody has had time for, while others have their turn."""
        if self._reads_on or not self._unread:
            return
        self._reads_on = True
        try:
            waiting, more = iter(await to_thread.run_sync(self._glimpses, self._unread)), True
            while more:
                async with self._lock:
                    self._deadline = monotonic() + SLICE
                    more = await to_thread.run_sync(self._read, waiting)
        finally:
            self._reads_on = False

    async def changes(self, roots: Roots, encodings: Mapping[str, str] = NO_ENCODINGS) -> Changes:
        """Return what differs from what was seen, and see it from now on.

        A renamed file is one that is gone and one that is new. A touched one is no change.
        `encodings`: how to read the files of open buffers, by path.
        """
        async with self._lock:
            return await self._compare(roots, encodings)

    async def look(
        self, path: str, encoding: str = "", *, at_once: bool = False
    ) -> DiskChange | None:
        """Return the same for one path. A file that nobody had seen is seen from now on.

        `at_once`: it was we who have written it, so that nobody else is.

        It is new only if an inventory would have had it. What has changed, but cannot be told
        because its text was not known, is in the next `changes`.
        """
        async with self._lock:
            comparison = self._comparison({path: encoding}, 0.0 if at_once else self._quiet)
            unseen = await to_thread.run_sync(self._look, comparison, path)
            if unseen is not None:
                await self._meet(comparison, path, unseen)
            await self._tell_committed(comparison)
            self._untold |= self._reasons(comparison)
            self._look_later(path)
        return comparison.known[0] if comparison.known else None

    def text(self, path: str, encoding: str = "") -> Text:
        """Return what it held when last seen; None: it was not there; `UNKNOWN`: not known."""
        sight = self._shelf.get(path)
        return UNKNOWN if sight is None else sight.text(encoding)

    def held(self, path: str, stamp: str) -> bool:
        """Return whether the file was seen with that stamp, as it is now."""
        sight = self._shelf.get(path)
        return sight is not None and stamp in sight.stamps

    def is_settled(self, path: str) -> bool:
        """Return whether a change from now on would give the file another stamp."""
        sight = self._shelf.get(path)
        return sight is not None and sight.settled

    def note(self, path: str, text: str | None) -> None:
        """Say that we ourselves have just made the disk hold this exact text."""
        sight = ABSENT if text is None else written_snapshot(path, text, self._largest)
        self._shelf.put(path, sight)
        self._look_later(path)
        self._untold.pop(path, None)

    def watches(self, path: str) -> bool:
        """Return whether somebody has looked there, so that a change would be found."""
        return self._shelf.get(path) is not None

    def _comparison(self, encodings: Mapping[str, str], quiet: float) -> Comparison:
        return Comparison(self._shelf, self._largest, encodings, quiet=quiet)

    async def _compare(self, roots: Roots, encodings: Mapping[str, str]) -> Changes:
        comparison = self._comparison(encodings, self._quiet)
        folders = dict.fromkeys(roots.folders())
        for folder in folders:
            await self._pass(comparison, folder)
        self._unread.update(comparison.unread)
        await self._tell_committed(comparison)
        here = tuple(map(inside, folders))
        reasons = {it: why for it, why in self._untold.items() if it.startswith(here)}
        self._untold = {it: why for it, why in self._untold.items() if it not in reasons}
        reasons |= self._reasons(comparison)
        repositories = self._repositories(folders)
        known, gone = (
            await to_thread.run_sync(self._gone, repositories) if repositories else ([], [])
        )
        own = self._own_folders(here)
        reasons = {it: why for it, why in reasons.items() if not it.startswith(own)}
        return Changes(
            tuple(it for it in (*comparison.known, *known) if not it.path.startswith(own)),
            tuple(reasons),
            tuple(it for it in gone if not it.startswith(own)),
            reasons,
        )

    def _own_folders(self, roots: Collection[str]) -> tuple[str, ...]:
        """Return with what the paths of our own files begin; a worktree in one is a project."""
        folders = (inside(os.path.realpath(it)) for it in self._own())
        return tuple(it for it in folders if not any(root.startswith(it) for root in roots))

    async def _pass(self, comparison: Comparison, folder: str) -> None:
        """See what has changed below a folder; all of it, where nobody has watched."""
        self._heed_clock()
        began, last = time_ns(), self._visits.get(folder)
        changed = await self._changed(folder, last)
        if last is not None and changed is not None:
            await self._compare_some(comparison, folder, last, changed)
            if not _hangs(last):
                self._visits[folder] = replace(last, began=began)
            elif self._watch is not None:  # nobody knows which of what is new git ignores
                self._watch.leave(folder)
            return
        inventory = await self._inventories.take(folder)
        if last is not None and _hangs(last):
            # what is new is found once git answers: by a walk all that it ignores would be new
            known = [path for path in self._shelf.paths() if path.startswith(inside(folder))]
            await to_thread.run_sync(comparison.compare_some, dict.fromkeys(known, False), last)
            return
        this = await to_thread.run_sync(comparison.compare_all, folder, inventory, began, last)
        self._visits[folder] = this
        self._scanned.add(folder)
        if self._watch is not None and folder not in self._watch.refused:
            await self._cover(self._watch, folder, inventory, began)
            self._apart |= comparison.unlisted.keys()
            self._apart = {it for it in self._apart if not self._watch.sees(it)}

    async def _changed(self, folder: str, last: Scan | None) -> dict[str, bool] | None:
        """Return the files that are to be looked at, as `Watch.changed` does; None: all."""
        watch = self._watch
        if watch is None or last is None:
            return None
        is_quiet = watch.is_quiet(folder)
        found = (
            watch.changed(folder) if is_quiet else await to_thread.run_sync(watch.changed, folder)
        )
        linked = self._linked.get(folder, [])
        is_much = len(linked) > MOST_LINKED
        if found is None or is_much or not last.links.keys().isdisjoint(found):
            return None
        apart = (it for it in self._apart if it.startswith(inside(folder)))
        return dict.fromkeys((*apart, *linked), False) | found

    async def _compare_some(
        self, comparison: Comparison, folder: str, last: Scan, changed: Mapping[str, bool]
    ) -> None:
        unseen = {*filterfalse(self.watches, filter(os.path.lexists, changed))}
        listed = await self._inventories.covers(last.parts, unseen)
        self._ignored.touch(self._repositories([folder]), unseen - listed)
        paths = {it: new for it, new in changed.items() if self.watches(it) or it in listed}
        if paths and self._watch is not None:
            again = await to_thread.run_sync(comparison.compare_some, paths, last)
            self._watch.again(folder, again)
            self._linked[folder] = [*{*self._linked.get(folder, ()), *filter(has_names, paths)}]

    async def _cover(self, watch: Watch, folder: str, inventory: Listing, began: int) -> None:
        """Have the folder watched, if its files are such that a watch notes all changes."""
        repositories = [part for part, by_git in inventory.parts.items() if by_git]
        if len(inventory.linked) > MOST_LINKED or len(repositories) > MOST_PARTS:
            watch.leave(folder)
            return
        self._linked[folder] = inventory.linked
        besides, rules = {*inventory.links}, list[str]()
        for part in repositories:
            ignored = await git.ignored_folders(part, LISTING_LIMIT)
            of_part = await git.rules(part)
            if ignored is None or not of_part:
                watch.leave(folder)
                return
            besides |= ignored
            rules += of_part

        def cover() -> None:
            below = folders_below(folder, inventory.parts, besides, MOST)
            tracked = {path.rpartition("/")[0] for path in inventory.stamps if repositories}
            left_out = GIT if repositories else LEFT_OUT
            signs = {path: _sign(path, began) for path in rules}
            folders = tracked.union(below)
            watch.cover(folder, folders, signs, besides, left_out, inventory.stamps)

        await to_thread.run_sync(cover)

    def _look_later(self, path: str) -> None:
        """Let each pass look at a file of whose changes the watch would not know."""
        if self._watch is not None and not self._watch.sees(path):
            self._apart.add(path)

    async def _remember_unread(self, roots: Roots) -> None:
        """See what git knows of the files for which there was no time, or no room."""
        unread = await to_thread.run_sync(self._shelf.unread, self._largest)
        repositories = self._repositories(roots.folders())
        await self._committed.see(repositories, unread)
        for folder in repositories if len(self._unread) > MANY else ():
            if not await git.may_convert(folder):
                known = await to_thread.run_sync(self._known_to_git, folder)
                self._unread -= known

    def _known_to_git(self, folder: str) -> set[str]:
        """Return the files that need not be read, since git has what they hold to the byte."""
        here = (it for it in self._shelf.paths() if it.startswith(inside(folder)))
        if any(it.endswith("/.gitattributes") for it in here):
            return set()
        sights = {path: it for path in list(self._unread) if (it := self._shelf.get(path))}
        return self._committed.known(folder, sights)

    async def _tell_committed(self, comparison: Comparison) -> None:
        """Tell of the files that nobody has read what git knows that they held."""
        if not comparison.unknown:
            return
        seen = ((path, it.was) for path, it in comparison.unknown.items())
        unread = {path: it for path, it in seen if it and it.is_unread(self._largest)}
        texts = await self._committed.texts(unread)
        await to_thread.run_sync(comparison.tell_read, texts)

    def _reasons(self, comparison: Comparison) -> dict[str, Reason]:
        return {path: it.reason(self._largest) for path, it in comparison.unknown.items()}

    def _repositories(self, folders: Iterable[str]) -> list[str]:
        """Return those in these folders, as they were listed last."""
        visits = (self._visits[folder] for folder in folders if folder in self._visits)
        return [part for visit in visits for part, by_git in visit.parts.items() if by_git]

    def _gone(self, repositories: Iterable[str]) -> tuple[list[DiskChange], list[str]]:
        """Return what git ignored and is gone, but for what is seen as any other file is."""
        known: list[DiskChange] = []
        gone: list[str] = []
        for repository in repositories:
            kept, lost = self._ignored.gone(repository)
            known += (it for it in kept if not self.watches(it.path))
            gone += (it for it in lost if not self.watches(it))
        return known, gone

    def _read(self, waiting: Iterator[tuple[int, str, Snapshot]], least: int = 1) -> bool:
        """Read what was only glimpsed at, until there is no room or no time for more than the
        `least`; return whether there is more that could be read. In a thread."""
        for count, (size, path, was) in enumerate(waiting, 1):
            if size > self._room_for:
                return False
            now = read_snapshot(path, was.fingerprint, self._largest)
            is_still = now is not None and (now.stamps or not now.digest)
            if now and is_still and self._shelf.swap(path, was, replace(now, near=False)):
                kept = self._shelf.get(path)
                has_room = not now.packed or (kept is not None and kept.packed is not None)
                self._room_for = self._room_for if has_room else size - 1
            self._unread.discard(path)
            if count >= least and monotonic() > self._deadline:
                return True
        return False

    def _glimpses(self, paths: Collection[str]) -> list[tuple[int, str, Snapshot]]:
        """Return size, path and sight of those of these that are to be read, the smallest first."""
        sights = [(self._shelf.get(path), path) for path in list(paths)]
        found = [(it.fingerprint[2], path, it) for it, path in sights if it and it.fingerprint]
        wanted = [it for it in found if it[0] <= self._room_for and not it[2].digest]
        self._unread -= {*paths} - {path for _, path, _ in wanted}
        return sorted(wanted, key=lambda it: it[:2])

    def _look(self, comparison: Comparison, path: str) -> Fingerprint | None:
        """Compare a file with what was seen; return how it is now if there is one that nobody had
        seen. In a thread."""
        at, was = real_fingerprint(path), self._shelf.get(path)
        if was is None:
            if at is None:
                self._shelf.swap(path, None, ABSENT)
            return at
        near = replace(was, near=True)
        if was.fingerprint == at and was.settled and (was.packed or at is None):
            self._shelf.swap(path, was, near)
        else:
            comparison.compare(path, at, near)
        return None

    def _heed_clock(self) -> None:
        """Let all have come since the last visits if the clock was set back after them."""
        was, self._ahead = self._ahead, time_ns() - monotonic_ns()
        if self._ahead < was - RACY:
            self._visits = {path: replace(it, began=0) for path, it in self._visits.items()}

    async def _meet(self, comparison: Comparison, path: str, at: Fingerprint) -> None:
        """See a file that nobody had seen, if it is not for the next pass to judge."""
        self._heed_clock()
        is_new: bool | None = False
        for last in self._visits.values():
            if await self._inventories.covers(last.parts, [path]):
                if not last.is_since(at):
                    return
                sure = await to_thread.run_sync(last.vouches_for, path)
                is_new = True if sure else None
        await to_thread.run_sync(partial(comparison.meet, path, at, is_new=is_new))


def _hangs(last: Scan) -> bool:
    return any(by_git and git.hangs(part) for part, by_git in last.parts.items())


def _sign(path: str, began: int) -> str:
    """Return the stamp of a file as it was when a scan began; "?", which none is, if it may have
    changed since."""
    with suppress(OSError):
        return disk.stamp(path) if os.stat(path).st_ctime_ns < began - EXACT else "?"
    return ""
