"""The output of a command in its colours: SGR sequences as marks, all others obeyed or left out.

A colour stands for a highlight group, the nearest of eight, so that it is one of the user's scheme.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

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
_BETWEEN = re.compile("[;:]")

_Style = tuple[str, ...]


def lines(text: str) -> Iterator[Line]:
    r"""Yield the lines of raw output, safe to show, each cut where an editor bears no more."""
    pen = _Pen()
    for line in text.removesuffix("\n").split("\n"):
        yield _line(line[:WIDTH], pen)


def portions(text: str) -> Iterator[list[Line]]:
    """Yield all lines, in portions of what is coloured in a moment; a long one in pieces."""
    pen, found, size = _Pen(), list[Line](), 0
    for line in text.removesuffix("\n").split("\n"):
        for at in range(0, max(len(line), 1), WIDTH):
            found.append(_line(line[at : at + WIDTH], pen))
        size += len(line) + 1
        if size > PORTION or len(found) >= LINES:
            yield found
            found, size = [], 0
    yield found


class _Pen:
    """What the sequences so far have chosen."""

    def __init__(self) -> None:
        self.style: _Style = ()
        self._text: int | None = None
        self._ground: int | None = None
        self._flags: set[int] = set()

    def take(self, parameters: str) -> None:
        """Obey one SGR sequence; what is not known of it changes nothing."""
        parts = _BETWEEN.split(parameters[:CODES])
        codes = [int(it) if it.isdecimal() else 0 for it in parts]
        while codes:
            code = codes.pop(0)
            if code in (38, 48):
                colour, codes = _extended(codes)
                self._choose(code, colour)
            else:
                self._obey(code)
        # light letters on a red ground, or dark ones, are a word in red
        is_plain = self._text in (None, _BLACK, _WHITE) and self._ground is not None
        colour = self._ground if is_plain else self._text
        named = (_COLOURS[colour],) if colour is not None and _COLOURS[colour] else ()
        self.style = (*named, *(_FLAGS[flag] for flag in sorted(self._flags)))

    def _obey(self, code: int) -> None:
        if code == 0:
            self._text = self._ground = None
            self._flags.clear()
        elif code in _FLAGS:
            self._flags.add(code)
        elif code in _OFF:
            self._flags.difference_update(_OFF[code])
        elif 30 <= code <= 49 or 90 <= code <= 107:
            self._choose(code, code % 10 if code % 10 < 8 else None)

    def _choose(self, code: int, colour: int | None) -> None:
        if code // 10 in (4, 10):
            self._ground = colour
        else:
            self._text = colour


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


def _line(raw: str, pen: _Pen) -> Line:
    """Return what is left of a line after its overwriting."""
    if ODD.search(raw) is None:
        text = visible(raw.removesuffix("\r"))
        return Line(text, tuple(Highlight(0, len(text.encode()), group) for group in pen.style))
    shown, styles, cursor = "", list[_Style](), 0
    for part in PART.finditer(raw.removesuffix("\r")):
        if text := part["text"]:
            end = cursor + len(text)
            shown = shown[:cursor] + text + shown[end:]
            styles[cursor:end] = [pen.style] * len(text)
            cursor = end
        elif part[0] == "\r":
            cursor = 0
        elif part[0] == "\b":
            cursor = max(cursor - 1, 0)
        elif part["final"] == "m":
            pen.take(part["parameters"])
        elif part["final"] == "K":
            shown = erased(shown, cursor, part["parameters"])
            styles = [*styles[: len(shown)], *[()] * (len(shown) - len(styles))]
    return _styled(shown, styles)


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
