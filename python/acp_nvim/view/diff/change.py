"""A file change as coloured lines: unified, three lines of context (C-168, C-169).

The old text may be a fragment of the file, so no line is numbered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from acp_nvim import hunks
from acp_nvim.session.content import Diff
from acp_nvim.view.block import Highlight, Line, LineHighlight
from acp_nvim.view.diff.emphasis import changed_part
from acp_nvim.view.place import relative
from acp_nvim.view.styled import after, before, coloured
from acp_nvim.view.visible import visible

CONTEXT = 3


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of a unified diff; "@" is a gap or a remark. `mate` is the row it replaces."""

    sign: Literal["+", "-", " ", "@"]
    text: str
    mate: str | None = None


def lines(diff: Diff, cwd: str) -> tuple[Line, ...]:
    """Return a header with the path, and the changed lines with their context."""
    path = relative(diff.path, cwd)
    new = (after("  new file"),) if diff.old_text is None else ()
    return (coloured(path, "AcpDiffFile", *new), *map(_line, _rows(diff)))


def counts(diff: Diff) -> tuple[int, int]:
    """Return how many lines were added and removed."""
    old, new = _texts(diff)
    changes = hunks.diff(old, new)
    return sum(len(hunk.lines) for hunk in changes), sum(hunk.last - hunk.first for hunk in changes)


def plain(diff: Diff) -> str:
    """Return the path and the unified diff as plain text."""
    return "\n".join([diff.path, *(row.sign + row.text for row in _rows(diff))])


def _texts(diff: Diff) -> tuple[list[str], list[str]]:
    """Return the lines of both sides; their CR is left out where every line has one."""
    sides = [diff.old_text or "", diff.new_text]
    if all(text.count("\n") == text.count("\r\n") for text in sides):
        sides = [text.replace("\r\n", "\n") for text in sides]
    old, new = (text.removesuffix("\n").split("\n") if text else [] for text in sides)
    return old, new


def _rows(diff: Diff) -> Iterator[_Row]:
    old, new = _texts(diff)
    changes = hunks.diff(old, new)
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


def _line(row: _Row) -> Line:
    if row.sign == "@":
        return coloured(row.text, "AcpDiffHunk")
    text = visible(row.text)
    group = {"+": "AcpDiffAdd", "-": "AcpDiffDelete", " ": ""}[row.sign]
    if not group:
        return Line(text, (before("  ", "AcpDim"),))
    emphasis = _emphasis(text, visible(row.mate)) if row.mate is not None else ()
    return Line(text, (before(row.sign + " ", group), LineHighlight(group, under=True), *emphasis))


def _emphasis(text: str, mate: str) -> tuple[Highlight, ...]:
    """Mark what differs between two lines that have more in common than not."""
    part = changed_part(text, mate)
    if part is None:
        return ()
    first, last = (len(text[:at].encode()) for at in part)
    return (Highlight(first, last, "AcpDiffText"),)
