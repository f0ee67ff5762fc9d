"""What was seen of one file at one moment: its fingerprint, and its bytes as far as they are kept.

Reading happens in threads. A file that goes away, or may not be read, is no error.
"""

from __future__ import annotations

import zlib
from enum import Enum
from functools import partial
from hashlib import blake2b
from stat import S_IMODE
from time import time_ns
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.files import rooted
from acp_nvim.files.baselines.listing import Fingerprint, fingerprint
from acp_nvim.files.encoding import exact_bytes, exact_text, is_binary, may_be_wide
from acp_nvim.history.attributes import NO_FILE, FileAttributes
from acp_nvim.hunks import made

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
        return ABSENT_FORM if at is None else FileAttributes(S_IMODE(at[4]), inode=at[3])

    def is_like(self, other: Snapshot) -> bool:
        """Return whether both are known to be the same bytes, or both no file."""
        if self.fingerprint is None or other.fingerprint is None:
            return self.fingerprint is other.fingerprint
        return bool(self.digest) and self.digest == other.digest

    def is_larger(self, size: int) -> bool:
        """Return whether it is a file of more bytes."""
        return self.fingerprint is not None and self.fingerprint[2] > size

    def has_no_text(self) -> bool:
        """Return whether its bytes are known to be no text."""
        return self.is_binary or (self.packed is not None and self.text() is UNKNOWN)

    def is_unread(self, largest: int) -> bool:
        """Return whether a file that could have been read was not, or its text is not kept."""
        there = self.fingerprint is not None and self.packed is None
        return there and not self.is_binary and not self.is_larger(largest)

    def without_text(self) -> Snapshot:
        """Return it without its bytes."""
        return replace(self, packed=None)

    def brought(self, *, near: bool) -> Snapshot:
        """Return it with that nearness."""
        return replace(self, near=near)


ABSENT = Snapshot(None, settled=True, near=True)


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
