"""JSON of many megabytes, read and written in steps: in a thread others have the interpreter.

`json.loads` keeps it for as long as it takes: a second for 50 MB, in which nothing is drawn and
nothing is answered. This one is slower, and never keeps it for more than a few milliseconds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from json.scanner import py_make_scanner  # type: ignore[attr-defined]  # what json uses without C
from typing import Any

from acp_nvim.patterns import lazy_pattern
from acp_nvim.wire.message import dump_json, finite, whole

STEP = 262_144
"""Bytes or characters that are looked at in one go."""
MOST_VALUES = 1_000_000
"""Values of one message: an empty list is three characters, and an object of 56 bytes."""

_PIECE = lazy_pattern(
    r"(?:[^\"\\\x00-\x1f]{1,4096}+"
    r"|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^u])"
    r"{1,256}+"
)
_SURROGATE = lazy_pattern("[\ud800-\udfff]")


def decode(line: bytes) -> str:
    """Return the text of the line; invalid UTF-8 becomes U+FFFD."""
    return "".join(_decoded(line.removeprefix(b"\xef\xbb\xbf")))


def load(text: str) -> Any:
    """Return the value; lone surrogates become U+FFFD. Raises as `json.loads` does, and of too many
    values what that does of too deep ones."""
    value, end = _Decoder().raw_decode(text, len(text) - len(text.lstrip(" \t\r\n")))
    if text[end:].strip(" \t\r\n"):
        raise json.JSONDecodeError("Extra data", text, end)
    return value


def pieces(value: Any) -> Iterator[str]:
    """Yield the value as JSON; long strings in it are written in steps."""
    match value:
        case str() if len(value) > STEP:
            yield '"'
            for at in range(0, len(value), STEP):
                yield dump_json(value[at : at + STEP])[1:-1]
            yield '"'
        case dict():
            for number, (key, inner) in enumerate(value.items()):
                yield f"{',' if number else '{'}{dump_json(str(key))}:"
                yield from pieces(inner)
            yield "}" if value else "{}"
        case _:
            yield dump_json(value)


class _Decoder(json.JSONDecoder):
    def __init__(self) -> None:
        super().__init__(
            object_pairs_hook=_object,
            parse_float=finite,
            parse_int=whole,
            parse_constant=finite,
            strict=False,
        )
        self._left = MOST_VALUES
        self.parse_string: Callable[..., tuple[str, int]] = self._counted(_string)
        for name in ("parse_object", "parse_array", "parse_float", "parse_int"):
            setattr(self, name, self._counted(getattr(self, name)))
        self.scan_once = py_make_scanner(self)

    def _counted(self, parse: Callable[..., Any]) -> Callable[..., Any]:
        def parsed(*arguments: Any) -> Any:
            self._left -= 1
            if self._left < 0:
                raise RecursionError("too many values")
            return parse(*arguments)

        return parsed


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {_whole(key): value for key, value in pairs}


def _string(text: str, at: int, strict: bool = True) -> tuple[str, int]:
    """Return the string whose opening quote is before `at`, and where it has ended."""
    found = _PIECE.match(text, at)
    if found is None or text.startswith('"', found.end()):
        value, end = scanstring(text, at, strict)
        return _whole(value), end
    pieces: list[str] = []
    while found is not None:
        pieces.append(scanstring(found[0] + '"', 0, strict)[0])
        at = found.end()
        found = _PIECE.match(text, at)
    rest, end = scanstring(text, at, strict)
    return _whole("".join((*pieces, rest))), end


def _whole(text: str) -> str:
    """Return the text without halves of characters, which would break every encoder further on."""
    if text.isascii():
        return text
    parts = (text[at : at + STEP] for at in range(0, len(text), STEP))
    return "".join(_SURROGATE.sub("\ufffd", part) for part in parts)


def _decoded(line: bytes) -> Iterator[str]:
    at = 0
    while at < len(line):
        end = at + STEP
        while at + STEP - 4 < end < len(line) and line[end] & 0xC0 == 0x80:
            end -= 1  # not within a character
        yield line[at:end].decode("utf-8", "replace")
        at = end
