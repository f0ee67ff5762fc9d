"""The ledgers of files kept on disk, so that a review and an undo survive the host and Neovim.

What waits for the user is never dropped; of the rest the oldest go. Conflicts, and what agents
were not told yet, stand beside them; and the journal, for what a kill would leave out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import anyio

from acp_nvim.history.author import SessionKey
from acp_nvim.history.comment import Comment, Reason
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.file import File
from acp_nvim.history.review import changes
from acp_nvim.history.switch import undone
from acp_nvim.storage.act import Act, Killed
from acp_nvim.storage.facts import KeptFile, texts
from acp_nvim.storage.journal import Journal
from acp_nvim.storage.json_store import JsonStore, Report
from acp_nvim.storage.record import Record

MOST_SETTLED = 300
"""Ledgers that are kept although nothing in them waits for the user."""
MOST_LESSONS = 100
"""Sessions of which is kept what their agents were not told: they may never be opened again."""

EMPTY = '"ledger":[]'

Texts: TypeAlias = dict[str, str | None]
"""What files hold, by resolved path; None: there is no such file."""
Reasons: TypeAlias = dict[str, tuple[Reason, ...]]
"""Why something was rejected, by resolved path."""


@dataclass(frozen=True, slots=True)
class KeptLedger:
    """The ledger of one file."""

    path: str
    """Of the file, resolved."""
    ledger: KeptFile
    waits: bool = False
    """Something in it waits for the user: a hunk, or an undo that can be returned."""
    acts: dict[str, int] = field(default_factory=dict)
    """The number of the last act that is in it, by the name of the journal."""


@dataclass(frozen=True, slots=True)
class KeptLessons:
    """What one agent was not told yet in one session: texts before they were rejected."""

    agent: str
    session: str
    rejected: Texts
    reasons: Reasons = field(default_factory=dict)

    @property
    def key(self) -> SessionKey:
        """The agent and its session."""
        return self.agent, self.session


class LedgerRecord(Record[KeptLedger]):
    """How histories are written and read; what is none in itself is passed over."""

    def __init__(self) -> None:
        super().__init__(KeptLedger, "acp_edits", 3)

    def to_text(self, value: KeptLedger) -> str:
        """Return the history as one line that tells whether something in it waits."""
        waits = bool(changes(value.ledger) or undone(value.ledger))
        rest = super().to_text(replace(value, waits=waits, ledger=File()))
        return rest.replace(EMPTY, f'"ledger":[{",".join(texts(value.ledger))}]', 1)


LEDGERS: Final = LedgerRecord()
CONFLICTS: Final = Record(Conflict, "acp_clash", 1)
LESSONS: Final = Record(KeptLessons, "acp_lessons", 1)
COMMENTS: Final = Record(Comment, "acp_comment", 1)


class EditStore:
    """Keeps ledgers and conflicts by path, lessons by session, comments by key, in one folder."""

    def __init__(self, folder: Callable[[], str], report: Report = lambda _error: None) -> None:
        """Take where it is, and who is told why something is not kept."""
        self._ledgers: Final = JsonStore(
            folder,
            ".jsonl",
            LEDGERS,
            most=MOST_SETTLED,
            stays=lambda kept: kept.waits,
            report=report,
        )
        self._conflicts: Final = JsonStore(folder, ".clash.json", CONFLICTS, report=report)
        self._lessons: Final = JsonStore(
            folder, ".lessons.json", LESSONS, most=MOST_LESSONS, report=report
        )
        self._comments: Final = JsonStore(folder, ".comment.json", COMMENTS, report=report)
        self.journal: Final = Journal(folder, report)
        self._acts: dict[str, dict[str, int]] = {}
        """What of the journals of hosts that are gone is in the ledgers, by path."""

    def note(self, path: str, ledger: File, *, yields: bool = False) -> None:
        """Keep this ledger soon; never waits. `yields`: see `JsonStore.note`."""
        acts = self._acts.get(path, {})
        if self.journal.name:
            acts = acts | {self.journal.name: self.journal.number}
        self._ledgers.note(path, KeptLedger(path, ledger, acts=acts), yields=yields)

    def forget(self, path: str) -> None:
        """Keep no ledger of that file any more; never waits."""
        self._acts.pop(path, None)
        self._ledgers.note(path, None)

    def lacks(self, killed: Killed, act: Act) -> bool:
        """Return whether that act is not in the ledger of its file; it is from now on."""
        acts = self._acts.setdefault(act.path, {})
        if act.number <= acts.get(killed.name, 0):
            return False
        acts[killed.name] = act.number
        return True

    def note_conflict(self, path: str, conflict: Conflict | None) -> None:
        """Keep this conflict of the file soon, or none any more; never waits."""
        self._conflicts.note(path, conflict)

    def note_lessons(
        self, key: SessionKey, rejected: Mapping[str, str | None], reasons: Reasons | None = None
    ) -> None:
        """Keep soon what the agent was not told of in that session; never waits."""
        kept = KeptLessons(*key, dict(rejected), dict(reasons or {})) if rejected else None
        self._lessons.note("\0".join(key), kept)

    def note_comment(self, key: str, comment: Comment | None) -> None:
        """Keep the comment of that key soon, or none any more; never waits.

        Each has a file of its own: another Neovim has its own comments on the same lines.
        """
        self._comments.note(key, comment)

    def has_comment(self, key: str) -> bool:
        """Return whether it is kept: another Neovim may have sent it. Blocking."""
        return self._comments.has(key)

    async def run(self) -> None:
        """Write what was noted, for ever."""
        async with anyio.create_task_group() as tasks:
            for store in self._stores():
                tasks.start_soon(store.run)
            tasks.start_soon(self.journal.run, self._is_settled)

    def flush(self) -> None:
        """Write now what was noted: Neovim is leaving. The journal stays if anything fails."""
        if self.write():
            self.journal.close()

    def _is_settled(self) -> bool:
        return self._ledgers.is_settled() and self._conflicts.is_settled()

    def write(self) -> bool:
        """Write now what was noted; False: not all of it could be."""
        done = [store.flush() for store in self._stores()]  # all of them, whatever the first says
        return all(done)

    def _stores(self) -> tuple[JsonStore[Any], ...]:
        return self._ledgers, self._conflicts, self._lessons, self._comments

    def set_aside(self) -> int:
        """See `JsonStore.set_aside`; of all that was read here. Blocking."""
        return sum(store.set_aside() for store in self._stores())

    async def read_all(self) -> dict[str, File]:
        """Return the ledgers that are kept, by path."""
        found = await anyio.to_thread.run_sync(self._ledgers.read_all)
        names = {name for kept in found for name in kept.acts}
        there = set(filter(self.journal.has, names))
        for kept in found:
            self._acts[kept.path] = {it: kept.acts[it] for it in there & kept.acts.keys()}
        return {kept.path: kept.ledger for kept in found}

    async def read_conflicts(self) -> list[Conflict]:
        """Return the conflicts that are kept."""
        return await anyio.to_thread.run_sync(self._conflicts.read_all)

    async def read_lessons(self) -> list[KeptLessons]:
        """Return what agents were not told yet."""
        return await anyio.to_thread.run_sync(self._lessons.read_all)

    async def read_comments(self) -> list[Comment]:
        """Return the user's comments that are kept."""
        return await anyio.to_thread.run_sync(self._comments.read_all)
