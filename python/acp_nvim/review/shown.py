"""Hunks as the user reads them: the books have exact lines. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from acp_nvim.files.encoding import decoded, guess
from acp_nvim.files.live import LiveFile
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.view.review.marks import FileReview


def as_read(live: LiveFile, found: Iterable[ReviewHunk]) -> FileReview:
    """Return the hunks as they are read, in their order."""
    encoding = live.encoding or guess(live.exact or "")
    hunks = sorted(found, key=lambda it: (it.first, it.last))
    return FileReview(live.path, live.rows, tuple(_read(it, encoding) for it in hunks))


def _read(hunk: ReviewHunk, encoding: str) -> ReviewHunk:
    """Return a hunk with its lines as they are read."""
    added, removed = (
        tuple(decoded(line, encoding) for line in lines) for lines in (hunk.added, hunk.removed)
    )
    return replace(hunk, added=added, removed=removed)
