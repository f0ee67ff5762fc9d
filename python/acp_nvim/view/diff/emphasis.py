"""Which words of a line differ from the line that it replaces."""

from __future__ import annotations

import re
from collections import Counter

from acp_nvim import hunks
from acp_nvim.patterns import lazy_pattern

LIMIT = 1_000
"""Longer lines are not looked at: nobody sees all of one at once."""
EFFORT = 2_000
"""Steps of a comparison; past them what is left of both lines counts as changed."""
_WORD = lazy_pattern(r"\w+|\s+|.", re.DOTALL)


def changed_parts(
    text: str, mate: str, effort: hunks.Effort | None = None
) -> tuple[tuple[int, int], ...]:
    """Return where `text` differs from `mate`, as half-open positions in `text`, ascending.

    None: only `mate` has something there, the two have less in common than not, or one is longer
    than `LIMIT`; or `effort`, which is for more than these lines, is spent.
    """
    if max(len(text), len(mate)) > LIMIT or (effort is not None and effort.is_spent):
        return ()
    words, others = _WORD.findall(text), _WORD.findall(mate)
    steps = hunks.Effort(EFFORT, effort)
    steps.spend(len(words) + len(others))
    shared = sum(len(word) * many for word, many in (Counter(words) & Counter(others)).items())
    if 2 * shared < min(len(text), len(mate)):
        return ()  # as is mostly so where a line is anew: the comparison is spared
    found = hunks.diff(words, others, steps)
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    parts = [(starts[it.first], starts[it.last]) for it in found if it.first < it.last]
    common = len(text) - sum(end - start for start, end in parts)
    return tuple(parts) if 2 * common >= min(len(text), len(mate)) else ()
