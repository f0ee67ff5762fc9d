"""Sessions kept on disk, so that yesterday's conversation is found again (P-02).

One file a session, below a private folder, replaced as a whole. `note` is called by whoever sees
the session change; `run` writes a moment later, in a thread, what has changed since.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import anyio

from acp_nvim.session.record import (
    SavedSession,
    entries_from,
    head_from,
    is_worth_keeping,
    record_of,
    to_lines,
)
from acp_nvim.session.state import SessionState
from acp_nvim.storage import private_file

PAUSE = 0.3
"""Seconds in which several changes become one write."""
MOST_SESSIONS = 300
"""Files that are kept; the oldest go first."""

Key: TypeAlias = tuple[str, str]
"""An agent's name and the session's id."""


class Store:
    """The sessions that were kept; `folder` is asked at each use, for it is configured late."""

    def __init__(self, folder: Callable[[], str], now: Callable[[], float]) -> None:
        self._folder = folder
        self.now = now
        """Seconds since 1970."""
        self._dirty: dict[Key, SessionState] = {}
        self._deleted: set[Key] = set()
        """Not to be kept, although it may be on its way to the disk."""
        self._something = anyio.Event()

    def note(self, state: SessionState) -> None:
        """Keep this state soon, if there is anything in it worth keeping; never waits."""
        if state.id is not None and is_worth_keeping(state):
            self._dirty[state.agent, state.id] = state
            self._deleted.discard((state.agent, state.id))
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

    def heads(self) -> list[SavedSession]:
        """Return all that is kept, without entries, newest first."""
        found = [head for path in self._files() if (head := _read_head(path))]
        known = {(head.agent, head.id): head for head in found}
        for key, state in self._dirty.items():
            known[key] = replace(record_of(state, self.now()), entries=())
        return sorted(known.values(), key=lambda head: head.updated, reverse=True)

    def read(self, agent: str, session_id: str) -> SavedSession | None:
        """Return what is kept of a session, or None."""
        if state := self._dirty.get((agent, session_id)):
            return record_of(state, self.now())
        try:
            text = self._path(agent, session_id).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
        first, *rest = text.split("\n")
        head = head_from(first)
        return None if head is None else replace(head, entries=entries_from(filter(None, rest)))

    def delete(self, agent: str, session_id: str) -> bool:
        """Keep it no longer; False if it was not kept."""
        self._deleted.add((agent, session_id))
        noted = self._dirty.pop((agent, session_id), None) is not None
        try:
            self._path(agent, session_id).unlink()
        except OSError:
            return noted
        return True

    def _write_all(self, dirty: dict[Key, SessionState]) -> None:
        for state in dirty.values():
            self._write(record_of(state, self.now()))
        if dirty:
            self._prune()

    def _write(self, record: SavedSession) -> None:
        """Replace the file, unless it was deleted meanwhile."""
        path = self._path(record.agent, record.id)
        private_file.replace(path, "\n".join(to_lines(record)) + "\n")
        if (record.agent, record.id) in self._deleted:
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def _prune(self) -> None:
        files = sorted(self._files(), key=_changed, reverse=True)
        for path in files[MOST_SESSIONS:]:
            path.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        return list(Path(self._folder()).glob("*.jsonl"))

    def _path(self, agent: str, session_id: str) -> Path:
        # an id may be anything, of any length
        name = f"{agent}\0{session_id}".encode("utf-8", "surrogatepass")
        return Path(self._folder(), hashlib.sha256(name).hexdigest()[:32] + ".jsonl")


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _read_head(path: Path) -> SavedSession | None:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return head_from(file.readline())
    except OSError:
        return None
