"""Which part of a line differs from the line that it replaces."""

from __future__ import annotations

LIMIT = 1_000
"""Longer lines are not looked at: nobody sees all of one at once."""


def changed_part(text: str, mate: str) -> tuple[int, int] | None:
    """Return where `text` differs from `mate`, as half-open positions in `text`.

    None: only `mate` has something there, the two have less in common than not, or one is longer
    than `LIMIT`.
    """
    if max(len(text), len(mate)) > LIMIT:
        return None
    start = _common(text, mate)
    end = _common(text[start:][::-1], mate[start:][::-1])
    if start + end == len(text) or 2 * (start + end) < min(len(text), len(mate)):
        return None
    return start, len(text) - end


def _common(one: str, other: str) -> int:
    """Return how many characters both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
