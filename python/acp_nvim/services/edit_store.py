"""The ledgers of files kept on disk, so that a review and an undo survive the host and Neovim.

One file for each, in a private folder, replaced as a whole. What waits for the user is never
dropped; of the rest the oldest go.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import anyio

from acp_nvim.ledger.ledger import Ledger
from acp_nvim.ledger.record import Head, head_of, ledger_of, to_text

PAUSE = 0.3
"""Seconds in which several changes become one write."""
MOST_SETTLED = 300
"""Ledgers that are kept although nothing in them waits for the user."""


class EditStore:
    """Keeps ledgers by path; `folder` is asked at each use, for it is configured late."""

    def __init__(self, folder: Callable[[], str], now: Callable[[], float]) -> None:
        self._folder = folder
        self._now = now
        self._dirty: dict[str, Ledger] = {}
        self._something = anyio.Event()

    def note(self, path: str, ledger: Ledger) -> None:
        """Keep this ledger soon; never waits."""
        self._dirty[path] = ledger
        self._something.set()

    async def run(self) -> None:
        """Write what was noted, for ever."""
        while True:
            await self._something.wait()
            await anyio.sleep(PAUSE)
            self._something = anyio.Event()
            dirty, self._dirty = self._dirty, {}
            await anyio.to_thread.run_sync(self._write_all, dirty)

    def flush(self) -> None:
        """Write now what was noted: Neovim is leaving."""
        dirty, self._dirty = self._dirty, {}
        self._write_all(dirty)

    async def read_all(self) -> dict[str, Ledger]:
        """Return all that is kept, by path."""
        return await anyio.to_thread.run_sync(self._read_all)

    def _read_all(self) -> dict[str, Ledger]:
        found = (_read(file) for file in self._files())
        return {head.path: ledger for head, ledger in filter(None, found)}

    def _write_all(self, dirty: Mapping[str, Ledger]) -> None:
        for path, ledger in dirty.items():
            self._write(path, to_text(path, ledger, self._now()))
        if dirty:
            self._prune()

    def _write(self, path: str, text: str) -> None:
        """Replace the file; a disk that is full or read-only costs the memory, not the session."""
        # a path may be of any length
        name = hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        target = Path(self._folder(), f"{name}.jsonl")
        try:
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # made with mode 0600
            handle, new = tempfile.mkstemp(dir=target.parent, prefix=".new-")
        except OSError:
            return
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(text)
            os.replace(new, target)
        except OSError:
            Path(new).unlink(missing_ok=True)

    def _prune(self) -> None:
        """Drop the oldest of those in which nothing waits."""
        files = self._files()
        if len(files) <= MOST_SETTLED:
            return
        heads = {file: head for file in files if (head := _head(file)) is not None}
        settled = [file for file, head in heads.items() if not head.waits]
        settled.sort(key=lambda file: heads[file].updated, reverse=True)
        for file in settled[MOST_SETTLED:]:
            file.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        return list(Path(self._folder()).glob("*.jsonl"))


def _read(file: Path) -> tuple[Head, Ledger] | None:
    try:
        first, second, *_ = file.read_text(encoding="utf-8", errors="replace").split("\n", 2)
    except (OSError, ValueError):
        return None
    head, ledger = head_of(first), ledger_of(second)
    return (head, ledger) if head is not None and ledger is not None else None


def _head(file: Path) -> Head | None:
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            return head_of(lines.readline())
    except OSError:
        return None
