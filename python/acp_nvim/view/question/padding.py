"""Shortens what an agent could pad a question with, so that the command stays on the screen.

Blanks, blank lines, lines and marks that repeat: each run becomes a remark of how much there was.
Nothing else is changed, and the whole text is a key away.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby

from acp_nvim.patterns import lazy_pattern
from acp_nvim.view.block import Highlight, Line
from acp_nvim.view.styled import coloured, plural

SAME = 3
"""So many equal lines, or blank ones, are shown as they are."""
LONGEST = 4_000
"""Characters of a line that is shown whole."""
READ = 200_000
"""Characters of a line that are looked through: no pattern gives way to others."""

_BLANK = r"[ \t\xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]"
_RUNS: tuple[tuple[re.Pattern[str], str, Callable[[str], int]], ...] = (
    (lazy_pattern(rf"(?<!\A){_BLANK}{{17,}}|\A{_BLANK}{{41,}}"), "blank", len),
    (lazy_pattern(r"(?:<U\+[0-9A-F]{4,6}>){9,}"), "invisible character", lambda it: it.count("<")),
    (lazy_pattern(r"[\u2400-\u2421]{9,}"), "control character", len),
    (lazy_pattern(r"([^\s])\1{79,}"), "more of these", len),
)


def shortened(line: Line) -> Line:
    """Return the line without long runs, and cut in its middle if it is endless."""
    text = _near_ends(line.text)
    if text == line.text:
        return line
    whole = [it.group for it in line.marks if isinstance(it, Highlight) and it.start == 0]
    others = tuple(it for it in line.marks if not isinstance(it, Highlight))
    return coloured(text, whole[0], *others) if whole else Line(text, others)


def _near_ends(text: str) -> str:
    half, read = LONGEST // 2, READ // 2
    between = max(len(text) - READ, 0)
    first, last = (text[:read], text[-read:]) if between else (text, "")
    first, last = _without_runs(first), _without_runs(last)
    if not between:
        if len(first) <= LONGEST:
            return first
        first, last = first[:half], first[half:]
    left = between + max(len(first) - half, 0) + max(len(last) - half, 0)
    return f"{first[:half]} ⟨{plural(left, 'character')}⟩ {last[-half:]}"


def _without_runs(text: str) -> str:
    for pattern, noun, count in _RUNS:
        text = pattern.sub(partial(_remark, noun, count), text)
    return text


def _remark(noun: str, count: Callable[[str], int], run: re.Match[str]) -> str:
    many = count(run[0])
    if noun == "more of these":
        return f"{run[1]}⟨×{many:,}⟩"
    return f"⟨{plural(many, noun)}⟩"


def gathered(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines, each shortened; a run of equal or of blank ones becomes a remark."""
    for (text, _), run in groupby(lines, lambda it: (it.text.strip(), it.marks)):
        same = list(run)
        if len(same) <= SAME:
            yield from map(shortened, same)
            continue
        yield shortened(same[0])
        noun = "more line like that" if text else "more blank line"
        yield coloured(f"⟨{plural(len(same) - 1, noun)}⟩", "AcpWarning")
