"""What is kept of files, so that a review and an undo survive the host and Neovim.

Their histories, which are a log of their own; what agents were not told yet, and comments; and the
journal, for what a kill would leave out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import anyio
from msgspec import Struct, field

from acp_nvim.history.author import SessionKey
from acp_nvim.history.comment import Comment, Reason
from acp_nvim.history.facts import Fact
from acp_nvim.storage.entries import Begun
from acp_nvim.storage.histories import Book, Histories
from acp_nvim.storage.in_order import InOrder
from acp_nvim.storage.journal import Journal
from acp_nvim.storage.json_store import JsonStore, Report
from acp_nvim.storage.record import Record

MOST_LESSONS = 100
"""Sessions of which is kept what their agents were not told: they may never be opened again."""

Texts: TypeAlias = dict[str, str | None]
"""What files hold, by resolved path; None: there is no such file."""
Reasons: TypeAlias = dict[str, tuple[Reason, ...]]
"""Why something was rejected, by resolved path."""


class KeptLessons(Struct, frozen=True):
    """What one agent was not told yet in one session: texts before they were rejected."""

    agent: str
    session: str
    rejected: Texts
    reasons: Reasons = field(default_factory=dict)

    @property
    def key(self) -> SessionKey:
        """The agent and its session."""
        return self.agent, self.session


LESSONS: Final = Record(KeptLessons, "acp_lessons", 1)
COMMENTS: Final = Record(Comment, "acp_comment", 1)


class EditStore:
    """Keeps histories by path, lessons by session, comments by key, in one folder."""

    def __init__(self, folder: Callable[[], str], report: Report = lambda _error: None) -> None:
        """Take where it is, and who is told why something is not kept."""
        self._disk: Final = InOrder()
        self.histories: Final = Histories(folder, report, self._disk)
        self.journal: Final = Journal(folder, report, self._disk)
        self._lessons: Final = JsonStore(
            folder, ".lessons.json", LESSONS, most=MOST_LESSONS, report=report
        )
        self._comments: Final = JsonStore(folder, ".comment.json", COMMENTS, report=report)

    def begin(
        self,
        path: str,
        before: str,
        after: str,
        facts: tuple[Fact, ...],
        *,
        is_decision: bool = False,
    ) -> None:
        """A file is about to change between texts of these digests: then the facts count."""
        if host := self.journal.live():
            self.histories.begin(path, Begun(host, before, after, facts, is_decision))

    async def noted(self) -> None:
        """Wait until a kill cannot make it undone that was noted until now."""
        await self._disk.done()

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
            tasks.start_soon(self._disk.run)
            tasks.start_soon(self.histories.run)
            tasks.start_soon(self.journal.run)
            for store in self._stores():
                tasks.start_soon(store.run)

    def flush(self) -> None:
        """Write now what was noted: Neovim is leaving. The journal stays if anything fails."""
        if self.write():
            self.journal.close()

    def write(self) -> bool:
        """Write now what was noted; False: not all of it could be."""
        done = [self.histories.flush(), *(store.flush() for store in self._stores())]
        return all(done)

    def _stores(self) -> tuple[JsonStore[Any], ...]:
        return self._lessons, self._comments

    def set_aside(self) -> int:
        """Return how many records were cut off, which are given other names. Blocking."""
        return self.histories.set_aside() + sum(store.set_aside() for store in self._stores())

    async def read_all(self) -> list[Book]:
        """Return the histories that are kept."""
        return await anyio.to_thread.run_sync(self.histories.read_all)

    async def read_lessons(self) -> list[KeptLessons]:
        """Return what agents were not told yet."""
        return await anyio.to_thread.run_sync(self._lessons.read_all)

    async def read_comments(self) -> list[Comment]:
        """Return the user's comments that are kept."""
        return await anyio.to_thread.run_sync(self._comments.read_all)
