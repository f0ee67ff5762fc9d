"""A table that is too wide for its window: each cell is broken inside of its own column.

The text stays the agent's, in its order: a cell begins in the row in which the one before it has
ended, as on stairs. Blanks that are only drawn fill each row up to the window's edge, where Neovim
breaks the line. For `table` only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TypeAlias

from msgspec import Struct

from acp_nvim.patterns import lazy_pattern
from acp_nvim.view.block import Mark, VirtualText

LEAST = 4
"""Cells of a column."""
SPARE = 3
"""Cells at the window's edge: Neovim takes the blank and the pipe behind a word for part of it."""
_HANGING = lazy_pattern(r"\|[^|]{0,20}\|\s?")
"""What Neovim indents the rows by into which it breaks a line: as in `acp.ui.dress`."""
_WORD = lazy_pattern(r"\s*+\S*+(?:\s++$)?+")
"""A row ends before blanks only: behind other characters at which Neovim breaks a line ('breakat')
it would look for room for what follows, and not see the blanks that are drawn there."""


class Piece(Struct, frozen=True):
    """A part of a cell that stays in one row: the characters before `end`."""

    end: int
    raw: int
    """Cells of all its characters: those that are hidden count where Neovim breaks a line."""
    shown: int


Pieces: TypeAlias = tuple[Piece, ...]


class Grid(Struct, frozen=True):
    """Where the columns are in a window with so much room."""

    room: int
    widths: tuple[int, ...]

    @property
    def starts(self) -> tuple[int, ...]:
        """Return where each column begins; a border is before all but the first."""
        return tuple(accumulate((width + 1 for width in self.widths[:-1]), initial=0))

    def blanks(self, first: int, last: int) -> tuple[tuple[str, str], ...]:
        """Return what stands in an empty row from one cell to another."""
        borders = {start - 1 for start in self.starts[1:]}
        chunks, at = list[tuple[str, str]](), first
        for border in sorted(it for it in borders if first <= it < last):
            chunks += [(" " * (border - at), ""), ("│", "AcpTableBorder")]
            at = border + 1
        chunks.append((" " * (last - at), ""))
        return tuple(it for it in chunks if it[0])


def hanging(text: str) -> str:
    """Return what the rows of a broken line are indented by."""
    found = _HANGING.match(text)
    return "" if found is None else found[0]


def pieces(
    text: str,
    start: int,
    end: int,
    hidden: Sequence[tuple[int, int]],
    width: Callable[[str], int],
) -> Pieces:
    """Return the parts of a cell, of which some characters are hidden."""
    at, found = start, list[Piece]()
    while at < end:
        word = _WORD.match(text, at, end)
        stop = max(word.end() if word else end, at + 1)
        raw = width(text[at:stop])
        gone = (text[max(at, first) : min(stop, last)] for first, last in hidden)
        found.append(Piece(stop, raw, raw - sum(map(width, gone))))
        at = stop
    return tuple(found)


def fitted(room: int, natural: Sequence[int], least: Sequence[int]) -> Grid | None:
    """Return the grid in which all columns have room; None if there is none.

    `natural` is how wide they would be, `least` how wide they must be.
    """
    left = room - len(natural) + 1 - SPARE
    widths = dict[int, int]()
    by_width = sorted(range(len(natural)), key=lambda it: natural[it])
    for count, column in enumerate(by_width):
        share = left // (len(natural) - count)
        widths[column] = max(min(natural[column], share), least[column], LEAST)
        left -= widths[column]
    return None if left < 0 else Grid(room, tuple(widths[it] for it in range(len(natural))))


class Stairs:
    """The marks that lay one row out; `fails` once something has no room."""

    def __init__(self, grid: Grid, indent: int, hidden: int) -> None:
        """Begin a row of which so many cells are hidden."""
        self.marks: list[Mark] = []
        self.fails = False
        self._grid = grid
        self._indent = indent
        self._at = 0
        self._hidden = hidden

    def pad(self, at: int, count: int, raw: int) -> None:
        """Leave so many cells free before that character, if what follows still has room then."""
        count = min(count, self._grid.room - self._at - self._hidden - raw - SPARE)
        if count > 0:
            self._draw(at, ((" " * count, ""),))
            self._at += count

    def cell(self, column: int, start: int, parts: Sequence[Piece], *, is_closed: bool) -> None:
        """Lay a cell out that begins at that character."""
        grid = self._grid
        end, at = grid.starts[column] + grid.widths[column], start
        for piece in parts:
            if at > start and not self._has_room(piece, end):
                self._break(column, at)
            self.fails |= not self._has_room(piece, end)
            self._at += piece.shown
            self._hidden += piece.raw - piece.shown
            at = piece.end
        if is_closed and column + 1 < len(grid.widths):
            self._draw(at, grid.blanks(self._at, end))
            self._at = end + 1

    def _has_room(self, piece: Piece, end: int) -> bool:
        edge = self._at + self._hidden + piece.raw + SPARE
        return self._at + piece.shown <= end and edge <= self._grid.room

    def _break(self, column: int, at: int) -> None:
        """Go on in the next row, in the same column."""
        grid, start = self._grid, self._grid.starts[column]
        rest = grid.blanks(self._at, max(grid.room - self._hidden, self._at))
        self._draw(at, (*rest, *grid.blanks(self._indent, max(start, self._indent))))
        self._at, self._hidden = max(start, self._indent), 0

    def _draw(self, at: int, chunks: tuple[tuple[str, str], ...]) -> None:
        if chunks:
            self.marks.append(VirtualText(at, chunks))
