"""What is kept of files, so that a review and an undo survive the host and Neovim.

Their histories, which are a log of their own; what agents were not told yet, and comments; and the
journal, for what a kill would leave out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import anyio
from msgspec import Struct, field

from acp_nvim.history.author import SessionKey
from acp_nvim.history.comment import Comment, Reason
from acp_nvim.history.facts import Fact
from acp_nvim.history.file import File
from acp_nvim.storage.entries import Begun, History, digest
from acp_nvim.storage.histories import Histories
from acp_nvim.storage.in_order import InOrder, Report
from acp_nvim.storage.journal import Journal
from acp_nvim.storage.json_store import JsonStore
from acp_nvim.storage.record import Record

MOST_LESSONS = 100
"""Sessions of which is kept what their agents were not told: they may never be opened again."""

Texts: TypeAlias = dict[str, str | None]
"""What files hold, by resolved path; None: there is no such file."""
Reasons: TypeAlias = dict[str, tuple[Reason, ...]]
"""Why something was rejected, by resolved path."""


class KeptLessons(Struct, frozen=True, omit_defaults=True):
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
        self._disk: Final = InOrder(report)
        self.histories: Final = Histories(folder, self._disk)
        self.journal: Final = Journal(folder, self._disk)
        self.lessons: Final = JsonStore(
            folder, ".lessons.json", LESSONS, most=MOST_LESSONS, report=report
        )
        self.comments: Final = JsonStore(folder, ".comment.json", COMMENTS, report=report)
        """Each has a file of its own: another Neovim has its own comments on the same lines."""

    def begin(
        self,
        path: str,
        texts: tuple[str | None, str | None],
        facts: tuple[Fact, ...],
        known: File | None,
        *,
        is_decision: bool = False,
    ) -> None:
        """A file, `known` until then, is about to become the second of these texts: then the facts
        count."""
        if host := self.journal.live():
            before, after = map(digest, texts)
            self.histories.begin(path, Begun(host, before, after, facts, is_decision), known)

    async def noted(self) -> None:
        """Wait until a kill cannot make it undone that was noted until now."""
        await self._disk.done()

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
        return self.lessons, self.comments

    async def read_all(self) -> list[History]:
        """Return the histories that are kept."""
        return await anyio.to_thread.run_sync(self.histories.read_all)
