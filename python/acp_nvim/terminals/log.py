"""The output of one terminal, kept within a number of bytes, as the agent reads it.

The beginning is dropped first, never half a character (C-201 to C-203, C-217). Pure.
"""

from __future__ import annotations

import codecs
from collections import deque
from typing import Final

from acp_nvim.session.plain_text import collapsed, plain

LINE = 8_192
"""Characters from which a line that does not end is made shorter where it overwrites itself."""
CHUNK = 4_096
"""Bytes up to which lines are put together: each alone takes as much again."""


class TerminalLog:
    """Takes bytes as they come, gives plain text of at most `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self.limit: Final = limit
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._chunks: deque[bytes] = deque()
        """Lines that are done, as plain text, some of them in one."""
        self.size = 0
        """Bytes of these."""
        self._line = ""
        """The line that is being written, as it came."""
        self._truncated = False

    def feed(self, data: bytes, *, final: bool = False) -> str:
        """Take output, and return it as text; `final`: no more will come."""
        text = self._decoder.decode(data, final)
        done, newline, rest = text.rpartition("\n")
        if newline:
            self._keep(plain(self._line + done + newline).encode("utf-8", "replace"))
            self._line = rest
        else:
            self._line += rest
        if len(self._line) > LINE:
            self._line = collapsed(self._line)
            if len(self._line) > 2 * max(self.limit, LINE):
                self._line = self._line[-max(self.limit, LINE) :]
                self._truncated = True
        return text

    def text(self) -> tuple[str, bool]:
        """Return the end of the output within the limit, and whether anything was ever dropped."""
        whole = b"".join(self._chunks) + plain(self._line).encode("utf-8", "replace")
        if len(whole) > self.limit:
            self._truncated = True
            whole = _end(whole, self.limit)
        return whole.decode("utf-8"), self._truncated

    def _keep(self, lines: bytes) -> None:
        if self._chunks and len(self._chunks[-1]) < CHUNK:
            self._chunks[-1] += lines
        else:
            self._chunks.append(lines)
        self.size += len(lines)
        while self._chunks and self.size - len(self._chunks[0]) >= self.limit:
            dropped = len(self._chunks.popleft())
            self.size -= dropped
            self._truncated = self._truncated or dropped > 0
        self._truncated = self._truncated or self.size > self.limit


def _end(data: bytes, limit: int) -> bytes:
    """Return the last bytes of UTF-8, from the start of a character."""
    start = len(data) - limit
    while start < len(data) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:]
