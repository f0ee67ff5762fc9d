"""Places in a text as language servers, agents and people count them. Pure.

Servers count lines and units from 0, in UTF-16 unless they say otherwise; agents count lines and
characters from 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

ENCODINGS = ("utf-8", "utf-16", "utf-32")


def lines_of(text: str) -> list[str]:
    """Return the lines as an editor has them, without their ends."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def units(line: str, characters: int, encoding: str) -> int:
    """Return how many units of that encoding so many characters of a line are."""
    before = line[:characters]
    if encoding == "utf-8":
        return len(before.encode("utf-8", "replace"))
    if encoding == "utf-32":
        return len(before)
    return len(before) + sum(it > "\uffff" for it in before)


def characters(line: str, count: int, encoding: str) -> int:
    """Return how many characters of a line so many units are, of no more than it has."""
    if line.isascii() or encoding == "utf-32":
        return max(0, min(count, len(line)))
    seen = 0
    for index, character in enumerate(line):
        if seen >= count:
            return index
        seen += units(character, 1, encoding)
    return len(line)


def offsets(line: str, at: int) -> dict[str, int]:
    """Return that many characters of a line in the units of each encoding."""
    return {encoding: units(line, at, encoding) for encoding in ENCODINGS}


def occurrences(line: str, symbol: str) -> list[int]:
    """Return where a name stands in a line, in characters from 0; a word only as a whole one."""
    pattern = re.escape(symbol)
    if re.match(r"\w", symbol):
        pattern = rf"(?<!\w){pattern}"
    if re.search(r"\w\Z", symbol):
        pattern = rf"{pattern}(?!\w)"
    return [found.start() for found in re.finditer(pattern, line)]


class Misplaced(ValueError):
    """The edits of a language server overlap, or lie outside of the text."""


def edited(text: str, edits: Sequence[Mapping[str, Any]], encoding: str) -> str:
    """Return a text after the edits of a language server (`TextEdit[]`); raises `Misplaced`.

    Those at one place come in their order.
    """
    starts, lines = _starts(text), lines_of(text)
    placed = sorted(
        (
            (
                _index(it["range"]["start"], starts, lines, encoding),
                _index(it["range"]["end"], starts, lines, encoding),
                it["newText"],
            )
            for it in edits
        ),
        key=lambda it: it[:2],
    )
    parts, at = list[str](), 0
    for start, end, new in placed:
        if start < at or end < start:
            raise Misplaced
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])


def _starts(text: str) -> list[int]:
    return [0, *(found.end() for found in re.finditer("\n", text))]


def _index(
    position: Mapping[str, Any], starts: Sequence[int], lines: Sequence[str], encoding: str
) -> int:
    row: int = position["line"]
    if row >= len(lines):  # as many servers say for the end of the text
        return starts[-1] + len(lines[-1])
    return starts[row] + characters(lines[row], position["character"], encoding)
