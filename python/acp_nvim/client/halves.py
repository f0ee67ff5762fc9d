"""A character whose halves come in two pieces of a text: the first waits for the second.

Programs whose strings are UTF-16 (JavaScript) cut an emoji in two when they cut a text: one piece
ends with the escape of its high surrogate, the next one begins with that of the low one. Such a
line is changed before it is read, so that no half of a character gets in. Called by `connection`.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from acp_nvim.patterns import lazy_pattern

LONGEST = 1_000_000
"""Characters of a line that is looked at; no piece of a text is so long."""
MOST = 64
"""Texts that wait for the other half of a character."""

_EDGE = lazy_pattern(r'"\\u[dD][c-fC-F]|\\u[dD][89abAB][0-9a-fA-F]{2}"')
_PIECE = lazy_pattern(r'("(text|data)"\s*:\s*")((?:[^"\\]|\\.)*+)(?=")')
_IDS = lazy_pattern(
    r'"(?:sessionUpdate|(?:session|message|terminal|\w*[tT]ool\w*)(?:Id|_id))"\s*:\s*'
    r'("(?:[^"\\]|\\.)*+"|\d+)'
)
"""What tells one text from others; not the number that an agent gives to each piece."""
_LOW = lazy_pattern(r"\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_HIGH = lazy_pattern(r"\\u[dD][89abAB][0-9a-fA-F]{2}")
_LAST = 6
"""Characters of an escape."""

_Key: TypeAlias = tuple[str, ...]


class Halves:
    """What waits on one connection, by the text that it belongs to."""

    def __init__(self) -> None:
        self.held: dict[_Key, str] = {}
        """The first halves; while there are none, only a line with an escape is of interest."""

    def joined(self, line: str) -> str:
        """Return the line, with what waited for it and without what waits for another one."""
        if len(line) > LONGEST or not (self.held or "\\u" in line):
            return line
        if '"sessionUpdate"' not in line or not (self.held or _EDGE.search(line)):
            return line
        ids = sorted(_IDS.findall(line))
        pieces = {"text", "data"} if '_chunk"' in "".join(ids) else {"data"}
        return _PIECE.sub(lambda it: it[1] + self._piece(ids, it, pieces), line)

    def _piece(self, ids: list[str], found: re.Match[str], pieces: set[str]) -> str:
        key, text = (found[2], *ids), found[3]
        if found[2] not in pieces or not text:
            return text
        if (high := self.held.pop(key, None)) is not None:
            text = high + text if _LOW.match(text) else "\\ufffd" + text
        if _ends_with_half(text):
            if len(self.held) >= MOST:
                del self.held[next(iter(self.held))]
            self.held[key], text = text[-_LAST:], text[:-_LAST]
        return text


def _ends_with_half(text: str) -> bool:
    """Tell whether its last escape is that of a high surrogate: not a `u` behind a backslash."""
    if _HIGH.fullmatch(text[-_LAST:]) is None:
        return False
    before = text[:-_LAST]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 0
