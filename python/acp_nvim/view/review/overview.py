"""All that agents have changed as one text, and which rows of it are which hunk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.view.block import BLANK, Line, LineHighlight
from acp_nvim.view.review.lists import key_of, summary
from acp_nvim.view.review.marks import FileReview
from acp_nvim.view.styled import coloured, plural
from acp_nvim.view.visible import one_line, visible

CONTEXT = 2
MOST_NAME = 200
NOTHING = "no agent has changed anything"
WHOLE = -1
"""A row that stands for its whole hunk."""
NONE = -2
"""A row that is no part of what has changed."""


class ShownHunk(Struct, frozen=True):
    """A hunk that can be decided on: it begins at the 0-based `row` of the text.

    `offsets`: for each row which of its lines is meant, `WHOLE` or `NONE`. `line`: 1-based, in the
    file.
    """

    row: int
    path: str
    key: str
    line: int
    offsets: tuple[int, ...]
    is_pending: bool


class Overview(Struct, frozen=True):
    """The lines of the text, and its hunks in their order."""

    lines: tuple[Line, ...]
    hunks: tuple[ShownHunk, ...]


def overview(files: Sequence[tuple[str, FileReview, Sequence[str]]]) -> Overview:
    """Return it for files: the name that is shown, what has changed, and the lines as they are."""
    lines: list[Line] = []
    hunks: list[ShownHunk] = []
    for name, review, rows in files:
        if not review.changes:
            continue
        lines += [BLANK] if lines else []
        lines.append(_heading(name, review))
        end = 0
        for change, following in zip(review.changes, (*review.changes[1:], None), strict=True):
            stop = len(rows) if following is None else following.first
            shown = list(_hunk(change, rows, end, stop))
            offsets = tuple(offset for _, offset in shown)
            line, pending = review.row(change) + 1, change.state == "pending"
            key = key_of(review.path, change)
            hunks.append(ShownHunk(len(lines), review.path, key, line, offsets, pending))
            lines += [it for it, _ in shown]
            end = min(change.last + CONTEXT, stop)
    return Overview(tuple(lines) or (Line(NOTHING),), tuple(hunks))


def _heading(name: str, review: FileReview) -> Line:
    come = sum(len(it.added) for it in review.changes)
    gone = sum(len(it.removed) for it in review.changes)
    size = plural(len(review.changes), "hunk")
    return coloured(f"{one_line(name, MOST_NAME)}  +{come} −{gone}  {size}", "AcpDiffFile")


def _hunk(
    change: ReviewHunk, rows: Sequence[str], start: int, stop: int
) -> Iterator[tuple[Line, int]]:
    """Yield the rows of a hunk, with lines of the file around it, and which line each is."""
    turns = ", ".join(f"{one_line(it.agent, 40)} turn {it.turn}" for it in change.authors)
    state = "" if change.state == "pending" else "kept · "
    yield (
        coloured(f"@@ {change.first + 1} @@ {state}{turns} · {summary(change)}", "AcpDiffHunk"),
        WHOLE,
    )
    for line in rows[max(change.first - CONTEXT, start) : change.first]:
        yield Line(" " + visible(line)), NONE
    last = max(len(change.added) - 1, 0)
    for at, line in enumerate(change.removed):
        yield _row("-", line, "AcpDiffDelete"), min(at, last)
    for at, line in enumerate(change.added):
        yield _row("+", line, "AcpDiffAdd"), at
    for line in rows[change.last : min(change.last + CONTEXT, stop)]:
        yield Line(" " + visible(line)), NONE


def _row(sign: str, line: str, group: str) -> Line:
    return Line(sign + visible(line.rstrip("\r\n")), (LineHighlight(group),))
