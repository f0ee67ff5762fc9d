"""Bytes into lines, however they were cut, in time linear in their number.

A line may be many megabytes (an image) and arrives in pieces of 64 KB, or of a byte: so it is
collected in one buffer that grows. Called by `transport` and the tutor.
"""

from __future__ import annotations

from collections.abc import Iterable

BEGINNING = 1_000
"""Bytes that are kept of a line that is too long."""
_BOM = b"\xef\xbb\xbf"


class Cut(bytes):
    """The beginning of a line that is longer than is taken; the rest of it is dropped."""


class Framer:
    """Collects the bytes of one stream, `most` of one line at most; a line ends with LF or CRLF.

    One for which there is not enough memory is let go, and `lost` set.
    """

    def __init__(self, most: float = float("inf")) -> None:
        self._most = most
        self._begun = bytearray()
        self._is_cut = False
        self.lost = False

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines that these bytes complete, without line ends; blank ones are skipped."""
        head, *rest = data.split(b"\n")
        self._collect(head)
        if not rest:
            return []
        try:
            first = self._line()
        except MemoryError:
            self.lost, first = True, []
            self._begun, self._is_cut = bytearray(), False
        self._collect(rest.pop())
        return [*first, *_clean(rest)]

    def close(self) -> list[bytes]:
        """Return what is left: the last line, if the stream ended without a newline."""
        return self._line()

    def _collect(self, part: bytes) -> None:
        if self._is_cut:
            return
        is_too_long = len(self._begun) + len(part) > self._most
        try:
            self._begun += part[:BEGINNING] if is_too_long else part
        except MemoryError:  # the rest of it is dropped, as of one that is too long
            is_too_long = True
        if is_too_long:
            self._begun, self._is_cut = self._begun[:BEGINNING], True

    def _line(self) -> list[bytes]:
        line = bytes(self._begun)
        lines: list[bytes] = [Cut(line)] if self._is_cut else _clean([line])
        self._begun, self._is_cut = bytearray(), False
        return lines


def _clean(lines: Iterable[bytes]) -> list[bytes]:
    return [
        bare
        for line in lines
        if (bare := line.removeprefix(_BOM).rstrip(b"\r")) and not bare.isspace()
    ]
