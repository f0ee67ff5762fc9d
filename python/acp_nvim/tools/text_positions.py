"""Places in a text as language servers, agents and people count them. Pure.

Servers count lines and units from 0, in UTF-16 unless they say otherwise; agents count lines and
characters from 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from acp_nvim.tools.told import range_of

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
    found, at = list[int](), line.find(symbol) if symbol else -1
    while at >= 0:
        end = at + len(symbol)
        is_whole = not (_is_word(line[at - 1 : at + 1]) or _is_word(line[end - 1 : end + 1]))
        found += [at] * is_whole
        at = line.find(symbol, end if is_whole else at + 1)
    return found


def _is_word(pair: str) -> bool:
    """Return whether two characters beside each other are of one word."""
    return len(pair) == 2 and all(it.isalnum() or it == "_" for it in pair)


class Misplaced(ValueError):
    """The edits of a language server overlap, lie outside of the text, or are none."""


def edited(text: str, edits: Sequence[Mapping[str, Any]], encoding: str) -> str:
    """Return a text after the edits of a language server (`TextEdit[]`); raises `Misplaced`.

    Those at one place come in their order.
    """
    starts, lines = _starts(text), lines_of(text)

    def placed(edit: Mapping[str, Any]) -> tuple[int, int, str]:
        where, new = range_of(edit.get("range")), edit.get("newText")
        if where is None or not isinstance(new, str):
            raise Misplaced
        start, end = (_index(where[it], starts, lines, encoding) for it in ("start", "end"))
        return start, end, new

    parts, at = list[str](), 0
    for start, end, new in sorted(map(placed, edits), key=lambda it: it[:2]):
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
