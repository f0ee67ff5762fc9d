"""The blocks of Markdown, one line at a time: what a line is, given the block that is open.

`step` is all that `markdown` calls. A block that is open can still change the look of its lines,
so it keeps them; a line that `step` returns is settled for good.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from acp_nvim.patterns import lazy_pattern
from acp_nvim.view.block import Conceal, Highlight, Line, Mark, VirtualText
from acp_nvim.view.markdown.columns import INLINE_LIMIT, marked
from acp_nvim.view.markdown.fence import Fence, opened_fence
from acp_nvim.view.markdown.inline import inline
from acp_nvim.view.markdown.table import Table, opened_table

_DEPTH_LIMIT = 32
_RULE_WIDTH = 40

_CONTAINER = lazy_pattern(r"[ \t]*+(?:(?P<quote>>)[ ]?|(?P<item>[-*+]|\d{1,9}[.)])(?=[ \t]|$))")
_QUOTE = lazy_pattern(r"[ \t]*+(>)[ ]?")
_RULE = lazy_pattern(r"[ \t]*+(?P<rule>([-*_])(?:[ \t]*+\2){2,}+)[ \t]*+$")
_HEADING = lazy_pattern(r"[ \t]*+(#{1,6})(?=[ \t]|$)")
_CHECKBOX = lazy_pattern(r"[ \t]*+(\[[ xX]\])(?=[ \t]|$)")


class _Place(Struct, frozen=True):
    """Where the content of a visible line begins: after its quotes and list markers."""

    text: str
    start: int = 0
    depth: int = 0
    """Number of quotes."""
    quoted: int = 0
    """Where the markers of the quotes end."""
    item: bool = False
    marks: tuple[Mark, ...] = ()


class Plain(Struct, frozen=True):
    """No block is open, but the last line is held back if it may be the head of a table."""

    head: _Place | None = None
    lines: tuple[Line, ...] = ()

    def with_drawn(self, lines: tuple[Line, ...]) -> Plain:
        """Return the same block, which shows these equal lines."""
        return Plain(self.head, lines)


PLAIN = Plain()

Block: TypeAlias = Plain | Fence | Table
Step: TypeAlias = tuple[tuple[Line, ...], Block]


def step(block: Block, text: str, room: int | None = None) -> Step:
    """Return the lines that are settled by the next line, and the block that is open after it.

    `text` is visible and without its newline; a table that ends is laid out for the `room`.
    """
    match block:
        case Fence():
            return _in_fence(block, text)
        case Table():
            return _in_table(block, text, room)
        case Plain():
            return _in_text(block, text)


def _in_fence(fence: Fence, text: str) -> Step:
    place = _quotes(text, fence.depth)
    if place.depth < fence.depth:
        return _then(fence.closed_lines(), step(PLAIN, text))
    if len(text) <= INLINE_LIMIT and fence.is_closed_by(text[place.start :]):
        return (*fence.closed_lines(), _fence_line(place)), PLAIN
    return fence.grown(text, place.start, place.marks)


def _in_table(table: Table, text: str, room: int | None) -> Step:
    place = _place(text)
    if place.item or place.depth != table.depth or not _is_row(place):
        return _then(table.closed(room), step(PLAIN, text))
    return table.grown(table.row(text, place.start, place.marks))


def _in_text(block: Plain, text: str) -> Step:
    table = _table(block.head, text) if block.head else None
    if table:
        return (), table
    if len(text) > INLINE_LIMIT:
        return (*block.lines, Line(text)), PLAIN
    place = _place(text)
    fence = opened_fence(text, place.start, place.quoted, place.depth)
    if fence:
        return (*block.lines, _fence_line(place)), fence
    line = marked(text, (*place.marks, *_content(place)))
    if _is_row(place):
        return block.lines, Plain(place, (line,))
    return (*block.lines, line), PLAIN


def _then(lines: tuple[Line, ...], after: Step) -> Step:
    return lines + after[0], after[1]


def _table(head: _Place, text: str) -> Table | None:
    if len(text) > INLINE_LIMIT:
        return None
    place = _quotes(text, head.depth)
    if place.depth != head.depth:
        return None
    rows = ((line.text, line.start, line.marks) for line in (head, place))
    return opened_table(head.depth, *rows)


def _is_row(place: _Place) -> bool:
    """Tell whether the line may be a row of a table: it has a pipe and is nothing else."""
    text, start = place.text, place.start
    return (
        "|" in text[start:]
        and len(text) <= INLINE_LIMIT
        and _HEADING.match(text, start) is None
        and opened_fence(text, start, place.quoted, place.depth) is None
    )


def _place(text: str) -> _Place:
    """Return where the content begins, with the marks of the quotes and list markers before it."""
    at = depth = quoted = 0
    item = False
    marks: list[Mark] = []
    for _ in range(_DEPTH_LIMIT):
        container = _CONTAINER.match(text, at)
        if container is None or _RULE.match(text, at):
            break
        at = container.end()
        if container["quote"]:
            depth, quoted = depth + 1, at
            marks += _quote_marks(container.start("quote"))
        else:
            item = True
            marks.extend(_item_marks(text, *container.span("item")))
    return _Place(text, at, depth, quoted, item, tuple(marks))


def _quotes(text: str, depth: int) -> _Place:
    """Return where the content begins after at most `depth` quotes and nothing else."""
    at = found = 0
    marks: list[Mark] = []
    while found < depth and (quote := _QUOTE.match(text, at)):
        at, found = quote.end(), found + 1
        marks += _quote_marks(quote.start(1))
    return _Place(text, at, found, at, marks=tuple(marks))


def _quote_marks(column: int) -> tuple[Mark, ...]:
    """Return the bar in the place of the marker, and below it where the line is broken."""
    bar = Conceal(column, column + 1, "▎", "AcpQuote")
    return bar, VirtualText(column, (("▎", "AcpQuote"),), "rows")


def _item_marks(text: str, start: int, end: int) -> list[Mark]:
    if text[start].isdigit():
        return [Highlight(start, end, "AcpListMarker")]
    marks: list[Mark] = [Conceal(start, end, "•", "AcpListMarker")]
    checkbox = _CHECKBOX.match(text, end)
    if checkbox:
        done = "xX".find(text[checkbox.start(1) + 1]) >= 0
        group = "AcpCheckboxDone" if done else "AcpCheckboxOpen"
        marks.append(Highlight(*checkbox.span(1), group))
    return marks


def _fence_line(place: _Place) -> Line:
    start = place.start + _indent(place)
    return marked(place.text, (*place.marks, Highlight(start, len(place.text), "AcpFence")))


def _content(place: _Place) -> Sequence[Mark]:
    """Return the marks of the text after the quotes and list markers."""
    text, start = place.text, place.start
    rule = _RULE.match(text, start)
    if rule:
        first, last = rule.span("rule")
        drawn = VirtualText(first, (("─" * _RULE_WIDTH, "AcpRule"),), "overlay")
        return (Conceal(first, last), drawn)
    marks: list[Mark] = []
    heading = _HEADING.match(text, start)
    if place.quoted < len(text) and place.depth:
        marks.append(Highlight(place.quoted, len(text), "AcpQuote"))
    if heading:
        group = f"AcpHeading{len(heading[1])}"
        marks.append(Highlight(heading.start(1), len(text), group))
    return marks + inline(text, start, len(text))


def _indent(place: _Place) -> int:
    rest = place.text[place.start :]
    return len(rest) - len(rest.lstrip(" \t"))
