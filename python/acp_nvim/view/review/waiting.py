"""How much waits for the user's decision: files, lines and hunks. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.view.review.marks import FileReview
from acp_nvim.view.tally import NOTHING, Tally


def waiting(
    reviews: Iterable[FileReview], is_meant: Callable[[ReviewHunk], bool] = lambda _: True
) -> Tally:
    """Return what is pending in these files, of the hunks that are meant."""
    files = [[it for it in review.pending if is_meant(it)] for review in reviews]
    hunks = [hunk for pending in files for hunk in pending]
    if not hunks:
        return NOTHING
    added, removed = (sum(map(len, it)) for it in zip(*_sides(hunks), strict=True))
    return Tally(sum(map(bool, files)), added, removed, len(hunks))


def _sides(hunks: Iterable[ReviewHunk]) -> Iterable[tuple[tuple[str, ...], tuple[str, ...]]]:
    return ((hunk.added, hunk.removed) for hunk in hunks)
