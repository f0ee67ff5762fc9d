"""Passes on what agents have done to files: to the books, and to what agents know of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from acp_nvim.files.baselines.baselines import Unknown
from acp_nvim.files.recorder import Recorder
from acp_nvim.ledger.conflict import Conflict
from acp_nvim.ledger.delta import Author
from acp_nvim.ledger.ledger import FileAttributes
from acp_nvim.review.log import EditLog
from acp_nvim.review.notes import PromptNotes


def untold(author: Author, path: str) -> None:
    """Tell nobody of a file that an agent has changed."""


def unsaid(author: Author, paths: Sequence[str]) -> None:
    """Tell nobody of files whose change cannot be taken back."""


class Bookkeeper(Recorder):
    """For writes by the agents' own tools and commands `seen` gives the disk's text: what the agent
    has made there it knows; `on_written` is told of each. Both are left out for `fs/write`, which
    tells the same in its own way."""

    def __init__(
        self,
        edits: EditLog,
        lessons: PromptNotes,
        *,
        seen: Callable[[str], str | Unknown | None] | None = None,
        on_written: Callable[[Author, str], None] = untold,
        on_missed: Callable[[Author, Sequence[str]], None] = unsaid,
    ) -> None:
        self._edits = edits
        self._lessons = lessons
        self._seen = seen
        self._on_written = on_written
        self._on_missed = on_missed

    def wrote(self, path: str, before: str | None, after: str | None, author: Author) -> None:
        """See `Recorder`."""
        if before == after:
            return
        key = (author.agent, author.session)
        self._edits.wrote(path, before, after, author)
        self._lessons.wrote(key, path, before, after)
        text = self._seen(path) if self._seen is not None else None
        if self._seen is not None and not isinstance(text, Unknown):
            self._lessons.knows(key, path, text)
        self._on_written(author, path)

    def left(self, path: str, form: FileAttributes) -> None:
        """See `Recorder`."""
        self._edits.left(path, form)

    def conflicted(self, conflict: Conflict) -> None:
        """See `Recorder`."""
        self._edits.conflicted(conflict)

    def missed(self, paths: Sequence[str], author: Author) -> None:
        """See `Recorder`."""
        self._on_missed(author, paths)

    def settled(self, path: str) -> None:
        """See `Recorder`."""
        self._edits.settled(path)
