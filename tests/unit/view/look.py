"""What a drawn line looks like: its virtual text where it stands, its text as it is."""

from __future__ import annotations

from collections.abc import Iterable

from acp_nvim.view.block import Highlight, Line, VirtualText


def look(line: Line) -> str:
    """Return the line with its inline virtual text before it and the rest behind it."""
    virtual = [mark for mark in line.marks if isinstance(mark, VirtualText)]
    start = "".join(
        text for mark in virtual if mark.position == "inline" for text, _ in mark.chunks
    )
    end = "".join(text for mark in virtual if mark.position == "eol" for text, _ in mark.chunks)
    return start + line.text + end


def looks(lines: Iterable[Line]) -> list[str]:
    """Return all lines as they look."""
    return [look(line) for line in lines]


def groups(line: Line) -> list[str]:
    """Return the highlight groups of the line's text."""
    return [mark.group for mark in line.marks if isinstance(mark, Highlight)]
