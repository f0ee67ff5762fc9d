"""Encodings that files of a plan are in: one odd character each, which stands in their lines.

What the model holds against each other are bytes, as UTF-8 with a lone surrogate for each that is
none; Python's codecs say what they are, for of these characters Neovim's say the same.
"""

from __future__ import annotations

from msgspec import Struct


class Coding(Struct, frozen=True):
    """A 'fileencoding', Python's name of it, and the odd character."""

    encoding: str
    codec: str
    odd: str

    @property
    def exact(self) -> str:
        """The odd character's bytes."""
        return as_text(self.odd.encode(self.codec))

    def reading(self, *, is_open: bool) -> str:
        """Return how an agent reads it: a file that is not open counts as Latin-1."""
        return self.odd if is_open else self.odd.encode(self.codec).decode("latin-1")


CODINGS = (
    Coding("latin1", "latin-1", "é"),
    Coding("cp1251", "cp1251", "ж"),
    Coding("koi8-r", "koi8-r", "Я"),
    Coding("cp932", "cp932", "ソ"),  # its second byte is a backslash
    Coding("euc-kr", "euc-kr", "한"),
    Coding("big5", "big5", "功"),
    Coding("cp950", "cp950", "蓋"),
    Coding("macintosh", "mac-roman", "œ"),
    Coding("gb18030", "gb18030", "中"),
)


def as_text(data: bytes) -> str:
    """Return the bytes as text."""
    return data.decode("utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    """Return what that text stands for."""
    return text.encode("utf-8", "surrogateescape")


def of_buffer(lines: list[str], encoding: str) -> list[str]:
    """Return the bytes of a buffer's lines."""
    codec = next((it.codec for it in CODINGS if it.encoding == encoding), "")
    return [as_text(line.encode(codec)) for line in lines] if codec else lines
