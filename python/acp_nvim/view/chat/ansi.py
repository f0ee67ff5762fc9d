"""The output of a command in its colours: SGR sequences as marks, all others obeyed or left out.

A colour stands for a highlight group, the nearest of eight, so that it is one of the user's scheme.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple, TypeAlias

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.plain_text import ODD, PART, erased
from acp_nvim.view.block import Highlight, Line
from acp_nvim.view.cut import WIDTH
from acp_nvim.view.visible import visible

ESCAPE = "\x1b["
MARKS = 200
"""Stretches of one line that are coloured."""
PORTION, LINES = 20_000, 500
"""Characters and lines of output that are coloured at once."""
CODES = 200
"""Characters of the numbers of one sequence."""

_COLOURS = (
    "AcpAnsiBlack",
    "AcpAnsiRed",
    "AcpAnsiGreen",
    "AcpAnsiYellow",
    "AcpAnsiBlue",
    "AcpAnsiMagenta",
    "AcpAnsiCyan",
    "",
)
"""The last is that of plain text."""
_BLACK, _WHITE = 0, 7
_FLAGS = {1: "AcpBold", 3: "AcpItalic", 4: "AcpUrl", 9: "AcpStrike", 2: "AcpDim"}
_OFF = {22: (1, 2), 23: (3,), 24: (4,), 29: (9,)}
_BETWEEN = lazy_pattern("[;:]")

_Style: TypeAlias = tuple[str, ...]


class Pen(NamedTuple):
    """What the sequences so far have chosen."""

    text: int | None = None
    ground: int | None = None
    flags: frozenset[int] = frozenset()


def lines(text: str) -> Iterator[Line]:
    r"""Yield the lines of raw output, safe to show, each cut where an editor bears no more."""
    pen = Pen()
    for line in text.removesuffix("\n").split("\n"):
        shown, pen = _line(line[:WIDTH], pen)
        yield shown


def portions(text: str) -> Iterator[list[Line]]:
    """Yield all lines, in portions of what is coloured in a moment; a long one in pieces."""
    pen, found, size = Pen(), list[Line](), 0
    for line in text.removesuffix("\n").split("\n"):
        for at in range(0, max(len(line), 1), WIDTH):
            shown, pen = _line(line[at : at + WIDTH], pen)
            found.append(shown)
        size += len(line) + 1
        if size > PORTION or len(found) >= LINES:
            yield found
            found, size = [], 0
    yield found


@lru_cache(maxsize=1_000)
def _obeyed(pen: Pen, parameters: str) -> Pen:
    """Return the pen after one SGR sequence; what is not known of it changes nothing."""
    parts = _BETWEEN.split(parameters[:CODES])
    codes = [int(it) if it.isdecimal() else 0 for it in parts]
    while codes:
        code = codes.pop(0)
        if code in (38, 48):
            colour, codes = _extended(codes)
            pen = _chosen(pen, code, colour)
        elif code == 0:
            pen = Pen()
        elif code in _FLAGS:
            pen = pen._replace(flags=pen.flags | {code})
        elif code in _OFF:
            pen = pen._replace(flags=pen.flags.difference(_OFF[code]))
        elif 30 <= code <= 49 or 90 <= code <= 107:
            pen = _chosen(pen, code, code % 10 if code % 10 < 8 else None)
    return pen


def _chosen(pen: Pen, code: int, colour: int | None) -> Pen:
    is_ground = code // 10 in (4, 10)
    return pen._replace(ground=colour) if is_ground else pen._replace(text=colour)


@lru_cache(maxsize=1_000)
def _style(pen: Pen) -> _Style:
    # light letters on a red ground, or dark ones, are a word in red
    is_plain = pen.text in (None, _BLACK, _WHITE) and pen.ground is not None
    colour = pen.ground if is_plain else pen.text
    named = (_COLOURS[colour],) if colour is not None and _COLOURS[colour] else ()
    return (*named, *(_FLAGS[flag] for flag in sorted(pen.flags)))


def _extended(codes: list[int]) -> tuple[int | None, list[int]]:
    """Return the colour that follows 38 or 48, and the codes behind it."""
    match codes:
        case [5, number, *rest]:
            return _of_palette(number), rest
        case [2, red, green, blue, *rest]:
            return _nearest(red, green, blue), rest
        case _:
            return None, []


def _of_palette(number: int) -> int:
    if number < 16:
        return number % 8
    if number >= 232:
        return _BLACK if number < 244 else _WHITE
    red, rest = divmod(number - 16, 36)
    return _nearest(red * 51, rest // 6 * 51, rest % 6 * 51)


def _nearest(*parts: int) -> int:
    """Return the colour of eight with those of red, green and blue that are strong."""
    most = max(parts)
    if most - min(parts) < 40:
        return _WHITE if most > 100 else _BLACK
    return sum(1 << bit for bit, part in enumerate(parts) if part > most * 0.6)


def _line(raw: str, pen: Pen) -> tuple[Line, Pen]:
    """Return what is left of a line after its overwriting, and the pen after it."""
    style = _style(pen)
    if ODD.search(raw) is None:
        text = visible(raw.removesuffix("\r"))
        marks = tuple(Highlight(0, len(text.encode()), group) for group in style)
        return Line(text, marks), pen
    shown, styles, cursor = "", list[_Style](), 0
    for part in PART.finditer(raw.removesuffix("\r")):
        if text := part["text"]:
            end = cursor + len(text)
            shown = _put(shown, cursor, text)
            styles[cursor:end] = [style] * len(text)
            cursor = end
        elif part[0] == "\r":
            cursor = 0
        elif part[0] == "\b":
            cursor = max(cursor - 1, 0)
        elif part["final"] == "m":
            pen = _obeyed(pen, part["parameters"])
            style = _style(pen)
        elif part["final"] == "K":
            shown = erased(shown, cursor, part["parameters"])
            styles = [*styles[: len(shown)], *[()] * (len(shown) - len(styles))]
    return _styled(shown, styles), pen


def _put(shown: str, cursor: int, text: str) -> str:
    return (
        shown + text
        if cursor == len(shown)
        else shown[:cursor] + text + shown[cursor + len(text) :]
    )


def _styled(text: str, styles: list[_Style]) -> Line:
    shown, marks, at, end = [], list[Highlight](), 0, 0
    for style, run in groupby(styles):
        length = sum(1 for _ in run)
        piece = visible(text[at : at + length])
        shown.append(piece)
        start, end, at = end, end + len(piece.encode()), at + length
        if len(marks) < MARKS:
            marks += (Highlight(start, end, group) for group in style)
    return Line("".join(shown), tuple(marks))
