"""What the user says on lines of a file, and why something was rejected. Pure.

A comment goes along with its lines: by a diff where the text is known in which it was last, else by
what the lines hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.hunks import Hunk, diff, split_lines


class Comment(Struct, frozen=True):
    """Words on the 0-based rows [first, last) of a file; none are left if these were deleted.

    `lines` are what stood there last, without their ends.
    """

    key: str
    path: str
    first: int
    last: int
    lines: tuple[str, ...]
    text: str

    @property
    def is_gone(self) -> bool:
        """Whether its lines were deleted."""
        return self.first == self.last


class Reason(Struct, frozen=True):
    """Why something was rejected; `lines` are what was, as in a diff."""

    text: str
    lines: tuple[str, ...]


def rows_of(text: str) -> list[str]:
    """Return the lines of a text without their ends."""
    return _bare(split_lines(text))


def _bare(lines: Iterable[str]) -> list[str]:
    return [line.rstrip("\r\n") for line in lines]


def placed(comment: Comment, rows: Sequence[str], before: Sequence[str] | None) -> Comment:
    """Return the comment where its lines are in `rows`; it was at its place in `before`."""
    if before is None or comment.is_gone:
        first = _nearest(comment, rows)
        if first is None:
            row = min(comment.first, len(rows))
            return replace(comment, first=row, last=row)
        return replace(comment, first=first, last=first + len(comment.lines))
    changes = diff(before, rows)
    first, last = _start(comment.first, changes), _end(comment.last, changes)
    if first >= last:
        return replace(comment, first=first, last=first)
    return replace(comment, first=first, last=last, lines=tuple(rows[first:last]))


def overlaps(comment: Comment, first: int, last: int) -> bool:
    """Return whether it is shown at one of the rows [first, last)."""
    return comment.first < last and first < max(comment.last, comment.first + 1)


def signed(before: str | None, after: str | None) -> tuple[str, ...]:
    """Return the lines that go and come between two texts, as in a diff."""
    old = split_lines(before or "")
    gone, come = list[str](), list[str]()
    for hunk in diff(old, split_lines(after or "")):
        lines = _bare(old[hunk.first : hunk.last])
        for it in diff(lines, _bare(hunk.lines)):  # another line end alone is no change
            gone += lines[it.first : it.last]
            come += it.lines
    return (*(f"-{line}" for line in gone), *(f"+{line}" for line in come))


def _nearest(comment: Comment, rows: Sequence[str]) -> int | None:
    """Return where the lines are that it speaks of: there may be others like them."""
    size, wanted = len(comment.lines), list(comment.lines)
    starts = (at for at in range(len(rows) - size + 1) if list(rows[at : at + size]) == wanted)
    return min(starts, key=lambda at: abs(at - comment.first), default=None) if size else None


def _start(row: int, changes: Iterable[Hunk]) -> int:
    """Return where a first row is: what comes right before it is not its own."""
    shift = 0
    for it in changes:
        if it.last <= row:
            shift += len(it.lines) - (it.last - it.first)
        elif it.first < row:
            return it.first + shift + min(row - it.first, len(it.lines))
    return row + shift


def _end(row: int, changes: Iterable[Hunk]) -> int:
    """Return where the row behind a last one is: what comes right behind it is not its own."""
    shift = 0
    for it in changes:
        if it.first >= row:
            break
        if it.last > row:
            return it.first + shift + min(row - it.first, len(it.lines))
        shift += len(it.lines) - (it.last - it.first)
    return row + shift
