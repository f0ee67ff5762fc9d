"""Reads the words of a command line: quotes, variables, substitutions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar, Final

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.shell.tree import Body, Output, Piece, Plain, Unread, Variable, Word

DEEPEST: Final = 40
"""So deep may one thing stand in another."""
_PLAIN = lazy_pattern(r"[^\s\\'\"`$|&;()<>]+")
_QUOTED = lazy_pattern(r"[^\\\"`$]+")
_IN_BRACES = lazy_pattern(r"[^\\'\"`$}]+")
_NAME = lazy_pattern(r"\$(?:\{(\w+|[@*#?$!-])\}|([A-Za-z_]\w*|[@*#?$!0-9-]))")
_ANSI = lazy_pattern(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_ESCAPE = lazy_pattern(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c.|(.))",
    re.DOTALL,
)
_CONTROL: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f"}
_EXTENDED: Final = "@?+*!"


class Words:
    """A place in a text, that goes on as words are read; at a fault it goes to the end."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text = text
        self.end = len(text)
        self.at = 0
        self.depth = depth
        self.fault = ""
        """Why it cannot be read to its end; "" if it can."""

    def body(self, closer: str) -> Body:
        """Read commands up to `closer`, and that; `commands` knows how."""
        raise NotImplementedError

    def fail(self, fault: str) -> None:
        """Read no further."""
        self.fault = self.fault or fault
        self.at = self.end

    def is_next(self, text: str) -> bool:
        """Tell whether that text comes next."""
        return self.text.startswith(text, self.at)

    def word(self) -> Word:
        """Read one word; without pieces if none is here."""
        first, pieces = self.at, list[Piece]()
        while self.at < self.end:
            sign = self.text[self.at]
            read = self._READERS.get(sign)
            if read is not None:
                pieces += read(self)
            elif found := _PLAIN.match(self.text, self.at):
                pieces.append(Plain(found[0]))
                self.at = found.end()
            elif self.is_next("<(") or self.is_next(">("):
                self.at += 2
                pieces.append(Output(self.nested()))
            elif sign == "(" and first < self.at and self.text[self.at - 1] in _EXTENDED:
                self.at += 1
                self.nested()
                pieces.append(Unread())
            else:
                break
        return Word(tuple(pieces), self.text[first : self.at])

    def nested(self) -> Body:
        """Read commands up to the `)` that ends them."""
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail("too deep")
            return ()
        body = self.body(")")
        self.depth -= 1
        return body

    def double(self, closer: str = '"') -> list[Piece]:
        """Read text between double quotes, up to `closer`, and that; "" for the end."""
        pieces = list[Piece]()
        while self.at < self.end:
            sign = self.text[self.at]
            if sign == closer:
                self.at += 1
                return pieces
            if sign in "$`":
                pieces += self._READERS[sign](self)
            elif sign == "\\":
                pieces.append(self._escaped_in_quotes())
            elif found := _QUOTED.match(self.text, self.at):
                pieces.append(Plain(found[0], is_quoted=True))
                self.at = found.end()
            else:
                pieces.append(Plain(sign, is_quoted=True))
                self.at += 1
        if closer:
            self.fail("a quote is not closed")
        return pieces

    def _escaped_in_quotes(self) -> Piece:
        after = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if after == "\n":
            return Plain("", is_quoted=True)
        return Plain(after if after in '$`"\\' else f"\\{after}", is_quoted=True)

    def _quote(self) -> list[Piece]:
        self.at += 1
        return [Plain("", is_quoted=True), *self.double()]

    def _single(self) -> list[Piece]:
        stop = self.text.find("'", self.at + 1)
        if stop < 0:
            self.fail("a quote is not closed")
            return []
        text = self.text[self.at + 1 : stop]
        self.at = stop + 1
        return [Plain(text, is_quoted=True)]

    def _backslash(self) -> list[Piece]:
        after = self.text[self.at + 1 : self.at + 2]
        self.at = min(self.at + 2, self.end)
        return [Plain(after, is_quoted=True)] if after != "\n" else []

    def _backtick(self) -> list[Piece]:
        stop = self.at + 1
        while stop < self.end and self.text[stop] != "`":
            stop += 2 if self.text[stop] == "\\" else 1
        if stop >= self.end:
            self.fail("a backtick is not closed")
            return []
        inner = re.sub(r"\\([$`\\])", r"\1", self.text[self.at + 1 : stop])
        self.at = stop + 1
        within = type(self)(inner, self.depth + 1)
        if within.depth > DEEPEST:
            self.fail("too deep")
            return []
        body = within.body("")
        self.fault = self.fault or within.fault
        return [Output(body)]

    def _dollar(self) -> list[Piece]:
        if found := _NAME.match(self.text, self.at):
            self.at = found.end()
            return [Variable(found[1] or found[2])]
        if self.is_next("$(("):
            return self._arithmetic()
        if self.is_next("$("):
            self.at += 2
            return [Output(self.nested())]
        if self.is_next("${"):
            return self._braced()
        return self._ansi()

    def _ansi(self) -> list[Piece]:
        if found := _ANSI.match(self.text, self.at):
            self.at = found.end()
            return [Plain(_ESCAPE.sub(_unescaped, found[1]), is_quoted=True)]
        self.at += 1
        return [] if self.is_next('"') else [Plain("$", is_quoted=True)]

    def _arithmetic(self) -> list[Piece]:
        """Read `$((…))`; where it is no arithmetic, commands in a shell of their own."""
        self.at += 2
        first = self.at
        body = self.nested()
        is_commands = self.text[first:].startswith("((") or self.text[self.at - 2] != ")"
        return [Output(body) if is_commands else Unread((Output(body),))]

    def _braced(self) -> list[Piece]:
        self.at += 2
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail("too deep")
        within = list[Piece]()
        while self.at < self.end and self.text[self.at] != "}":
            read = self._READERS.get(self.text[self.at])
            if read is not None:
                within += read(self)
            elif found := _IN_BRACES.match(self.text, self.at):
                self.at = found.end()
        if self.at >= self.end:
            self.fail("a brace is not closed")
        self.at = min(self.at + 1, self.end)
        self.depth -= 1
        return [Unread(tuple(within))]

    _READERS: ClassVar[dict[str, Callable[[Words], list[Piece]]]] = {
        "'": _single,
        '"': _quote,
        "\\": _backslash,
        "`": _backtick,
        "$": _dollar,
    }


def _unescaped(found: re.Match[str]) -> str:
    hexadecimal = found[1] or found[2] or found[3]
    if hexadecimal or found[4]:
        code = int(hexadecimal, 16) if hexadecimal else int(found[4], 8)
        return chr(code) if 0 < code < 0x110000 else "\ufffd"
    return _CONTROL.get(found[5], found[5]) if found[5] else "\ufffd"
