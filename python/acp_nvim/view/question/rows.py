"""Lines of any length as rows of the screen: so it is known, to the row, what can be seen of them.

Only the editor knows how many cells a text takes. `Cells` remembers what it has told, and which
texts it must still be asked for; until then it guesses.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeAlias
from unicodedata import combining, east_asian_width

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.patterns import lazy_pattern
from acp_nvim.view.block import Conceal, Highlight, Line, LineHighlight, Mark, VirtualText
from acp_nvim.view.styled import coloured

TAB = 4
GAP = 1
"""Cells that Neovim leaves between the end of a line and virtual text behind it."""
LATE = 0.6
"""Of a row: a blank behind that is a better place to break it than its end."""
HANG = lazy_pattern(r"(?a)\S+ \d+\. |\s+")
"""What the further rows of a line stand in by: its number, or its blanks."""
ASCII = dict.fromkeys(map(chr, range(0x20, 0x7F)), 1) | {"\t": TAB}
SAMPLE = 200
"""Characters by which a long text is judged."""
KEPT = 2_000
"""Texts that are remembered."""

Cluster: TypeAlias = tuple[str, int]
"""What Neovim draws as one character, and its cells."""
_RANGES = ((0xA1, 0xAD), (0xAE, 0x180), (0x2010, 0x2028), (0x2030, 0x205F), (0x2190, 0x2200))
_SIGNS = ((0x2212, 0x2213), (0x2400, 0x2422), (0x2500, 0x2600), (0x2713, 0x2719), (0x27E8, 0x27EA))
ALONE = "".join(map(chr, chain.from_iterable(range(*it) for it in (*_RANGES, *_SIGNS))))
"""Letters and signs that join no other: one by one they are as wide as together."""


class Cells:
    """How many cells texts take, by the editor's settings."""

    def __init__(self) -> None:
        self.setting = ""
        self.missing: dict[str, None] = {}
        """Texts that were guessed: the editor is to be asked for them."""
        self._alone = ASCII
        self._known: dict[str, tuple[Cluster, ...]] = {}
        self._pieces: dict[tuple[str, int, int], list[str]] = {}
        """Of long texts, what fits into a row each: they are tried in many forms."""

    def use(self, setting: str) -> None:
        """Forget what another setting had made of texts."""
        if setting != self.setting:
            self.setting = setting
            self._alone, self._known = ASCII, {}

    def learn(self, text: str, clusters: Iterable[Cluster]) -> None:
        """Take what the editor says of a text."""
        if text == ALONE:
            single = {each: width for each, width in clusters if len(each) == 1}
            self._alone = ASCII | single
            return
        if len(self._known) >= KEPT:
            self._known.clear()
        self._known[text] = tuple((it, TAB if it[0] == "\t" else width) for it, width in clusters)

    def clusters(self, text: str) -> Sequence[Cluster]:
        """Return what the text is drawn as; a tab has the cells of one in the first column."""
        if found := self._known.get(text):
            return found
        alone = self._alone
        if alone.keys() >= set(text):
            return [(each, alone[each]) for each in text]
        self.missing[text if alone is not ASCII else ALONE] = None
        return [(each, _guess(each)) for each in text]

    def broken(self, text: str, width: int, hang: int) -> list[str]:
        """Return what of a text fits into a row each; the further ones have `hang` cells less."""
        if text.isascii() and text.isprintable():
            return list(_slices(text, width, hang))
        if (found := self._pieces.get((text, width, hang))) is None:
            found = self._pieces[text, width, hang] = list(
                _pieces(self.clusters(text), width, hang)
            )
        return found

    def begin(self) -> None:
        """Forget what was guessed, and how it was broken."""
        self.missing.clear()
        self._pieces.clear()

    def of(self, text: str) -> int:
        """Return how many cells it takes in a row of its own."""
        if text.isascii() and text.isprintable():
            return len(text)
        return sum(width for _, width in self.clusters(text))


def guess(text: str) -> int:
    """Return nearly how many cells a text takes of which little is seen, by its beginning."""
    begun = text[:SAMPLE]
    return len(text) if begun.isascii() else len(text) * sum(map(_guess, begun)) // len(begun)


def _guess(character: str) -> int:
    return 2 if east_asian_width(character) in "WF" else 0 if combining(character) else 1


class Row(Struct, frozen=True):
    """A row of the window: short enough not to be wrapped."""

    text: str
    marks: tuple[Mark, ...] = ()
    item: int = -1
    """The number of what <CR> acts on; -1 for nothing."""
    is_cut: bool = False


def row(text: str, group: str) -> Row:
    """Return a row of ours."""
    return Row(text, coloured(text, group).marks)


