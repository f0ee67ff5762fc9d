"""Who is told what agents have done to files, and where the user's edits stood against them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from acp_nvim.ledger.conflict import Conflict
from acp_nvim.ledger.delta import Author
from acp_nvim.ledger.ledger import FileAttributes


class Recorder(Protocol):
    """Takes note; never waits, never raises. Paths are resolved, texts are exact live texts.

    The live text of a file is what its loaded buffer holds, else what the disk does.
    """

    def wrote(self, path: str, before: str | None, after: str | None, author: Author) -> None:
        """An agent has made `after` of `before` (None: no file); nothing if they are equal."""

    def left(self, path: str, form: FileAttributes) -> None:
        """A file is gone which was like that on disk; `wrote` is told next."""

    def conflicted(self, conflict: Conflict) -> None:
        """Both have changed the same place."""

    def settled(self, path: str) -> None:
        """What the agent wrote there is in the live text now: an older conflict is over."""

    def missed(self, paths: Sequence[str], author: Author) -> None:
        """An agent has changed these files, but nobody knows what they held before."""


class Unrecorded(Recorder):
    """Takes note of nothing."""

    def wrote(self, path: str, before: str | None, after: str | None, author: Author) -> None:
        """Do nothing."""

    def conflicted(self, conflict: Conflict) -> None:
        """Do nothing."""

    def settled(self, path: str) -> None:
        """Do nothing."""

    def missed(self, paths: Sequence[str], author: Author) -> None:
        """Do nothing."""

    def left(self, path: str, form: FileAttributes) -> None:
        """Do nothing."""
