"""What has changed below folders, as the kernel has noted it: so a look need not go over all files.

Nothing wakes for a change: the kernel's queue is read when somebody asks, and has by then all that
was written before. Wherever the answer could be wrong it is None, and who asks has to scan: on
other systems and on file systems of other machines, where a limit was met, when the queue was full,
when folders have come, gone or moved, and when git's rules or its index have changed. Blocking.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from weakref import finalize

from msgspec import Struct, field

from acp_nvim.files import disk
from acp_nvim.files.baselines import inotify
from acp_nvim.files.baselines.listing import IGNORE_FILE, LEFT_OUT, MARKS
from acp_nvim.files.roots import inside
from acp_nvim.patterns import lazy_pattern

MOST = 65_536
"""Folders that are watched at most, in all: each takes about 1 KB of the kernel."""
SHARE = 4
"""The part of what a user may watch that one host takes, as a divisor."""
MOST_CHANGED = 5_000
"""Changed files for which a scan is not dearer."""
MOST_EVENTS = 100_000
"""Events that are read at once: somebody makes them faster than they can be read."""
FEW = 64
"""Folders that are new to the watch and are looked through; for more, all is scanned again."""
MOST_FOLDERS = 8
"""Folders of sessions that are watched at once, those that were asked for last."""
LOCAL = frozenset(
    {"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "jfs", "overlay", "ramfs", "tmpfs", "xfs"}
    | {"zfs"}
)
"""File systems which no other machine changes without the kernel's knowing."""
TEARS = {IGNORE_FILE, ".git", *MARKS}
"""Names of files after whose change other files count."""
LIMIT = Path("/proc/sys/fs/inotify/max_user_watches")
MOUNTS = Path("/proc/self/mountinfo")
_ESCAPED = lazy_pattern(rb"\\([0-7]{3})")
_PASSING = (errno.ENOENT, errno.ENOTDIR, errno.EACCES)
"""Why one folder cannot be watched, which is no news: it is gone, or nobody sees into it."""


class _Watched(Struct):
    """`changed`: files by path, with whether one has come by that name since it was asked last."""

    signs: Mapping[str, str]
    besides: Collection[str]
    left_out: Collection[str]
    fresh: list[str]
    """Folders that are watched since then."""
    listed: Collection[str] = ()
    """The files that the scan has found there, which may have gone before they were watched."""
    changed: dict[str, bool] = field(default_factory=dict)
    is_torn: bool = False

    def leaves_out(self, path: str, name: str) -> bool:
        """Return whether what is in that folder does not count, or where that link leads to."""
        return name in self.left_out or path in self.besides


