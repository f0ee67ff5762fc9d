"""What the view is made of: blocks of lines with marks.

The same object means unchanged: `patch` compares by identity first, so a renderer returns the
block, and within a growing block the lines, that it returned before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct


class Highlight(Struct, frozen=True):
    """Colour the bytes [start, end) of the line with a highlight group."""

    start: int
    end: int
    group: str


class Conceal(Struct, frozen=True):
    """Do not show the bytes [start, end) of the line, or show one character in their place."""

    start: int
    end: int
    character: str = ""
    group: str = ""
    """Highlight group of the character; without it Neovim draws it with `Conceal`."""


class VirtualText(Struct, frozen=True):
    """Text that is drawn but not in the buffer, at byte `column` of the line."""

    column: int
    chunks: tuple[tuple[str, str], ...]
    """Pairs of text and highlight group."""
    position: Literal["inline", "overlay", "eol", "right_align", "rows"] = "inline"
    """`rows`: over the cells from `column` on of each row that the line takes."""


class Margin(Struct, frozen=True):
    """Text left of the line, in the two cells that a chat has there; in other windows before it."""

    text: str
    group: str
    every_row: bool = False
    """Also beside the rows into which Neovim breaks the line."""


class LineHighlight(Struct, frozen=True):
    """Colour the whole screen line, past its end too.

    Neovim draws that over the colours of the text; `under` them it is for lines with such colours.
    """

    group: str
    under: bool = False


Mark: TypeAlias = Highlight | Conceal | VirtualText | Margin | LineHighlight


class Line(Struct, frozen=True):
    """One line of the buffer: no newline in `text`; columns of marks are bytes of its UTF-8."""

    text: str
    marks: tuple[Mark, ...] = ()


class Block(Struct, frozen=True):
    """The lines of one entry; `key` is the entry's and unique in a rendering."""

    key: str
    lines: Sequence[Line]
    foldable: bool = False
    """True when the user may open and close it."""
    within: tuple[tuple[int, str], ...] = ()
    """Where in its lines those of other entries begin, and their keys, ascending; the lines behind
    the last are its own again, with its own key. Without lines: the entry in which it is."""


BLANK = Line("")