class Rows(Struct, frozen=True):
    """Makes rows of a width."""

    cells: Cells
    width: int

    def of(self, lines: Iterable[Line], item: int = -1) -> list[Row]:
        """Return the rows of all lines, of which the first has that number, -1 for none."""
        return [
            row
            for number, line in enumerate(lines)
            for row in self.of_line(line, -1 if item < 0 else item + number)
        ]

    def of_line(self, line: Line, item: int = -1) -> list[Row]:
        """Return the rows of one line, with its marks."""
        text = line.text
        beside = [it for it in line.marks if isinstance(it, VirtualText)]
        is_short = len(text) <= self.width and text.isascii() and text.isprintable()
        if is_short and not beside:  # as most are
            return [Row(text, line.marks, item)]
        before = [it for it in beside if it.position == "inline" and it.column == 0]
        indent = sum(map(self._width, before))
        hang = self._hang(text, self.width - indent)
        rows, first = list[Row](), 0
        for piece in self.cells.broken(text, max(self.width - indent, 1), hang):
            last = first + len(piece.encode())
            marks = [it for it in (_part(mark, first, last) for mark in line.marks) if it]
            blank = VirtualText(0, ((" " * indent, "AcpDim"),))
            marks += before if not rows else [blank for _ in before]
            if rows and hang:
                marks.append(VirtualText(0, ((" " * hang, "AcpFloat"),)))
            rows.append(Row(piece, tuple(marks), item))
            first = last
        for mark in beside:
            if mark not in before:
                self._put_behind(rows, mark, indent + (hang if len(rows) > 1 else 0))
        return rows

    def _put_behind(self, rows: list[Row], mark: VirtualText, before: int) -> None:
        """Put it behind the last row, or into one of its own."""
        taken = before + self.cells.of(rows[-1].text)
        if self._width(mark) + GAP > self.width - taken:
            rows.append(Row("", item=rows[-1].item))
        shown = VirtualText(0, mark.chunks, "eol")
        rows[-1] = replace(rows[-1], marks=(*rows[-1].marks, shown))

    def _width(self, mark: VirtualText) -> int:
        return sum(self.cells.of(text) for text, _ in mark.chunks)

    def _hang(self, text: str, width: int) -> int:
        """Return how far the further rows of a line stand in."""
        head = HANG.match(text)
        taken = self.cells.of(head[0]) if head else 0
        return taken if taken * 3 <= width else 0

    def middle_cut(self, first: str, last: str = "") -> str:
        """Return one text of two ends, or of one, the middle left out where it does not fit."""
        if not last and self.cells.of(first) <= self.width:
            return first
        left = max(math.ceil((self.width - 1) / 2), 1)
        end = self.fitting(last or first, max(self.width - 1 - left, 0), from_end=True)
        return f"{self.fitting(first, left)}…{end}"

    def cut(self, text: str) -> str:
        """Return the text, cut at its end where it does not fit."""
        is_whole = self.cells.of(text) <= self.width
        return text if is_whole else self.fitting(text, max(self.width - 1, 0)) + "…"

    def fitting(self, text: str, width: int, *, from_end: bool = False) -> str:
        """Return the beginning, or the end, that fits."""
        clusters = self.cells.clusters(text)
        used = 0
        for count, (_, cells) in enumerate(reversed(clusters) if from_end else clusters):
            used += cells
            if used > width:
                return _joined(clusters[len(clusters) - count :] if from_end else clusters[:count])
        return text

    def joined(self, first: Row, second: Row) -> Row:
        """Return one row of two of a line: the first cut at its end, what is behind the other."""
        behind = [it for it in second.marks if isinstance(it, VirtualText) and it.position == "eol"]
        room = self.width - 1 - sum(self._width(it) + GAP for it in behind[-1:])
        text = first.text
        if not (first.is_cut or second.text == "") or self.cells.of(text) > room + 1:
            text = self.fitting(text, room) + "…"
        mark = first.marks[0] if first.marks else None
        found = row(text, mark.group if isinstance(mark, Highlight) else "AcpFloat")
        return Row(text, (*found.marks, *behind[-1:]), first.item, is_cut=True)


def _pieces(clusters: Sequence[Cluster], width: int, hang: int) -> Iterator[str]:
    first, used, blank = 0, 0, 0
    for at, (each, cells) in enumerate(clusters):
        more = TAB - used % TAB if each[0] == "\t" else cells
        if used + more > width and at > first:
            stop = blank or at
            yield _joined(clusters[first:stop])
            used = sum(many for _, many in clusters[stop:at])
            width -= 0 if first else hang
            first, blank = stop, 0
        used += more
        if each == " " and used > width * LATE:
            blank = at + 1
    yield _joined(clusters[first:])


def _slices(text: str, width: int, hang: int) -> Iterator[str]:
    """Yield the same of a text with a cell for each character."""
    first = 0
    while len(text) - first > width:
        blank = text.rfind(" ", first + int(width * LATE), first + width) + 1
        yield text[first : (stop := blank or first + width)]
        width -= 0 if first else hang
        first = stop
    yield text[first:]


def _joined(clusters: Sequence[Cluster]) -> str:
    return "".join([each for each, _ in clusters])


def _part(mark: Mark, first: int, last: int) -> Mark | None:
    """Return what of a mark lies in a row of those bytes of the line."""
    if isinstance(mark, LineHighlight):
        return mark
    if not isinstance(mark, Highlight | Conceal) or mark.start >= last or mark.end <= first:
        return None
    return replace(mark, start=max(mark.start - first, 0), end=min(mark.end, last) - first)
