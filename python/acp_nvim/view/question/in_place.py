"""What a permission would change, as marks in the buffer of the file while the question waits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from acp_nvim.hunks import Hunk, diff, split_lines
from acp_nvim.session.proposal.proposal import Preview
from acp_nvim.view.review.marks import LinesMark, Mark, RowMark
from acp_nvim.view.styled import plural
from acp_nvim.view.visible import visible

SIGN = "┆"
MOST_SHOWN = 40
"""So many lines that would come with one hunk are shown."""
LONGEST = 2_000
"""So many characters of a line."""
WHERE = "asked: :Acp permit"


@lru_cache(maxsize=8)  # asked for whenever the question is drawn
def in_place(preview: Preview, count: int) -> tuple[Mark, ...]:
    """Return the marks for a buffer of so many lines that is as `preview.before` says."""
    if preview.misfit or preview.before is None or preview.before == preview.after:
        return ()
    if preview.after is None:
        return (_gone(0, count, "would be deleted"),)
    changes = diff(split_lines(preview.before), split_lines(preview.after))
    return tuple(mark for it in changes for mark in _marks(it, count))


def _marks(change: Hunk, count: int) -> Iterator[Mark]:
    last = min(change.last, count)
    if change.first < last:
        yield _gone(change.first, last, WHERE)
    if change.lines:
        shown = [_line(line) for line in change.lines[:MOST_SHOWN]]
        if more := len(change.lines) - len(shown):
            shown.append(((f"… {plural(more, 'more line')}", "AcpDim"),))
        yield LinesMark(max(last - 1, 0), last == 0, tuple(shown))


def _gone(first: int, last: int, note: str) -> Mark:
    size = max(last - first, 1)
    return RowMark(first, size, SIGN, "AcpWinbarAsk", line_group="AcpReviewDelete", note=note)


def _line(line: str) -> tuple[tuple[str, str], ...]:
    text = line.rstrip("\r\n")
    cut = text[:LONGEST] + "…" if len(text) > LONGEST else text
    return ((visible(cut), "AcpReviewAdd"), ("", "AcpReviewAdd"))
