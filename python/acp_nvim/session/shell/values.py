"""What words of a command line stand for, as far as that is known before it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.shell.tree import Body, Output, Piece, Plain, Unread, Variable, Word

MOST: Final = 16
"""Texts that one word becomes."""
WORK: Final = 5_000_000
"""Characters that are put together of pieces."""
_MARKS: Final = str.maketrans({"{": "\x01", ",": "\x02", "}": "\x03"})
_BACK: Final = str.maketrans({"\x01": "{", "\x02": ",", "\x03": "}"})
_BRACES = lazy_pattern(r"\x01([^\x01\x03]*\x02[^\x01\x03]*)\x03")


class Values:
    """The variables of a shell; "\\0" stands for what nobody knows."""

    def __init__(self, home: str, cwd: str) -> None:
        self.home = home or _home_of(cwd)
        self.cwd = cwd
        self.known: dict[str, tuple[str, ...]] = {}
        self.work = 0

    def texts(self, word: Word) -> list[tuple[str, bool]]:
        """Return what the word becomes, and whether file names are to be put in for it."""
        found = [""]
        is_pattern = False
        for piece in word.pieces:
            is_plain = isinstance(piece, Plain) and not piece.is_quoted
            is_pattern |= is_plain and any(sign in word.raw for sign in "*?[")
            texts = self._texts(piece, found == [""])
            found = [a + b for a in found for b in texts[:MOST]][:MOST]
            self.work += sum(map(len, found))
            if self.work > WORK:
                return [("\0", False)]
        return [(it.translate(_BACK), is_pattern) for text in found for it in _alternatives(text)]

    def _texts(self, piece: Piece, is_first: bool) -> Sequence[str]:
        match piece:
            case Plain(text, is_quoted):
                return (text,) if is_quoted else (text.translate(_MARKS),)
            case Variable("HOME"):
                return self.known.get("HOME", ("~",)) if is_first else ("\0",)
            case Variable("PWD"):
                return self.known.get("PWD", (self.cwd or "\0",))
            case Variable(name):
                return self.known.get(name, ("\0",))
            case _:
                return ("\0",)

    def outputs(self, word: Word) -> Iterator[Body]:
        """Yield the commands in a word."""
        yield from _outputs(word.pieces)

    def at_home(self, text: str) -> str:
        """Return a path with the user's folder for `~`."""
        if text == "~" or text.startswith("~/"):
            return (self.home or "/~") + text[1:]
        return f"/{text}" if text.startswith("~") else text


def absolute(path: str, cwd: str) -> str:
    """Return a path from `/` on, without `.`, `..` and doubled slashes."""
    parts: list[str] = []
    for part in (path if path.startswith("/") else f"{cwd}/{path}").split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def _outputs(pieces: Sequence[Piece]) -> Iterator[Body]:
    for piece in pieces:
        match piece:
            case Output(body):
                yield body
            case Unread(within):
                yield from _outputs(within)


def _alternatives(text: str) -> list[str]:
    """Return what braces with commas make of a text."""
    found = [text]
    while any(_BRACES.search(it) for it in found) and len(found) < MOST:
        found = [other for it in found for other in _opened(it)]
    return found[:MOST]


def _opened(text: str) -> list[str]:
    found = _BRACES.search(text)
    if found is None:
        return [text]
    return [text[: found.start()] + it + text[found.end() :] for it in found[1].split("\x02")]


def _home_of(cwd: str) -> str:
    found = re.match(r"/(?:home|Users)/[^/]+(?=/|$)|/root(?=/|$)", cwd)
    return found[0] if found else ""
