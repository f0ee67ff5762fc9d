"""Server-sent events: bytes into the data of each, however they were cut.

Teaches how little of that format there is: only `data` counts here, and a comment says that the
sender lives. Called by `transport`.
"""

from __future__ import annotations

from acp_nvim.patterns import lazy_pattern

_END = lazy_pattern(rb"\r\n|\n|\r")


class TooLarge(ValueError):
    """An event is larger than is taken in."""


class Events:
    """Collects the bytes of one stream, `most` of one event at most."""

    def __init__(self, most: int) -> None:
        self.comments = 0
        """How many comments there were."""
        self._most = most
        self._line = bytearray()
        self._after_cr = False
        """The last byte was a CR, so a LF is the other half of that line end."""
        self._data = bytearray()
        """Each line with its end."""

    def feed(self, data: bytes) -> list[str]:
        """Return the data of the events that these bytes complete; raises `TooLarge`."""
        if not data:
            return []
        data = data.removeprefix(b"\n") if self._after_cr else data
        self._after_cr = data.endswith(b"\r")
        self._line += data
        events: list[str] = []
        if _END.search(data):
            *lines, rest = _END.split(bytes(self._line))
            self._line = bytearray(rest)
            events = [event for line in lines if (event := self._take(line)) is not None]
        if len(self._line) + len(self._data) > self._most:
            raise TooLarge
        return events

    def _take(self, line: bytes) -> str | None:
        if not line:
            whole, self._data = bytes(self._data[:-1]), bytearray()
            return whole.decode("utf-8", "replace") if whole else None
        name, _, value = line.partition(b":")
        if not name:
            self.comments += 1
        elif name.removeprefix(b"\xef\xbb\xbf") == b"data":
            self._data += value.removeprefix(b" ") + b"\n"
        return None
