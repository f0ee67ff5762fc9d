"""Lines with their marks, made of text that is safe to show; for the renderers of `view` only."""

from __future__ import annotations

from acp_nvim.view.block import Highlight, Line, Mark, VirtualText


def coloured(text: str, group: str, *marks: Mark) -> Line:
    """Return a line all in one highlight group, with further marks after it."""
    length = len(text.encode())
    return Line(text, (Highlight(0, length, group), *marks) if length else marks)


def before(text: str, group: str) -> VirtualText:
    """Return virtual text at the start of a line."""
    return VirtualText(0, ((text, group),))


def after(text: str, group: str = "AcpDim") -> VirtualText:
    """Return virtual text behind the end of a line."""
    return VirtualText(0, ((text, group),), "eol")


def prefixed(line: Line, mark: VirtualText) -> Line:
    """Return the line with virtual text in front of what it has."""
    return Line(line.text, (mark, *line.marks))


def plural(count: int, noun: str) -> str:
    """Return "1 line", "12 lines", "9,000 lines"."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
