"""Bytes into lines, however they were cut, in time linear in their number.

A line may be many megabytes (an image) and arrives in pieces of 64 KB, so its parts are collected
and joined once. Called by `transport` and the tutor.
"""

from __future__ import annotations

from collections.abc import Iterable

_BOM = b"\xef\xbb\xbf"


class Framer:
    """Collects the bytes of one stream; a line ends with LF or CRLF, and has no length limit.

    One for which there is not enough memory is let go, and `lost` set.
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.lost = False

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines that these bytes complete, without line ends; blank ones are skipped."""
        head, *rest = data.split(b"\n")
        self._parts.append(head)
        if not rest:
            return []
        try:
            first = b"".join(self._parts)
        except MemoryError:
            self.lost, first = True, b""
        self._parts = [rest.pop()]
        return _clean([first, *rest])

    def close(self) -> list[bytes]:
        """Return what is left: the last line, if the stream ended without a newline."""
        last = b"".join(self._parts)
        self._parts = []
        return _clean([last])


def _clean(lines: Iterable[bytes]) -> list[bytes]:
    bare = (line.removeprefix(_BOM).rstrip(b"\r") for line in lines)
    return [line for line in bare if line and not line.isspace()]
