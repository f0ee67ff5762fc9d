"""The ledgers of files kept on disk, so that a review and an undo survive the host and Neovim.

One file for each, in a private folder, replaced as a whole. What waits for the user is never
dropped; of the rest the oldest go.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import anyio

from acp_nvim.ledger.ledger import Ledger
from acp_nvim.ledger.record import Head, head_of, ledger_of, to_text
from acp_nvim.services import clash_record, private_file
from acp_nvim.services.recorder import Clash

PAUSE = 0.3
"""Seconds in which several changes become one write."""
LEDGER, CLASH = ".jsonl", ".clash.json"
"""Endings of the two kinds of files."""
MOST_SETTLED = 300
"""Ledgers that are kept although nothing in them waits for the user."""


class EditStore:
    """Keeps ledgers by path; `folder` is asked at each use, for it is configured late."""

    def __init__(self, folder: Callable[[], str], now: Callable[[], float]) -> None:
        self._folder = folder
        self._now = now
        self._dirty: dict[str, Ledger] = {}
        self._clashes: dict[str, Clash | None] = {}
        """Those that are to be written, or (None) to be kept no longer."""
        self._something = anyio.Event()

    def note(self, path: str, ledger: Ledger) -> None:
        """Keep this ledger soon; never waits."""
        self._dirty[path] = ledger
        self._something.set()

    def note_clash(self, path: str, clash: Clash | None) -> None:
        """Keep this conflict of the file soon, or none any more; never waits."""
        self._clashes[path] = clash
        self._something.set()

    async def run(self) -> None:
        """Write what was noted, for ever."""
        while True:
            await self._something.wait()
            await anyio.sleep(PAUSE)
            self._something = anyio.Event()
            await anyio.to_thread.run_sync(self._write_all, *self._taken())

    def flush(self) -> None:
        """Write now what was noted: Neovim is leaving."""
        self._write_all(*self._taken())

    def _taken(self) -> tuple[dict[str, Ledger], dict[str, Clash | None]]:
        taken = self._dirty, self._clashes
        self._dirty, self._clashes = {}, {}
        return taken

    async def read_all(self) -> dict[str, Ledger]:
        """Return all that is kept, by path."""
        return await anyio.to_thread.run_sync(self._read_all)

    def _read_all(self) -> dict[str, Ledger]:
        found = (_read(file) for file in self._files())
        return {head.path: ledger for head, ledger in filter(None, found)}

    async def read_clashes(self) -> list[Clash]:
        """Return the conflicts that are kept."""
        return await anyio.to_thread.run_sync(self._read_clashes)

    def _read_clashes(self) -> list[Clash]:
        texts = (_text(file) for file in Path(self._folder()).glob(f"*{CLASH}"))
        return [clash for text in texts if (clash := clash_record.clash_of(text)) is not None]

    def _write_all(self, dirty: Mapping[str, Ledger], clashes: Mapping[str, Clash | None]) -> None:
        for path, ledger in dirty.items():
            private_file.replace(self._file(path, LEDGER), to_text(path, ledger, self._now()))
        for path, clash in clashes.items():
            if clash is None:
                with suppress(OSError):
                    self._file(path, CLASH).unlink(missing_ok=True)
            else:
                private_file.replace(self._file(path, CLASH), clash_record.to_text(clash))
        if dirty:
            self._prune()

    def _file(self, path: str, ending: str) -> Path:
        # a path may be of any length
        name = hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        return Path(self._folder(), name + ending)

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
        return list(Path(self._folder()).glob(f"*{LEDGER}"))


def _read(file: Path) -> tuple[Head, Ledger] | None:
    try:
        first, second, *_ = file.read_text(encoding="utf-8", errors="replace").split("\n", 2)
    except (OSError, ValueError):
        return None
    head, ledger = head_of(first), ledger_of(second)
    return (head, ledger) if head is not None and ledger is not None else None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _head(file: Path) -> Head | None:
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            return head_of(lines.readline())
    except OSError:
        return None
