"""One hunk of a review."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from acp_nvim.history.author import Author


class ReviewHunk(Struct, frozen=True):
    """Lines that agents added, and lines that they removed, in one place."""

    first: int
    """0-based row of the first added line in the live text; without one, the row that the removed
    lines stood above (the number of lines, at the end)."""
    added: tuple[str, ...]
    """The lines as they are, with their ends."""
    removed: tuple[str, ...]
    """The lines as they were, with their ends."""
    state: Literal["pending", "kept"] = "pending"
    authors: tuple[Author, ...] = ()
    """Whose it is, in the order of their changes."""
    whole: Literal["", "created", "deleted"] = ""
    """The file itself came, or went, with it."""
    form: str = ""
    """What has changed in how the file is written instead of a line: "line ends: CRLF → LF"."""

    @property
    def is_found(self) -> bool:
        """Whether an agent is only supposed to have had a hand in it."""
        return any(author.how == "found" for author in self.authors)

    @property
    def last(self) -> int:
        """The row after the last added line."""
        return self.first + len(self.added)
