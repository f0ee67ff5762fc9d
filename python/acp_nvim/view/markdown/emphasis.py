"""Which runs of `*`, `_` and `~~` open and close emphasis (CommonMark 0.31 § 6.2, GFM § 6.5).

Linear in the number of runs: what a closer did not find, no later one of its sort looks for.
For `markdown_inline` only.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from msgspec import Struct

from acp_nvim.view.block import Conceal, Highlight, Mark


class Run(Struct):
    """Equal delimiters in a row; `start` and `count` shrink as the run is used up."""

    character: str
    start: int
    count: int
    opens: bool
    closes: bool


class _Pair(Struct, frozen=True):
    """Emphasis from the markers at `opening` to those at `closing`, `width` characters each."""

    opening: int
    closing: int
    width: int
    character: str


def delimiter_run(text: str, start: int, stop: int, at: int, end: int) -> Run:
    """Return the run [at, end) of `text`, as its neighbours within [start, stop) make it."""
    before = text[at - 1] if at > start else " "
    after = text[end] if end < stop else " "
    left = not after.isspace() and (not _punctuation(after) or _loose(before))
    right = not before.isspace() and (not _punctuation(before) or _loose(after))
    if text[at] == "_":
        opens = left and (not right or _punctuation(before))
        closes = right and (not left or _punctuation(after))
    else:
        opens, closes = left, right
    return Run(text[at], at, end - at, opens, closes)


def emphasis(runs: Iterable[Run]) -> list[Mark]:
    """Return the marks of all emphasis that is closed, outer before inner."""
    marks: list[Mark] = []
    around: list[_Pair] = []
    for pair in sorted(_pairs(runs), key=lambda pair: pair.opening):
        while around and around[-1].closing < pair.opening:
            around.pop()
        inner, after = pair.opening + pair.width, pair.closing + pair.width
        marks.append(Conceal(pair.opening, inner))
        marks.append(Highlight(inner, pair.closing, _group(pair, around)))
        marks.append(Conceal(pair.closing, after))
        around.append(pair)
    return marks


def _group(pair: _Pair, around: list[_Pair]) -> str:
    if pair.character == "~":
        return "AcpStrike"
    if any(outer.character != "~" and outer.width != pair.width for outer in around[-3:]):
        return "AcpBoldItalic"
    return "AcpBold" if pair.width == 2 else "AcpItalic"


def _pairs(runs: Iterable[Run]) -> list[_Pair]:
    pairs: list[_Pair] = []
    openers: list[Run] = []
    floors: dict[tuple[str, bool, int], int] = {}
    for run in runs:
        sort = (run.character, run.opens, run.count % 3)
        while run.closes and run.count:
            position = _opener(openers, run, floors.get(sort, 0))
            if position is None:
                floors[sort] = len(openers)
                break
            del openers[position + 1 :]
            pairs.append(_joined(openers[position], run))
            if not openers[position].count:
                openers.pop()
            floors = {key: min(floor, len(openers)) for key, floor in floors.items()}
        if run.opens and run.count:
            openers.append(run)
    return pairs


def _opener(openers: list[Run], closer: Run, floor: int) -> int | None:
    for position in range(len(openers) - 1, floor - 1, -1):
        opener = openers[position]
        if opener.character == closer.character and _match(opener, closer):
            return position
    return None


def _match(opener: Run, closer: Run) -> bool:
    """Tell whether the two may pair: the "rule of three" of CommonMark."""
    if not (opener.closes or closer.opens):
        return True
    return (opener.count + closer.count) % 3 != 0 or opener.count % 3 == closer.count % 3 == 0


def _joined(opener: Run, closer: Run) -> _Pair:
    width = 2 if opener.count >= 2 and closer.count >= 2 else 1
    opener.count -= width
    pair = _Pair(opener.start + opener.count, closer.start, width, opener.character)
    closer.start += width
    closer.count -= width
    return pair


def _loose(character: str) -> bool:
    return character.isspace() or _punctuation(character)


def _punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"
