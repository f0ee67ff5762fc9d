"""Tables (GFM § 4.10): columns aligned by virtual text, without a space added to the agent's text.

Widths are those of what is seen, concealed markers not counted. For `markdown_block` only;
`display_width` for anyone in `view`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import zip_longest

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.patterns import lazy_pattern
from acp_nvim.view.block import Conceal, Highlight, Line, Mark, VirtualText
from acp_nvim.view.markdown.columns import marked
from acp_nvim.view.markdown.inline import inline, shown
from acp_nvim.view.markdown.stairs import Grid, Pieces, Stairs, fitted, hanging, pieces

ROW_LIMIT = 500
"""The widths are those of the first rows, so that a long table settles."""
_COLUMN_LIMIT = 64
_WIDTH_LIMIT = 60
_LAID_OUT = 8_000
"""Characters of a table that is laid out for its window: it is done in one go."""
_BROAD = 1_000_000
"""Of a table with a column at that limit: a cell of it may be wider."""

_DELIMITERS = lazy_pattern(
    r"[ \t]*+\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+$"
)
_CELL = lazy_pattern(r"(?:[^|\\]|\\.|\\$)*+")
_ZERO_WIDTH = ("Mn", "Me", "Mc", "Cf")
_SELECTOR = "\ufe0f"
# A flag, or a character with what Neovim draws in the same cells.
_CLUSTER = lazy_pattern(
    r"(?:[\U0001f1e6-\U0001f1ff]{2}|.)\ufe0f?[\U0001f3fb-\U0001f3ff]?(?:\u200d.\ufe0f?[\U0001f3fb-\U0001f3ff]?)*+"
)


def display_width(text: str) -> int:
    """Return how many screen cells the visible text takes in Neovim; ambiguous ones count one."""
    if text.isascii():
        return len(text)
    return sum(_cells(cluster) for cluster in _CLUSTER.findall(text))


def _cells(cluster: str) -> int:
    first = cluster[0]
    if unicodedata.category(first) in _ZERO_WIDTH or "\u1160" <= first <= "\u11ff":
        return 0
    picture = not first.isascii() and cluster[1:2] == _SELECTOR
    wide = unicodedata.east_asian_width(first) in "WF" or _is_wide_picture(first)
    return 2 if wide or picture else 1


def _is_wide_picture(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f6ff" or "\U0001f900" <= character <= "\U0001faff"


class _Cell(Struct, frozen=True):
    """The characters [start, end) between two pipes, and how wide they are shown."""

    start: int
    end: int
    width: int
    closed: bool
    """False for a last cell with no pipe after it."""


class Row(Struct, frozen=True):
    """One row of a table; the columns of `marks` are characters."""

    text: str
    cells: tuple[_Cell, ...]
    marks: tuple[Mark, ...]


class Table(Struct, frozen=True):
    """An open table: all of it can still change until `settled` is True."""

    depth: int
    """How many quotes the table stands in."""
    rows: tuple[Row, ...]
    """The header, then the body."""
    delimiter: tuple[str, int, tuple[Mark, ...]]
    """The delimiter row: its text, where it begins, and the marks before that."""
    alignments: tuple[str, ...]
    widths: tuple[int, ...]
    drawn: tuple[Line, ...] = ()
    """The first lines, as they are with the widths `drawn_widths`."""
    drawn_widths: tuple[int, ...] = ()
    settled: bool = False

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines that are not settled: header, delimiter row, body."""
        if self.settled:
            return ()
        drawn = self.drawn if self.drawn_widths == self.widths else ()
        if not drawn:
            drawn = (self._line(self.rows[0]), self._delimiter_line())
        return drawn + tuple(self._line(row) for row in self.rows[len(drawn) - 1 :])

    def with_drawn(self, lines: tuple[Line, ...]) -> Table:
        """Return the same table, which need not draw these lines, equal to its own, again."""
        return replace(self, drawn=lines, drawn_widths=self.widths)

    def grown(self, row: Row) -> tuple[tuple[Line, ...], Table]:
        """Return the lines that are settled by one more row, and the table after it."""
        if self.settled:
            return (self._line(row),), self
        widths = _wider(self.widths, row)
        grown = replace(self, rows=(*self.rows, row), widths=widths)
        if len(grown.rows) <= ROW_LIMIT:
            return (), grown
        return grown.lines, replace(grown, rows=(), drawn=(), settled=True)

    def row(self, text: str, start: int, marks: Sequence[Mark]) -> Row:
        """Return the row that the line is from `start` on; `marks` are of what is before."""
        return _row(text, start, marks, len(self.alignments))

    def closed(self, room: int | None) -> tuple[Line, ...]:
        """Return the lines of a table that is over, laid out for a window with so much room."""
        size = sum(len(row.text) for row in self.rows)
        if not room or self.breadth <= room or self.depth or self.settled or size > _LAID_OUT:
            return self.lines
        rows = [(row, [_pieces(row, cell) for cell in row.cells]) for row in self.rows]
        grid = self._grid(room, rows)
        found = [self._laid_out(*row, grid) for row in rows] if grid else []
        if grid is None or None in found:
            return self.lines
        head, *body = (line for line in found if line is not None)
        return (head, replace(self, widths=grid.widths)._delimiter_line(), *body)

    @property
    def breadth(self) -> int:
        """How much room it takes side by side."""
        is_cut = _WIDTH_LIMIT in self.widths
        return _BROAD if is_cut else sum(self.widths) + len(self.widths) + 1

    def _grid(self, room: int, rows: Sequence[tuple[Row, list[Pieces]]]) -> Grid | None:
        """Return where the columns are if they are narrower; None: they cannot be."""
        indent = max(display_width(hanging(row.text)) for row in self.rows)
        natural = [indent] + [0] * (len(self.widths) - 1)  # Neovim's indent has no borders
        least = natural
        for row, cells in rows:
            wholes = (cell.width for cell in row.cells)
            words = (max((it.shown for it in cell), default=0) for cell in cells)
            natural = [max(pair) for pair in zip_longest(natural, wholes, fillvalue=0)]
            least = [max(pair) for pair in zip_longest(least, words, fillvalue=0)]
        return fitted(room, natural, least)

    def _laid_out(self, row: Row, cells: list[Pieces], grid: Grid) -> Line | None:
        """Return the line of a row; None if it has no room."""
        first = row.cells[0].start if row.cells else 0
        indent, before = display_width(hanging(row.text)), display_width(row.text[:first])
        stairs = Stairs(grid, indent, before)
        for column, (cell, parts) in enumerate(zip(row.cells, cells, strict=True)):
            missing = grid.widths[column] - cell.width
            blanks = {"left": 0, "center": missing // 2, "right": missing}
            stairs.pad(cell.start, blanks[self.alignments[column]], sum(it.raw for it in parts))
            stairs.cell(column, cell.start, parts, is_closed=cell.closed)
        return None if stairs.fails else marked(row.text, (*row.marks, *stairs.marks))

    def _line(self, row: Row) -> Line:
        columns = zip(row.cells, self.widths, self.alignments, strict=False)
        padding = [mark for column in columns for mark in _padding(*column)]
        if len(row.cells) == len(self.widths):
            # nothing stands behind the last column, and a line that ends early wraps less
            padding = [mark for mark in padding if mark.column < row.cells[-1].end]
        return marked(row.text, (*row.marks, *padding))

    def _delimiter_line(self) -> Line:
        text, start, marks = self.delimiter
        border = "┼".join("─" * width for width in self.widths)
        drawn = VirtualText(start, ((border, "AcpTableBorder"),), "overlay")
        return marked(text, (*marks, Conceal(start, len(text)), drawn))


def opened_table(
    depth: int,
    head: tuple[str, int, Sequence[Mark]],
    delimiter: tuple[str, int, Sequence[Mark]],
) -> Table | None:
    """Return the table that begins with the two lines, or None.

    A line is its visible text, where the row begins in it, and the marks of what is before.
    """
    text, start, marks = delimiter
    start += len(text[start:]) - len(text[start:].lstrip(" \t"))
    if "|" not in text[start:] or _DELIMITERS.match(text, start) is None:
        return None
    delimiters = [text[first:last].strip() for first, last, _ in _segments(text, start)]
    row = _row(*head, _COLUMN_LIMIT + 1)
    if len(row.cells) != len(delimiters) or len(delimiters) > _COLUMN_LIMIT:
        return None
    named = (Highlight(cell.start, cell.end, "AcpTableHead") for cell in row.cells)
    row = replace(row, marks=(*(mark for mark in named if mark.start < mark.end), *row.marks))
    return Table(
        depth,
        (row,),
        (text, start, tuple(marks)),
        tuple(_alignment(delimiter) for delimiter in delimiters),
        _wider((0,) * len(delimiters), row),
    )


def _alignment(delimiter: str) -> str:
    if delimiter.endswith(":"):
        return "center" if delimiter.startswith(":") else "right"
    return "left"


def _wider(widths: tuple[int, ...], row: Row) -> tuple[int, ...]:
    cells = [min(cell.width, _WIDTH_LIMIT) for cell in row.cells[: len(widths)]]
    cells += [0] * (len(widths) - len(cells))
    return tuple(max(pair) for pair in zip(widths, cells, strict=True))


def _padding(cell: _Cell, width: int, alignment: str) -> list[VirtualText]:
    missing = max(width - cell.width, 0)
    before = {"left": 0, "center": missing // 2, "right": missing}[alignment]
    after = missing - before if cell.closed else 0
    places = ((cell.start, before), (cell.end, after))
    return [VirtualText(column, ((" " * count, ""),)) for column, count in places if count]


def _pieces(row: Row, cell: _Cell) -> Pieces:
    """Return the parts of a cell that stay in one row each."""
    hides = (it for it in row.marks if isinstance(it, Conceal) and not it.character)
    hidden = [(it.start, it.end) for it in hides if it.start < cell.end and it.end > cell.start]
    return pieces(row.text, cell.start, cell.end, hidden, display_width)


def _segments(text: str, start: int) -> list[tuple[int, int, bool]]:
    """Return start and end of each cell from `start` on, and whether a pipe closes it."""
    stop = len(text.rstrip(" \t"))
    at = start + 1 if text.startswith("|", start) else start
    segments = []
    while at < stop:
        end = _CELL.match(text, at, stop).end()  # type: ignore[union-attr]  # it matches ""
        segments.append((at, end, end < stop))
        at = end + 1
    return segments


def _row(text: str, start: int, marks: Sequence[Mark], columns: int) -> Row:
    start += len(text[start:]) - len(text[start:].lstrip(" \t"))
    found = list(marks)
    if text.startswith("|", start):
        found.append(Conceal(start, start + 1))
    cells = []
    stop = len(text.rstrip(" \t"))
    for first, last, closed in _segments(text, start)[:columns]:
        spans = inline(text, first, last)
        width = display_width(shown(text, first, last, spans))
        cells.append(_Cell(first, last, width, closed))
        found.extend(spans)
        if closed:
            outermost = last + 1 == stop
            found.append(Conceal(last, last + 1) if outermost else _border(last))
    return Row(text, tuple(cells), tuple(found))


def _border(column: int) -> Conceal:
    return Conceal(column, column + 1, "│", "AcpTableBorder")
