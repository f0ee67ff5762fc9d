"""Lines with their marks, made of text that is safe to show; for the renderers of `view` only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeGuard

from acp_nvim.view.block import Highlight, Line, LineHighlight, Margin, Mark, VirtualText

DEEPEST = 20
"""Cells of an indent that Neovim keeps in a window of 28, by the 'breakindentopt' of chats."""


def coloured(text: str, group: str, *marks: Mark) -> Line:
    """Return a line all in one highlight group, with further marks after it."""
    length = len(text.encode())
    return Line(text, (Highlight(0, length, group), *marks) if length else marks)


def pieces(parts: Iterable[tuple[str, str]], *marks: Mark) -> Line:
    """Return a line of texts, each in its highlight group, "" for none; with further marks."""
    text, found, at = "", list[Mark](), 0
    for piece, group in parts:
        start, at = at, at + len(piece.encode())
        text += piece
        if piece and group:
            found.append(Highlight(start, at, group))
    return Line(text, (*found, *marks))


def before(text: str, group: str) -> VirtualText:
    """Return virtual text at the start of a line."""
    return VirtualText(0, ((text, group),))


def beside(line: Line, text: str, group: str = "AcpDim") -> Line:
    """Return the line with virtual text right behind it, on the background of the line."""
    mark = VirtualText(len(line.text.encode()), ((text, group),))
    return Line(line.text, (*line.marks, mark))


def after(text: str, group: str = "AcpDim") -> VirtualText:
    """Return virtual text behind the end of a line."""
    return VirtualText(0, ((text, group),), "eol")


def prefixed(line: Line, mark: VirtualText | Margin) -> Line:
    """Return the line with something in front of what it has."""
    return Line(line.text, (mark, *line.marks))


def filled(line: Line, margin: Margin) -> Line:
    """Return the line beside a margin; its background has no holes where it is broken."""
    return Line(line.text, (margin, *line.marks, *indents(line.text, line.marks)))


def indents(text: str, marks: Iterable[Mark]) -> tuple[VirtualText, ...]:
    """Return what gives the indent of all rows of a line the background that the line has.

    Where Neovim breaks a line it leaves the indent of the next row without one.
    """
    indent = text[: len(text) - len(text.lstrip(" \t"))]
    group = next((mark.group for mark in marks if isinstance(mark, LineHighlight)), "")
    width = min(len(indent.expandtabs()), DEEPEST)
    first = sum(len(it.chunks[0][0]) for it in marks if _is_before(it))
    if not (group and width > first):
        return ()
    return (VirtualText(first, ((" " * (width - first), group),), "rows"),)


def _is_before(mark: Mark) -> TypeGuard[VirtualText]:
    return isinstance(mark, VirtualText) and mark.column == 0 and mark.position == "inline"


def plural(count: int, noun: str) -> str:
    """Return "1 line", "12 lines", "9,000 lines"."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
