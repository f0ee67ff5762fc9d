"""How the lines of a text end, which is merged apart from them. Pure.

A program may give a file other line ends, or put one behind the last line, or take it away: by
that alone each line would be another one, and all of the user's would stand against it. So lines
are compared as if all of them ended the same, and what comes of them gets the ends of who has
changed these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.hunks import split_lines

T = TypeVar("T")


class LineEnds(Struct, frozen=True):
    """`each`: how all lines end, None where none does; `last`: whether the last one does, None
    where there is no line."""

    each: str | None
    last: bool | None


def merge_lines(*texts: str) -> list[tuple[str, ...]]:
    """Split texts after line feeds, or old Mac files after their line ends."""
    if any("\n" in text for text in texts):
        return [split_lines(text) for text in texts]
    return [tuple(re.findall("[^\r]*\r|[^\r]+", text)) for text in texts]


class Even:
    """Texts, and their `lines` as they are compared: each ended by a line feed.

    If the lines of one text end in different ways, those of all texts are as they are.
    """

    def __init__(self, *texts: str) -> None:
        found = [_ends(text) for text in texts]
        known = [it for it in found if it is not None]
        self._ends = known if len(known) == len(texts) else []
        self.lines = [split_lines(even(it)) for it in texts] if self._ends else merge_lines(*texts)

    def like(self, number: int, lines: Iterable[str]) -> str:
        """Return a text of lines that end as those of the text of that number."""
        return _ended("".join(lines), self._ends[number] if self._ends else None)

    def merged(self, lines: Iterable[str], *, our_last: bool = False) -> str:
        """Return a text of lines that end as in the third text, theirs, where that has other ends
        than the first one, the base, else as in the second one, ours; so does the last one, but
        where that is one of ours which theirs stands against."""
        ends = _merged(*self._ends[:3]) if self._ends else None
        if ends and our_last:
            ends = replace(ends, last=self._ends[1].last)
        return _ended("".join(lines), ends)


def with_ends_of(file: str, text: str) -> str:
    """Return a text of line feeds alone with CRLF, if all lines of the file end so."""
    ours, theirs = _ends(file), _ends(text)
    is_other = ours is not None and theirs is not None and theirs.each == "\n"
    return text.replace("\n", "\r\n") if is_other and ours and ours.each == "\r\n" else text


def _ends(text: str) -> LineEnds | None:
    """Return how its lines end; None: in different ways, or some with a carriage return alone."""
    last = text.endswith("\n") if text else None
    if "\r" not in text:
        return LineEnds("\n" if "\n" in text else None, last)
    count, dos = text.count("\n"), text.count("\r\n")
    if text.count("\r") != dos or (dos and dos != count):
        return None
    return LineEnds("\r\n" if dos else "\n", last)


def even(text: str) -> str:
    """Return the text with each of its lines ended by a line feed."""
    text = text.replace("\r\n", "\n") if "\r" in text else text
    return text if not text or text.endswith("\n") else text + "\n"


def _ended(text: str, ends: LineEnds | None) -> str:
    if ends is None:
        return text
    even = text.removesuffix("\n") if ends.last is False else text
    return even.replace("\n", ends.each) if ends.each else even


def _merged(base: LineEnds, ours: LineEnds, theirs: LineEnds) -> LineEnds:
    def side(base: T | None, ours: T | None, theirs: T | None) -> T | None:
        is_theirs = ours is None or (base is not None and theirs != base)
        return theirs if theirs is not None and is_theirs else ours

    return LineEnds(
        side(base.each, ours.each, theirs.each), side(base.last, ours.last, theirs.last)
    )
