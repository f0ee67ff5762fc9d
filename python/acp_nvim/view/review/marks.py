"""What a review looks like in the buffer of a file: marks on its lines, and lines that are gone.

Rows are 0-based lines of the live text, columns bytes of the line as the buffer holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.view.diff.change import changed_parts
from acp_nvim.view.measure import NOTHING, Tally
from acp_nvim.view.styled import plural
from acp_nvim.view.visible import visible

Chunks: TypeAlias = tuple[tuple[str, str], ...]
"""Pairs of text and highlight group."""
Range: TypeAlias = tuple[int, int]

BAR = "┃"
GONE_ABOVE = "▔"
GONE_BELOW = "▁"
MOST_REMOVED = 40
"""So many removed lines of one hunk are shown; more would push the file itself off the screen."""
LONGEST = 2_000
"""So many characters of a removed line are shown."""
REST = ("", "AcpReviewDelete")
CONFLICT = "conflict: :Acp review shows both sides"
BOM = "\ufeff"


class RowMark(Struct, frozen=True):
    """Each of `rows` lines from `row` on has a sign and a colour; `note` stands behind them."""

    row: int
    rows: int = 1
    sign: str = BAR
    group: str = "AcpReviewSign"
    """Highlight group of the sign and of the note."""
    line_group: str = ""
    note: str = ""


class PartMark(Struct, frozen=True):
    """The bytes [start, end) of a line are what the agent has changed in it."""

    row: int
    start: int
    end: int
    group: str = "AcpReviewText"


class LinesMark(Struct, frozen=True):
    """Lines that are not in the buffer are shown above or below a row.

    The colour of a line's last chunk goes on to the end of the screen line.
    """

    row: int
    above: bool
    lines: tuple[Chunks, ...]


Mark: TypeAlias = RowMark | PartMark | LinesMark


class Drawing(Struct, frozen=True):
    """All marks of one buffer, and its hunks as half-open rows (of removed lines only: empty)."""

    marks: tuple[Mark, ...] = ()
    hunks: tuple[Range, ...] = ()


class FileReview(Struct, frozen=True, dict=True):
    """The hunks of one file, ascending; `count` is the number of lines of its live text."""

    path: str
    count: int
    changes: tuple[ReviewHunk, ...] = field(default=())

    @cached_property
    def pending(self) -> tuple[ReviewHunk, ...]:
        """Those that wait for the user."""
        return tuple(change for change in self.changes if change.state == "pending")

    def row(self, change: ReviewHunk) -> int:
        """Return the row in which the user meets the hunk: there is always one."""
        return _inside(change.first, self.count)


def drawing(review: FileReview) -> Drawing:
    """Return how the pending hunks of a file are shown; kept ones are not."""
    marks = [mark for change in review.pending for mark in _marks(change, review.count)]
    return Drawing(tuple(marks), _rows(review))


def signs(review: FileReview) -> Drawing:
    """Return the same with signs only: what is shown before the user asks for the review."""
    marks = (_row_mark(change, review.count) for change in review.pending)
    return Drawing(tuple(replace(it, line_group="", note="") for it in marks), _rows(review))


def _rows(review: FileReview) -> tuple[Range, ...]:
    return tuple((change.first, change.last) for change in review.pending)


def conflict_marks(places: Sequence[Range], count: int) -> tuple[Mark, ...]:
    """Return how the rows are shown in which the agent wanted something else than the user."""
    return tuple(
        RowMark(
            _inside(first, count),
            max(min(last, count) - first, 1),
            group="AcpReviewConflict",
            note=CONFLICT,
        )
        for first, last in places
    )


def whole_file(change: ReviewHunk) -> str:
    """Return what became of the file itself with that hunk, or of how it is written, "" if it is
    there as before."""
    if change.form:
        return change.form
    if change.whole == "created":
        return f"new file · {plural(len(change.added), 'line')}"
    if change.whole == "deleted":
        return f"deleted · {plural(len(change.removed), 'line')}"
    return ""


def _inside(row: int, count: int) -> int:
    return max(min(row, count - 1), 0)


def _marks(change: ReviewHunk, count: int) -> Iterator[Mark]:
    mark = _row_mark(change, count)
    yield mark
    yield from _parts(change) if mark.line_group else ()
    if change.removed:
        yield LinesMark(mark.row, change.first < count, _removed_lines(change))


def _row_mark(change: ReviewHunk, count: int) -> RowMark:
    row, note = _inside(change.first, count), whole_file(change)
    if change.form:
        return RowMark(row, note=note)
    if change.whole == "created":
        return RowMark(row, max(len(change.added), 1), note=note)
    if change.added:
        return RowMark(row, len(change.added), line_group="AcpReviewAdd", note=note)
    return RowMark(row, sign=GONE_ABOVE if change.first < count else GONE_BELOW, note=note)


def _parts(change: ReviewHunk) -> Iterator[PartMark]:
    """Yield what was changed in lines that replace one."""
    for row, (new, old) in enumerate(zip(*_texts(change), strict=False), change.first):
        for start, end in changed_parts(new, old):
            yield PartMark(row, _bytes(new[:start]), _bytes(new[:end]))


def _removed_lines(change: ReviewHunk) -> tuple[Chunks, ...]:
    """Return them as they looked, the part that is another now set off."""
    come, gone = _texts(change)
    shown = gone[:MOST_REMOVED]
    lines = [_removed_line(old, new) for old, new in zip_longest(shown, come[: len(shown)])]
    if len(shown) == len(gone) and not change.removed[-1].endswith(("\n", "\r")):
        lines[-1] = (*lines[-1], ("  no line end", "AcpDim"), REST)
    if more := len(gone) - len(shown):
        lines.append(((f"… {plural(more, 'more removed line')}", "AcpDim"),))
    return tuple(lines)


def _removed_line(old: str, new: str | None) -> Chunks:
    pieces, done = list[tuple[str, str]](), 0
    for start, end in changed_parts(old, new) if new is not None else ():
        pieces += [(old[done:start], "AcpReviewDelete"), (old[start:end], "AcpReviewText")]
        done = end
    cut = old[done:LONGEST] + "…" if len(old) > LONGEST else old[done:]
    pieces.append((cut, "AcpReviewDelete"))
    return (*((visible(text), group) for text, group in pieces if text), REST)


def _texts(change: ReviewHunk) -> tuple[list[str], list[str]]:
    """Return the lines of both sides without ends, and without what the buffer does not hold.

    A CR stays to be seen where only some lines have one: that is then what was changed.
    """
    both = (*change.added, *change.removed)
    is_mixed = any(line.endswith("\n") and not line.endswith("\r\n") for line in both)
    sides = [[line.removesuffix("\n") for line in side] for side in (change.added, change.removed)]
    if not is_mixed:
        sides = [[line.removesuffix("\r") for line in side] for side in sides]
    if change.first == 0:
        sides = [[line.removeprefix(BOM) for line in side] for side in sides]
    return sides[0], sides[1]


def _bytes(text: str) -> int:
    """Return how many bytes it is in the buffer; a stray byte is a lone surrogate here."""
    strays = 0 if text.isascii() else sum("\udc80" <= character <= "\udcff" for character in text)
    return len(text.encode("utf-8", "surrogatepass")) - 2 * strays


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