class Watch:
    """Watches folders with all that is below; one call at a time."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._queue = -1
        self._close: Callable[[], object] = lambda: None
        self._folders: dict[str, _Watched] = {}
        self.refused: set[str] = set()
        """Folders that cannot be watched."""
        self._paths: dict[int, str] = {}
        self._numbers: dict[str, int] = {}

    def sees(self, path: str) -> bool:
        """Return whether a change of that file would be noted."""
        return path.rpartition("/")[0] in self._numbers

    def is_torn(self, folder: str) -> bool:
        """Return whether a scan is due of a folder that was watched, as far as is known."""
        known = self._folders.get(folder)
        return known is not None and (known.is_torn or len(known.fresh) > FEW)

    def is_quiet(self, folder: str) -> bool:
        """Return whether it takes no time to ask for what has changed there."""
        known = self._folders.get(folder)
        return known is None or not (known.fresh or known.changed or inotify.has_more(self._queue))

    def cover(
        self,
        folder: str,
        below: Collection[str],
        signs: Mapping[str, str],
        besides: Collection[str] = (),
        left_out: Collection[str] = LEFT_OUT,
        listed: Collection[str] = (),
    ) -> None:
        """Watch the folder and those below it, all of them. What has changed until now is told by
        the scan that has found them, or by the next answer.

        `signs`: files with the stamps under which that scan holds. `besides`: folders and links
        that do not count; `left_out`: names of such folders. `listed`: the files that it has found.
        """
        try:
            self._check(folder, below)
            fresh = [it for it in below if self._add(it)]
        except OSError:
            self.refused.add(folder)
            self.leave(folder)
            return
        self._folders.pop(folder, None)
        listed = listed if 0 < len(fresh) <= FEW else ()
        self._folders[folder] = _Watched(signs, besides, left_out, fresh, listed)
        for oldest in list(self._folders)[:-MOST_FOLDERS]:
            self.leave(oldest)
        self._remove_all(self._below(folder) - set(below))

    def leave(self, folder: str) -> None:
        """Watch that folder no more; who watches none has no descriptor."""
        self._folders.pop(folder, None)
        others = {path for it in self._folders for path in self._below(it)}
        self._remove_all(self._below(folder) - others)
        if not self._folders:
            self._close()
            self._queue = -1
            self._numbers.clear()
            self._paths.clear()

    def leave_others(self, used: Iterable[str]) -> None:
        """Watch no folders but these any more."""
        for folder in self._folders.keys() - {*used}:
            self.leave(folder)

    def changed(self, folder: str) -> dict[str, bool] | None:
        """Return the files below it that may have changed since this was asked last, each with
        whether something has come by that name; None: nobody knows."""
        self._drain()
        known = self._folders.get(folder)
        if known is None:
            return None
        found, known.changed = known.changed, {}
        if self._is_over(known, found):
            known.is_torn = True
            return None
        for fresh in known.fresh:
            entries = self._entries(fresh, known)
            if entries is None:
                known.is_torn = True
                return None
            found |= dict.fromkeys(entries, True)
        folders = {*known.fresh}
        lost = (path for path in known.listed if path.rpartition("/")[0] in folders)
        found |= {path: False for path in lost if path not in found}
        known.fresh, known.listed = [], ()
        return found

    def again(self, folder: str, paths: Iterable[str]) -> None:
        """Let these files be in the next answer, too."""
        if (known := self._folders.get(folder)) is not None:
            known.changed |= {path: known.changed.get(path, False) for path in paths}

    def _check(self, folder: str, below: Collection[str]) -> None:
        """Raise `OSError` where the kernel does not know of all changes, or there are too many."""
        count = len(self._numbers.keys() | set(below))
        if count > min(self._most, int(LIMIT.read_text()) // SHARE):
            raise OSError(errno.ENOSPC, "too many folders")
        types = _file_systems(folder)
        if not types <= LOCAL:
            raise OSError(errno.EREMOTE, "another machine may change it")
        if self._queue < 0:
            self._queue = inotify.begin()
            self._close = finalize(self, os.close, self._queue)  # a user has 128 of them

    def _add(self, path: str) -> bool:
        """Return whether it was not watched by that path."""
        try:
            number = inotify.add(self._queue, path)
        except OSError as error:
            if error.errno in _PASSING:
                return False
            raise
        was = self._numbers.get(path)
        if was == number:
            return False
        if was is not None:  # another folder has had that name
            self._remove_all({path})
        if (before := self._paths.get(number)) is not None:  # this one has had another
            del self._numbers[before]
        self._numbers[path], self._paths[number] = number, path
        return True

    def _remove_all(self, paths: Iterable[str]) -> None:
        for path in paths:
            number = self._numbers.pop(path)
            del self._paths[number]
            with suppress(OSError):  # it is gone, and the watch with it
                inotify.remove(self._queue, number)

    def _below(self, folder: str) -> set[str]:
        return {it for it in self._numbers if it == folder or it.startswith(inside(folder))}

    def _drain(self) -> None:
        events = inotify.read(self._queue) if self._queue >= 0 else ()
        for count, (number, bits, name) in enumerate(events):
            path = self._paths.get(number)
            if bits & inotify.LOST or count > MOST_EVENTS:
                for known in self._folders.values():
                    known.is_torn = True
                if count > MOST_EVENTS:
                    break
            elif path is not None:
                self._note(path, name, bits)
                if bits & inotify.GONE_ITSELF and path in self._numbers:
                    self._remove_all({path})

    def _note(self, above: str, name: str, bits: int) -> None:
        path, is_folder = inside(above) + name, bool(bits & inotify.FOLDER)
        comes, goes = bool(bits & inotify.CREATED), bool(bits & inotify.REMOVED)
        for folder, known in self._folders.items():
            if not inside(above).startswith(inside(folder)):
                continue
            if bits & inotify.GONE_ITSELF or name in TEARS:
                known.is_torn = True
            elif is_folder:
                known.is_torn |= (comes or goes) and not known.leaves_out(path, name)
            elif name and len(known.changed) <= MOST_CHANGED:
                known.changed[path] = comes or known.changed.get(path, False)

    def _is_over(self, known: _Watched, found: Mapping[str, bool]) -> bool:
        """Return whether the last scan does not hold any more."""
        is_much = len(found) > MOST_CHANGED or len(known.fresh) > FEW
        return (
            known.is_torn
            or is_much
            or any(disk.stamp(path) != stamp for path, stamp in known.signs.items())
            or any(map(os.path.islink, found))
        )

    def _entries(self, folder: str, known: _Watched) -> list[str] | None:
        """Return the files in a folder; None if it has folders that nobody watches, or links."""
        files: list[str] = []
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if known.leaves_out(entry.path, entry.name) or entry.path in self._numbers:
                    continue
                if entry.is_symlink() or entry.is_dir():
                    return None
                files.append(entry.path)
        return files


def _file_systems(folder: str) -> set[str]:
    """Return the types of those that the folder is in, and that are below it. Raises `OSError`."""
    mounts: dict[str, str] = {}
    for line in MOUNTS.read_bytes().splitlines():
        before, _, after = line.partition(b" - ")
        place = _ESCAPED.sub(lambda it: bytes([int(it[1], 8)]), before.split()[4])
        mounts[os.fsdecode(place)] = after.split()[0].decode()  # it lies above those before
    above = (it for it in mounts if inside(folder).startswith(inside(it)))
    here, below = max(above, key=len, default="/"), inside(folder)
    return {type for place, type in mounts.items() if place == here or place.startswith(below)}
