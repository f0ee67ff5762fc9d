"""How much is kept on disk, and for how long: of each folder of ours, the newest files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from acp_nvim.storage import private

MOST_BYTES: Final = 256 << 20
"""Bytes of the files of one kind."""
MOST_DAYS: Final = 180
"""Days for which a file is kept that nobody writes any more."""
LOG_DAYS: Final = 30
"""The same, of a log."""
DAY: Final = 86_400
"""Seconds; a wrong clock is set right within it."""
FIRST: Final = 1_735_689_600.0
"""The beginning of 2025, before the first of these files."""


def drop(files: Iterable[Path], *, most: int, days: int = MOST_DAYS) -> list[Path]:
    """Remove what is too old, too many or too much, the oldest first; return what is gone.

    What has not become a file within a day, in the same folders, goes as well.
    """
    stated = [(file, *_stated(file)) for file in files]
    for folder in {it[0].parent for it in stated}:
        private.sweep(folder, time.time() - DAY)
    stated.sort(key=lambda it: it[1], reverse=True)
    is_old, room, gone = old([it[1] for it in stated], days), MOST_BYTES, []
    for count, (file, modified, size) in enumerate(stated, 1):
        room -= size
        # the newest stays, whatever its size
        if count > most or is_old(modified) or (room < 0 and count > 1):
            private.remove(file)
            gone.append(file)
    return gone


def old(times: Iterable[float], days: int = MOST_DAYS) -> Callable[[float], bool]:
    """Return what tells whether one of these times, in seconds since 1970, is too long ago.

    A clock may jump: nothing is too old unless something else is of some day in between, nor what
    was written before there was anything to be written.
    """
    now = time.time()
    oldest = now - days * DAY
    is_right = any(oldest < it < now - DAY for it in times)
    return lambda modified: is_right and FIRST < modified < oldest


def _stated(file: Path) -> tuple[float, int]:
    try:
        status = file.lstat()
    except OSError:
        return 0.0, 0
    return status.st_mtime, status.st_size
