"""What a drawn line looks like: its virtual text where it stands, its text as it is."""

from __future__ import annotations

from collections.abc import Iterable

from acp_nvim.view.block import Highlight, Line, Margin, VirtualText


def look(line: Line) -> str:
    """Return the line with its margin and inline virtual text before it and the rest behind it."""
    margin = "".join(f"{mark.text:2}" for mark in line.marks if isinstance(mark, Margin))
    virtual = [mark for mark in line.marks if isinstance(mark, VirtualText)]
    first = [mark for mark in virtual if mark.position == "inline" and mark.column == 0]
    start = "".join(text for mark in first for text, _ in mark.chunks)
    last = (it for it in virtual if it not in first and it.position in ("inline", "eol"))
    end = "".join(text for mark in last for text, _ in mark.chunks)
    return margin + start + line.text + end


def looks(lines: Iterable[Line]) -> list[str]:
    """Return all lines as they look."""
    return [look(line) for line in lines]


def groups(line: Line) -> list[str]:
    """Return the highlight groups of the line's text."""
    return [mark.group for mark in line.marks if isinstance(mark, Highlight)]
