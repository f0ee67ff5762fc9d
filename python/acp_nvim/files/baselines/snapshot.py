"""What was seen of one file at one moment: its fingerprint, and its bytes as far as they are kept.

Reading happens in threads. A file that goes away, or may not be read, is no error.
"""

from __future__ import annotations

import os
import stat
import zlib
from enum import Enum
from functools import partial
from hashlib import blake2b
from threading import Lock
from time import time_ns
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.files import rooted
from acp_nvim.files.encoding import exact_bytes, exact_text, is_binary, may_be_wide
from acp_nvim.history.attributes import NO_FILE, FileAttributes
from acp_nvim.hunks import made

Fingerprint: TypeAlias = tuple[int, int, int, int, int]
"""When it was modified and when it was changed at all (ns), its size, its inode, its mode."""
RACY = 2_000_000_000
"""Nanoseconds in which a file system may not tell two moments apart (FAT: two seconds)."""
MOST_STAMPS = 8
"""So many moments are remembered at which a file was the same."""
ABSENT_FORM: Final = FileAttributes(inode=NO_FILE)


class Unknown(Enum):
    """The type of `UNKNOWN`: there is or was a file, and its text is not known."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN
Text: TypeAlias = str | Unknown | None
"""None: there is no such file."""


class Snapshot(Struct, frozen=True):
    """`fingerprint`: None where there was no file. `digest`: of its bytes, b"" if not read.

    `packed`: its bytes, compressed; None where they are not kept. `settled`: as long as the
    fingerprint is the same, so are the bytes. `near`: an agent or we had to do with it, so its text
    is worth more than that of others.
    """

    fingerprint: Fingerprint | None
    digest: bytes = b""
    packed: bytes | None = None
    settled: bool = False
    near: bool = False
    stamps: tuple[str, ...] = ()
    """The last under which the same bytes were seen (`disk.stamp`)."""

    is_binary: bool = False

    def text(self, encoding: str = "") -> Text:
        """Return its exact text; `encoding`: that of its buffer, "" without."""
        if self.fingerprint is None:
            return None
        if self.packed is None:
            return UNKNOWN
        data = made(self.packed, "bytes", partial(zlib.decompress, self.packed))
        return UNKNOWN if is_binary(data, encoding) else exact_text(data, encoding)

    def form(self) -> FileAttributes:
        """Return how the file was on disk besides its text."""
        at = self.fingerprint
        return ABSENT_FORM if at is None else FileAttributes(stat.S_IMODE(at[4]), inode=at[3])

    def is_like(self, other: Snapshot) -> bool:
        """Return whether both are known to be the same bytes, or both no file."""
        if self.fingerprint is None or other.fingerprint is None:
            return self.fingerprint is other.fingerprint
        return bool(self.digest) and self.digest == other.digest

    @property
    def size(self) -> int:
        """Bytes of the file; 0 without one."""
        return 0 if self.fingerprint is None else self.fingerprint[2]

    def is_unread(self, largest: int) -> bool:
        """Return whether a file that could have been read was not, or its text is not kept."""
        there = self.fingerprint is not None and self.packed is None
        return there and not self.is_binary and self.size <= largest


ABSENT = Snapshot(None, settled=True, near=True)


def fingerprint(path: str) -> Fingerprint | None:
    """Return what the system says of a plain file; None if there is none at that path."""
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return None
    return stamped(status) if stat.S_ISREG(status.st_mode) else None


def has_names(path: str) -> bool:
    """Return whether what is there has other names, too."""
    try:
        return os.lstat(path).st_nlink > 1
    except OSError:
        return False


def real_fingerprint(path: str) -> Fingerprint | None:
    """Return the same; None also where a link leads to its folder, so that it is another file."""
    above = os.path.dirname(path)
    return fingerprint(path) if os.path.realpath(above) == above else None


def stamped(status: os.stat_result) -> Fingerprint:
    """Return what the system has said of a file."""
    times = status.st_mtime_ns, status.st_ctime_ns
    return (*times, status.st_size, status.st_ino, status.st_mode)


def read_snapshot(
    path: str, at: Fingerprint | None, largest: int, was: Snapshot | None = None
) -> Snapshot | None:
    """Read a file whose stamp is `at`; None if it cannot be read, or is gone again.

    Of one larger than `largest` bytes the stamp is all. If the bytes are those that `was` seen
    before, they are not packed again and stay as near as they were.
    """
    if at is None:
        return ABSENT
    now = time_ns()
    if at[2] > largest:
        return _sight(at, None, now)
    try:
        data = _read(path, at[2], largest)
    except (OSError, ValueError):
        return None
    is_still = fingerprint(path) == at
    return _sight(at, data if len(data) <= largest else None, now, was, is_still=is_still)


def written_snapshot(path: str, text: str, largest: int) -> Snapshot:
    """Return the sight of a file that has just been written with that exact text."""
    at = fingerprint(path)
    if at is None:
        return ABSENT
    data = exact_bytes(path, text)
    return _sight(at, data if len(data) <= largest else None, at[1])


def _sight(
    at: Fingerprint,
    data: bytes | None,
    now: int,
    was: Snapshot | None = None,
    *,
    is_still: bool = True,
) -> Snapshot:
    """`is_still`: nobody has changed the file while it was read, so the bytes are those of `at`."""
    settled = _is_settled(at, now)
    if data is None:
        return Snapshot(at, settled=settled, near=True)
    digest = made(data, "digest", lambda: blake2b(data, digest_size=16).digest())
    earlier = was.stamps if was and was.digest == digest else ()
    stamps = tuple(dict.fromkeys((*earlier, *([stamp_of(at)] if is_still else []))))[-MOST_STAMPS:]
    if was and was.packed and was.digest == digest:
        return replace(was, fingerprint=at, settled=settled, stamps=stamps)
    near = was is None or was.digest != digest or was.near
    kept = not is_binary(data) or may_be_wide(data)
    # Level 1: a third of the size at 0.1 GB/s; higher levels take longer and gain a tenth.
    packed = zlib.compress(data, 1) if kept else None
    if packed is not None:  # most often somebody asks for the text next
        made(packed, "bytes", lambda: data)
    return Snapshot(at, digest, packed, settled, near, stamps, is_binary=not kept)


def committed_snapshot(seen: Snapshot, data: bytes) -> Snapshot:
    """Return the sight of a file that is known to hold these bytes, though nobody has read it."""
    at = seen.fingerprint
    return seen if at is None else replace(_sight(at, data, at[1]), settled=seen.settled)


def stamp_of(at: Fingerprint) -> str:
    """Return what `disk.stamp` says of such a file."""
    seconds, rest = divmod(at[0], 1_000_000_000)
    return f"{seconds}.{rest:09d}:{at[2]}:{at[3]}"


def is_recent(at: Fingerprint, moment: int) -> bool:
    """Return whether the file may have come, or changed, since that moment (ns since 1970)."""
    return at[1] >= moment - RACY


def _is_settled(at: Fingerprint, now: int) -> bool:
    """Return whether a change from now on would give the file another stamp.

    As git's racily clean entries. A modification time in the future was set by somebody; the time
    of the change cannot be.
    """
    modified, changed = at[0], at[1]
    return changed < now - RACY and not now - RACY <= modified <= now


def _read(path: str, size: int, largest: int) -> bytes:
    """Return all bytes, or more than `largest` of them. Raises `OSError`, `ValueError`."""
    with rooted.file(path) as file:
        return rooted.content(file, size, largest)


SPARE = 20
"""When there is no room a twentieth of the budget is freed, so that this is done seldom."""


class SnapshotCache:
    """Sights by path. When their texts exceed the budget, larger ones make room for smaller ones.

    So the most files are kept, and those that people write: what is large is mostly made by
    programs. What an agent or we had to do with goes last.
    """

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._sights: dict[str, Snapshot] = {}
        self._size = 0
        self._fresh: set[str] = set()
        self._lock = Lock()
        self.let_go = 0
        """How many texts have had to go."""

    def get(self, path: str) -> Snapshot | None:
        """Return what was last seen there, None if nobody has looked."""
        return self._sights.get(path)

    def unread(self, largest: int) -> set[str]:
        """Return the files of up to so many bytes of which it has no text."""
        return {path for path, it in list(self._sights.items()) if it.is_unread(largest)}

    def paths(self) -> list[str]:
        """Return all paths that were seen, with or without a file."""
        return list(self._sights)

    @property
    def has_fresh(self) -> bool:
        """Whether something was seen since that was asked last."""
        return bool(self._fresh)

    def fresh(self) -> list[str]:
        """Return the paths that were seen since this was asked last."""
        with self._lock:
            fresh, self._fresh = self._fresh, set()
        return sorted(fresh)

    def forget(self, path: str) -> None:
        """Let nobody have looked there."""
        with self._lock:
            self._size -= _weight(self._sights.pop(path, None))

    def put(self, path: str, sight: Snapshot) -> None:
        """Keep it, whatever was there."""
        with self._lock:
            self._put(path, sight)

    def swap(self, path: str, was: Snapshot | None, sight: Snapshot) -> bool:
        """Keep it in the place of `was`; False, and nothing is done, if another is there now."""
        with self._lock:
            if not _is_same(self._sights.get(path), was):
                return False
            self._put(path, sight)
            return True

    def _put(self, path: str, sight: Snapshot) -> None:
        was = self._sights.get(path)
        self._size += _weight(sight) - _weight(was)
        self._sights[path] = sight
        if not _is_same(was, sight) or _weight(sight) > _weight(was):
            self._fresh.add(path)
        if self._size > self._budget:
            self._make_room(_worth(sight))
        if self._size > self._budget:
            self._strip(path)

    def _make_room(self, worth: tuple[bool, int]) -> None:
        """Let texts go that are worth less than that, the largest first."""
        aim = self._budget - self._budget // SPARE
        held = [(_worth(it), path) for path, it in self._sights.items() if it.packed]
        for worth_of_it, path in sorted(held):
            if self._size <= aim or worth_of_it >= worth:
                break
            self._strip(path)

    def _strip(self, path: str) -> None:
        self.let_go += 1
        self._size -= _weight(self._sights[path])
        self._sights[path] = replace(self._sights[path], packed=None)


def _worth(sight: Snapshot) -> tuple[bool, int]:
    return sight.near, -_weight(sight)


def _is_same(one: Snapshot | None, other: Snapshot | None) -> bool:
    """Return whether they are the same but for the text, which may have had to go."""
    if one is None or other is None:
        return one is other
    return (one.fingerprint, one.digest) == (other.fingerprint, other.digest)


def _weight(sight: Snapshot | None) -> int:
    return len(sight.packed) if sight and sight.packed else 0
