"""From columns in characters to columns in bytes: how the Markdown modules make a `Line`.

The tokenizers count characters, as Python does; extmarks count bytes of UTF-8.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from acp_nvim.view.block import Conceal, Highlight, Line, LineHighlight, Margin, Mark, VirtualText

INLINE_LIMIT = 4000
"""A longer line gets no marks within it: its tokens cost more than they show."""


def marked(text: str, marks: Sequence[Mark]) -> Line:
    """Return the line; `marks` have columns in characters of `text`, which must be visible."""
    if not marks or text.isascii():
        return Line(text, tuple(marks))
    columns = _byte_columns(text, (column for mark in marks for column in _columns(mark)))
    return Line(text, tuple(_moved(mark, columns) for mark in marks))


def _columns(mark: Mark) -> tuple[int, ...]:
    match mark:
        case Highlight(start, end) | Conceal(start, end):
            return start, end
        case VirtualText(column):
            return (column,)
        case LineHighlight() | Margin():
            return ()


def _byte_columns(text: str, columns: Iterable[int]) -> dict[int, int]:
    moved, last, total = {}, 0, 0
    for column in sorted(set(columns)):
        total += len(text[last:column].encode())
        moved[column] = total
        last = column
    return moved


def _moved(mark: Mark, columns: dict[int, int]) -> Mark:
    match mark:
        case Highlight(start, end, group):
            return Highlight(columns[start], columns[end], group)
        case Conceal(start, end, character, group):
            return Conceal(columns[start], columns[end], character, group)
        case VirtualText(column, chunks, position):
            return VirtualText(columns[column], chunks, position)
        case LineHighlight() | Margin():
            return mark
