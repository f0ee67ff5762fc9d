"""The ledgers of files kept on disk, so that a review and an undo survive the host and Neovim.

One file for each, in a private folder, replaced as a whole. What waits for the user is never
dropped; of the rest the oldest go. Conflicts, and what agents were not told yet, stand beside them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeAlias

import anyio

from acp_nvim.ledger.conflict import Conflict
from acp_nvim.ledger.delta import SessionKey
from acp_nvim.ledger.ledger import Ledger
from acp_nvim.storage import conflict_record, lesson_record, private_file
from acp_nvim.storage.ledger_record import Head, head_of, ledger_of, to_text
from acp_nvim.storage.lesson_record import Texts

PAUSE = 0.3
"""Seconds in which several changes become one write."""
LEDGER, CONFLICT, LESSONS = ".jsonl", ".conflict.json", ".lessons.json"
"""Endings of the kinds of files."""
MOST_SETTLED = 300
"""Ledgers that are kept although nothing in them waits for the user."""
MOST_LESSONS = 100
"""Sessions of which is kept what their agents were not told: they may never be opened again."""

Record: TypeAlias = Callable[[], str] | None
"""Makes the text of a file of ours; None: it is to be there no longer."""


class EditStore:
    """Keeps ledgers by path; `folder` is asked at each use, for it is configured late."""

    def __init__(self, folder: Callable[[], str], now: Callable[[], float]) -> None:
        self._folder = folder
        self._now = now
        self._dirty: dict[str, Ledger] = {}
        self._records: dict[tuple[str, str], Record] = {}
        """What else is to be written, by name and ending."""
        self._something = anyio.Event()

    def note(self, path: str, ledger: Ledger) -> None:
        """Keep this ledger soon; never waits."""
        self._dirty[path] = ledger
        self._something.set()

    def note_conflict(self, path: str, conflict: Conflict | None) -> None:
        """Keep this conflict of the file soon, or none any more; never waits."""
        record = None if conflict is None else partial(conflict_record.to_text, conflict)
        self._note_record(path, CONFLICT, record)

    def note_lessons(self, key: SessionKey, rejected: Texts) -> None:
        """Keep soon what the agent was not told of in that session; never waits."""
        record = partial(lesson_record.to_text, key, dict(rejected)) if rejected else None
        self._note_record("\0".join(key), LESSONS, record)

    def _note_record(self, name: str, ending: str, record: Record) -> None:
        self._records[name, ending] = record
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

    def _taken(self) -> tuple[dict[str, Ledger], dict[tuple[str, str], Record]]:
        taken = self._dirty, self._records
        self._dirty, self._records = {}, {}
        return taken

    async def read_all(self) -> dict[str, Ledger]:
        """Return all that is kept, by path."""
        return await anyio.to_thread.run_sync(self._read_all)

    def _read_all(self) -> dict[str, Ledger]:
        found = (_read(file) for file in self._files())
        return {head.path: ledger for head, ledger in filter(None, found)}

    async def read_conflicts(self) -> list[Conflict]:
        """Return the conflicts that are kept."""
        return await anyio.to_thread.run_sync(self._read_conflicts)

    def _read_conflicts(self) -> list[Conflict]:
        found = map(conflict_record.conflict_of, self._texts(CONFLICT))
        return [conflict for conflict in found if conflict is not None]

    async def read_lessons(self) -> dict[SessionKey, Texts]:
        """Return what agents were not told yet, by session."""
        return await anyio.to_thread.run_sync(self._read_lessons)

    def _read_lessons(self) -> dict[SessionKey, Texts]:
        return dict(filter(None, map(lesson_record.lessons_of, self._texts(LESSONS))))

    def _write_all(
        self, dirty: Mapping[str, Ledger], records: Mapping[tuple[str, str], Record]
    ) -> None:
        for path, ledger in dirty.items():
            private_file.replace(self._file(path, LEDGER), to_text(path, ledger, self._now()))
        for (name, ending), record in records.items():
            if record is not None:
                private_file.replace(self._file(name, ending), record())
                continue
            with suppress(OSError):
                self._file(name, ending).unlink(missing_ok=True)
        if dirty:
            self._prune()
        if any(ending == LESSONS for _, ending in records):
            self._prune_lessons()

    def _file(self, name: str, ending: str) -> Path:
        # a path may be of any length
        digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        return Path(self._folder(), digest + ending)

    def _texts(self, ending: str) -> list[str]:
        return [_text(file) for file in Path(self._folder()).glob(f"*{ending}")]

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

    def _prune_lessons(self) -> None:
        """Drop those of the sessions that were used longest ago."""
        files = sorted(Path(self._folder()).glob(f"*{LESSONS}"), key=_modified, reverse=True)
        for file in files[MOST_LESSONS:]:
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


def _modified(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


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
