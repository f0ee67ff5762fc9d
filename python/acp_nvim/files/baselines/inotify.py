"""Linux's inotify, through the C library: a queue in the kernel of what has changed in folders.

The queue is bounded there and wakes nobody: it is read when somebody asks. All raise `OSError`,
also where there is none of it. Loaded when a folder is watched first.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
import sys
from collections.abc import Iterator

CREATED, REMOVED = 0x100 | 0x80, 0x200 | 0x40
"""Bits of an event: something was made or has been moved to here; is gone."""
FOLDER, LOST = 0x40000000, 0x4000
"""That is a folder; the queue was full."""
GONE_ITSELF = 0x400 | 0x800 | 0x2000 | 0x8000
"""The watched folder is gone, was moved, was unmounted, or is not watched any more."""
_WRITTEN = 0x2 | 0x4 | 0x8
"""Modified, given other attributes, closed after it was open for writing."""
_ONLY_FOLDERS, _NO_LINKS, _NOT_UNLINKED = 0x01000000, 0x02000000, 0x04000000
_WANTED = CREATED | REMOVED | _WRITTEN | 0xC00 | _ONLY_FOLDERS | _NO_LINKS | _NOT_UNLINKED
_HEAD = struct.Struct("iIII")
_PORTION = 1 << 16
"""Bytes that are read at once."""


def begin() -> int:
    """Return a queue, as a file descriptor that no child gets."""
    return _call("inotify_init1", os.O_NONBLOCK | os.O_CLOEXEC)


def add(queue: int, folder: str) -> int:
    """Watch that folder, and return the number of the watch: the same for one that is watched."""
    return _call("inotify_add_watch", queue, os.fsencode(folder), _WANTED)


def remove(queue: int, number: int) -> None:
    """Watch it no more."""
    _call("inotify_rm_watch", queue, number)


def has_more(queue: int) -> bool:
    """Return whether there is something in the queue."""
    poll = select.poll()
    poll.register(queue, select.POLLIN)
    return bool(poll.poll(0))


def read(queue: int) -> Iterator[tuple[int, int, str]]:
    """Yield what is in the queue: the number of a watch, bits, and the name of what is in there."""
    while True:
        try:
            data = os.read(queue, _PORTION)
        except BlockingIOError:
            return
        at = 0
        while at < len(data):
            number, bits, _, length = _HEAD.unpack_from(data, at)
            at += _HEAD.size + length
            yield number, bits, os.fsdecode(data[at - length : at].rstrip(b"\0"))


def _call(name: str, *arguments: object) -> int:
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    result = int(getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
