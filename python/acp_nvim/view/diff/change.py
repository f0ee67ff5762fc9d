"""A file change as coloured lines: unified, three lines of context (C-168, C-169).

The old text may be a fragment of the file, so no line is numbered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from acp_nvim import hunks
from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.content import Diff
from acp_nvim.view.block import Highlight, Line, LineHighlight
from acp_nvim.view.cut import narrowed
from acp_nvim.view.place import relative
from acp_nvim.view.styled import after, before, coloured, plural
from acp_nvim.view.visible import visible

LIMIT = 1_000
"""Longer lines are not looked at: nobody sees all of one at once."""
EFFORT = 2_000
"""Steps of a comparison; past them what is left of both lines counts as changed."""
_WORD = lazy_pattern(r"\w+|\s+|.", re.DOTALL)


def changed_parts(
    text: str, mate: str, effort: hunks.Effort | None = None
) -> tuple[tuple[int, int], ...]:
    """Return where `text` differs from `mate`, as half-open positions in `text`, ascending.

    None: only `mate` has something there, the two have less in common than not, or one is longer
    than `LIMIT`; or `effort`, which is for more than these lines, is spent.
    """
    if max(len(text), len(mate)) > LIMIT or (effort is not None and effort.is_spent):
        return ()
    words, others = _WORD.findall(text), _WORD.findall(mate)
    steps = hunks.Effort(EFFORT, effort)
    steps.spend(len(words) + len(others))
    shared = sum(len(word) * many for word, many in (Counter(words) & Counter(others)).items())
    if 2 * shared < min(len(text), len(mate)):
        return ()  # as is mostly so where a line is anew: the comparison is spared
    found = hunks.diff(words, others, steps)
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    parts = [(starts[it.first], starts[it.last]) for it in found if it.first < it.last]
    common = len(text) - sum(end - start for start, end in parts)
    return tuple(parts) if 2 * common >= min(len(text), len(mate)) else ()


CONTEXT = 3
CHARACTERS = 2_000_000
"""Of both texts together: larger ones are not even cut into lines to be shown."""
WIDE = 200_000
"""Of what is shown where there is little room, at least."""
CHANGED = 10_000
"""Lines that change, at most, of what is shown."""
STEPS = 20_000
"""Of the comparison, with that of words: a fiftieth of a second."""


class _Row(Struct, frozen=True):
    """One row of a unified diff; "@" is a gap or a remark. `mate` is the row it replaces."""

    sign: Literal["+", "-", " ", "@"]
    text: str
    mate: str | None = None


_Compared: TypeAlias = tuple[list[str], tuple[hunks.Hunk, ...]]
"""The old lines, and what changes in them."""


def lines(diff: Diff, cwd: str) -> tuple[Line, ...]:
    """Return a header with the path, and the changed lines with their context."""
    return first_lines(diff, cwd, None)[0]


def first_lines(diff: Diff, cwd: str, room: int | None) -> tuple[tuple[Line, ...], int]:
    """Return at most so many of them, and how many more there are.

    What is too large to be compared has a sentence instead.
    """
    path = relative(diff.path, cwd)
    new = (after("  new file"),) if diff.old_text is None else ()
    header = coloured(path, "AcpDiffFile", *new)
    effort = hunks.Effort(STEPS)
    found = _compared(diff, effort)
    if found is None:
        return (header, _too_large(diff)), 0
    rows = _rows(diff, *found)
    shown = [header]
    left = WIDE if room is not None else CHARACTERS
    while len(shown) != room and left > 0 and (row := next(rows, None)):
        shown.append(_line(row, effort))
        left -= len(row.text)
    return tuple(shown), sum(1 for _ in rows)


def _too_large(diff: Diff) -> Line:
    old, new = map(_count, (diff.old_text or "", diff.new_text))
    sizes = f"{plural(old, 'line')} before, {new:,} after"
    return coloured(f"too large to compare line by line: {sizes}", "AcpDiffHunk")


def counts(diff: Diff) -> tuple[int, int]:
    """Return how many lines were added and removed: all where that is too much to find out."""
    found = _compared(diff, hunks.Effort(STEPS))
    if found is None:
        return _count(diff.new_text), _count(diff.old_text or "")
    return _changed_lines(found[1])


def _count(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and text != "")


def plain(diff: Diff) -> str:
    """Return the path and the unified diff as plain text, however large."""
    old, new = _texts(diff)
    rows = _rows(diff, old, hunks.diff(old, new, hunks.Effort(STEPS)))
    return "\n".join([diff.path, *(row.sign + row.text for row in rows)])


def _compared(diff: Diff, effort: hunks.Effort) -> _Compared | None:
    """Return what is shown of it; None if that is too large."""
    if len(diff.old_text or "") + len(diff.new_text) > CHARACTERS:
        return None
    old, new = _texts(diff)
    changes = hunks.diff(old, new, effort)
    if old and (effort.is_spent or sum(_changed_lines(changes)) > CHANGED):
        return None
    return old, changes


def _changed_lines(changes: Sequence[hunks.Hunk]) -> tuple[int, int]:
    return sum(len(hunk.lines) for hunk in changes), sum(hunk.last - hunk.first for hunk in changes)


def _texts(diff: Diff) -> tuple[list[str], list[str]]:
    """Return the lines of both sides; their CR is left out where every line has one."""
    sides = [diff.old_text or "", diff.new_text]
    if all(text.count("\n") == text.count("\r\n") for text in sides):
        sides = [text.replace("\r\n", "\n") for text in sides]
    old, new = (text.removesuffix("\n").split("\n") if text else [] for text in sides)
    return old, new


def _rows(diff: Diff, old: list[str], changes: Sequence[hunks.Hunk]) -> Iterator[_Row]:
    if not changes:
        yield _Row("@", _sameness(diff))
    shown = 0
    ends = [*(hunk.first for hunk in changes[1:]), len(old)]
    for hunk, end in zip(changes, ends, strict=False):
        start = max(shown, hunk.first - CONTEXT)
        if start > shown and shown:
            yield _Row("@", "⋯")
        yield from (_Row(" ", text) for text in old[start : hunk.first])
        yield from _changed(old[hunk.first : hunk.last], list(hunk.lines))
        shown = min(end, hunk.last + CONTEXT)
        yield from (_Row(" ", text) for text in old[hunk.last : shown])


def _sameness(diff: Diff) -> str:
    if diff.old_text is None:
        return "empty file"
    return "no change" if diff.old_text == diff.new_text else "only line ends change"


def _changed(gone: list[str], come: list[str]) -> Iterator[_Row]:
    paired = len(gone) == len(come)
    for position, text in enumerate(gone):
        yield _Row("-", text, come[position] if paired else None)
    for position, text in enumerate(come):
        yield _Row("+", text, gone[position] if paired else None)


def _line(row: _Row, effort: hunks.Effort) -> Line:
    if row.sign == "@":
        return coloured(row.text, "AcpDiffHunk")
    text = visible(narrowed(row.text))
    group = {"+": "AcpDiffAdd", "-": "AcpDiffDelete", " ": ""}[row.sign]
    if not group:
        return Line(text, (before("  ", "AcpDim"),))
    mate = None if row.mate is None else visible(narrowed(row.mate))
    emphasis = () if mate is None else _emphasis(text, mate, effort)
    return Line(text, (before(row.sign + " ", group), LineHighlight(group, under=True), *emphasis))


def _emphasis(text: str, mate: str, effort: hunks.Effort) -> tuple[Highlight, ...]:
    """Mark what differs between two lines that have more in common than not."""
    parts = changed_parts(text, mate, effort)
    spans = ((len(text[:first].encode()), len(text[:last].encode())) for first, last in parts)
    return tuple(Highlight(first, last, "AcpDiffText") for first, last in spans)


MIME_TYPE = "text/x-diff"
_CHANGES = {"+": "AcpDiffAdd", "-": "AcpDiffDelete"}


def diff_lines(text: str) -> tuple[Line, ...]:
    """Return the lines of a text that holds unified diffs, safe to show."""
    rows = visible(text).removesuffix("\n").split("\n")
    names = {
        at + step
        for at, row in enumerate(rows[:-1])
        if row.startswith("--- ") and rows[at + 1].startswith("+++ ")
        for step in (0, 1)
    }
    return tuple(_diff_line(row, is_name=at in names) for at, row in enumerate(rows))


def _diff_line(row: str, *, is_name: bool) -> Line:
    if is_name or row.startswith("@@ "):
        return coloured(row, "AcpDiffFile" if is_name else "AcpDiffHunk")
    group = _CHANGES.get(row[:1])
    return Line(row, (LineHighlight(group),)) if group else Line(row)
