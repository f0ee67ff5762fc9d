"""What the view is made of: blocks of lines with marks.

The same object means unchanged: `patch` compares by identity first, so a renderer returns the
block, and within a growing block the lines, that it returned before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Highlight:
    """Colour the bytes [start, end) of the line with a highlight group."""

    start: int
    end: int
    group: str


@dataclass(frozen=True, slots=True)
class Conceal:
    """Do not show the bytes [start, end) of the line, or show one character in their place."""

    start: int
    end: int
    character: str = ""
    group: str = ""
    """Highlight group of the character; without it Neovim draws it with `Conceal`."""


@dataclass(frozen=True, slots=True)
class VirtualText:
    """Text that is drawn but not in the buffer, at byte `column` of the line."""

    column: int
    chunks: tuple[tuple[str, str], ...]
    """Pairs of text and highlight group."""
    position: Literal["inline", "overlay", "eol", "right_align", "rows"] = "inline"
    """`rows`: over the cells from `column` on of each row that the line takes."""


@dataclass(frozen=True, slots=True)
class Margin:
    """Text left of the line, in the two cells that a chat has there; in other windows before it."""

    text: str
    group: str
    every_row: bool = False
    """Also beside the rows into which Neovim breaks the line."""


@dataclass(frozen=True, slots=True)
class LineHighlight:
    """Colour the whole screen line, past its end too.

    Neovim draws that over the colours of the text; `under` them it is for lines with such colours.
    """

    group: str
    under: bool = False


Mark: TypeAlias = Highlight | Conceal | VirtualText | Margin | LineHighlight


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the buffer: no newline in `text`; columns of marks are bytes of its UTF-8."""

    text: str
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of one entry; `key` is the entry's and unique in a rendering."""

    key: str
    lines: Sequence[Line]
    foldable: bool = False
    """True when the user may open and close it."""
    within: tuple[tuple[int, str], ...] = ()
    """Where in its lines those of other entries begin, and their keys, ascending; the lines behind
    the last are its own again, with its own key. Without lines: the entry in which it is."""


BLANK = Line("")
