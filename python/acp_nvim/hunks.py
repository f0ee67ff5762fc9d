"""Differences between two texts as line hunks: find them, apply them, merge them.

Pure; used to show diffs, to change buffers with the fewest touched lines, and to keep both the
user's and the agent's edits.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hunk:
    """Put `lines` in place of the 0-based lines [first, last) of the old text."""

    first: int
    last: int
    lines: tuple[str, ...]
