"""Two texts side by side, as values."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Side(Struct, frozen=True):
    """One side of a comparison: the live buffer of a file, else lines that nobody can change."""

    name: str
    """What it is called on screen; safe to show."""
    lines: tuple[str, ...] = ()
    """Without line ends; of a file only what is shown when it cannot be loaded."""
    path: str | None = None
    """The file, resolved, to be shown as it is in the editor, and to be edited there."""
    filetype: str | None = None
    """None lets the editor find out from the file on either side."""
    file: str | None = None
    """A path that says what `lines` are, where neither side is a file."""


class Comparison(Struct, frozen=True):
    """Two texts side by side, as a real diff of the editor."""

    left: Side
    right: Side
    title: str = ""
    focus: Literal["left", "right"] = "right"
    line: int | None = None
    """1-based line of that side to go to; None: the first change."""
    seen: str = ""
    """The digest of the question that is about it, as it is now."""
