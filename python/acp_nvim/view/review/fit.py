"""Virtual lines as a window would break them, which Neovim by itself does not. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

from msgspec import Struct

from acp_nvim.patterns import lazy_pattern
from acp_nvim.view.question.rows import Cells
from acp_nvim.view.review.marks import Chunks

BAR = "▌ "
"""Before words of the user's."""
_WORD = lazy_pattern(r"\S+\s*")


class Look(Struct, frozen=True):
    """How the windows of a buffer show it: the narrowest one that wraps lines has so many cells."""

    width: int = 0
    """0: none wraps."""
    tabstop: int = 8
    cells: str = ""
    """The settings by which texts have their widths."""


def fitted(lines: Sequence[Chunks], cells: Cells, look: Look) -> list[Chunks]:
    """Return the lines with blanks in place of tabs, those that are too wide broken."""
    return list(chain.from_iterable(_rows(line, cells, look) for line in lines))


def _rows(line: Chunks, cells: Cells, look: Look) -> list[Chunks]:
    if not look.width and not any("\t" in text for text, _ in line):
        return [line]
    expanded, size = _expanded(line, cells, look.tabstop)
    if not look.width or size <= look.width:
        return [expanded]
    if not line[0][0].startswith(BAR):
        return _broken(expanded, cells, look.width)
    rows = _between_words(expanded, cells, look.width)
    wide = look.width + 1  # of the blank behind a word
    found = ([it] if cells.of(it[0][0]) <= wide else _broken(it, cells, look.width) for it in rows)
    return list(chain.from_iterable(found))


def _expanded(line: Chunks, cells: Cells, tabstop: int) -> tuple[Chunks, int]:
    """Return it with blanks in place of tabs, and how many cells it takes."""
    column, expanded = 0, []
    for text, group in line:
        first, *parts = text.split("\t")
        column += cells.of(first)
        for part in parts:
            blanks = " " * (tabstop - column % tabstop)
            first += blanks + part
            column += len(blanks) + cells.of(part)
        expanded.append((first, group))
    return tuple(expanded), column


def _broken(line: Chunks, cells: Cells, width: int) -> list[Chunks]:
    rows: list[Chunks] = []
    row: list[tuple[str, str]] = []
    room = width
    for text, group in line:
        ends, room = _ends(text, cells, room, width)
        for first, last in pairwise((0, *ends)):
            rows.append((*row, (text[first:last], group)))
            row = []
        row.append((text[ends[-1] if ends else 0 :], group))
    return [*rows, tuple(row)]


def _ends(text: str, cells: Cells, room: int, width: int) -> tuple[Sequence[int], int]:
    """Return where the text is to be broken, and the room that is left behind it."""
    if text.isascii() and text.isprintable():
        breaks = range(max(room, 0), len(text), width)
        return breaks, width - (len(text) - breaks[-1]) if breaks else room - len(text)
    ends, end = list[int](), 0
    for cluster, size in cells.clusters(text):
        if size > room and room < width:
            ends.append(end)
            room = width
        end, room = end + len(cluster), room - size
    return ends, room


def _between_words(line: Chunks, cells: Cells, width: int) -> list[Chunks]:
    """Break the one text between words; what stands before it is there in each row."""
    ((text, group),) = line
    rows, row = [], BAR
    for word in _WORD.findall(text.removeprefix(BAR)):
        if row != BAR and cells.of((row + word).rstrip()) > width:
            rows.append(row)
            row = BAR
        row += word
    return [((it, group),) for it in (*rows, row)]
