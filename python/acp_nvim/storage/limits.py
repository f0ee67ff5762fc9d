"""How much is kept on disk, and for how long: of each folder of ours, the newest files."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from acp_nvim.storage import private

MOST_BYTES: Final = 256 << 20
"""Bytes of the files of one kind."""
MOST_DAYS: Final = 180
"""Days for which a file is kept that nobody writes any more."""
LOG_DAYS: Final = 30
"""The same, of a log."""


def drop(files: Iterable[Path], *, most: int, days: int = MOST_DAYS) -> list[Path]:
    """Remove what is too old, too many or too much, the oldest first; return what is gone."""
    stated = [(file, *_stated(file)) for file in files]
    stated.sort(key=lambda it: it[1], reverse=True)
    oldest, room, gone = time.time() - days * 86_400, MOST_BYTES, []
    for count, (file, modified, size) in enumerate(stated, 1):
        room -= size
        # the newest stays, whatever its size
        if count > most or modified < oldest or (room < 0 and count > 1):
            private.remove(file)
            gone.append(file)
    return gone


def _stated(file: Path) -> tuple[float, int]:
    try:
        status = file.lstat()
    except OSError:
        return 0.0, 0
    return status.st_mtime, status.st_size
