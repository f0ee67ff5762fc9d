"""The exact text of a file, which is its bytes in another dress, and how it is read.

Pure. An exact text is what the bytes are as UTF-8, with a lone surrogate for each byte that is none
(as Python's `surrogateescape`), whatever encoding the file is in: two files have the same exact
text if they have the same bytes, and a line that nobody has changed has the bytes that it had. Wide
encodings have no lines in their bytes: their text stands behind a mark that names the encoding.
What people and agents read is a reading of it, which is never written as a whole.

An agent gets an exact text decoded by Python; of what it writes only the lines that it has changed
are encoded, and one that does not fit is refused (`Misfit`). A buffer's lines become bytes, and
bytes lines, by Neovim's own iconv (`lua/acp/files/coding.lua`), each way only if the other way
gives the same again: so the two codecs never meet. An unmodified buffer stands for the bytes that
it was read from, also where Neovim has not read them all: as long as these are the same, its lines
are let alone.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache, partial
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from acp_nvim.errors import FileProblem
from acp_nvim.history.versions import BOM
from acp_nvim.hunks import apply, diff, made
from acp_nvim.patterns import lazy_pattern

BINARY_PROBE = 8192
"""A NUL in so many first bytes marks a binary file, as in git."""
MARKS: Final[Mapping[str, str]] = {
    # lone surrogates that no byte becomes
    "utf-16-le": "\udd16",
    "utf-16-be": "\udd17",
    "utf-32-le": "\udd32",
    "utf-32-be": "\udd33",
}
WIDE: Final[Mapping[str, str]] = {mark: name for name, mark in MARKS.items()}
UNCODED = "\udd00"
"""Stands before a line of a buffer that its 'fileencoding' cannot hold: it has no bytes."""
BYTE_ORDER: Final[Mapping[bytes, str]] = {
    # the longer first: one begins with the other
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
NEOVIM_NAMES: Final[Mapping[str, str]] = {
    # big endian where Neovim does not say
    "": "utf-8",
    "ucs-2": "utf-16-be",
    "ucs-2le": "utf-16-le",
    "utf-16": "utf-16-be",
    "ucs-4": "utf-32-be",
    "ucs-4le": "utf-32-le",
    "utf-32": "utf-32-be",
}
STATEFUL = ("iso2022", "hz")
"""Codecs in which a line ends with a way back to ASCII; a last line that nothing ends, without."""
UTF_8, LATIN_1, ASCII = "utf-8", "iso8859-1", "ascii"
NONE_KEPT: Final[Mapping[str, str]] = MappingProxyType({})
SURROGATES = lazy_pattern("[\ud800-\udfff]")
ENDS = lazy_pattern("([\r\n])")
STEP = 262_144
"""Characters that are looked at in one go: a thread that does not give way holds up all."""
HALVES = lazy_pattern("[\U00010000-\U0010ffff]")
"""Characters that ucs-2 has not."""


class Misfit(FileProblem):
    """A text and an encoding do not go together; nothing was changed."""


class NotRead(Misfit):
    """A buffer cannot have these bytes: the message goes on from the name of the file."""


@cache  # asked for each line of a review
def codec(encoding: str) -> str:
    """Return Python's name of a 'fileencoding'; ASCII, of which all are sure, if it has none."""
    plain = encoding.removeprefix("8bit-").removeprefix("2byte-")
    try:
        return codecs.lookup(NEOVIM_NAMES.get(plain, plain)).name
    except LookupError:
        return ASCII


def marked(data: bytes) -> str:
    """Return the wide encoding that a byte order mark tells, "" if none does; as Neovim finds out.

    The mark stays in the text.
    """
    return next((name for mark, name in BYTE_ORDER.items() if data.startswith(mark)), "")


def is_binary(data: bytes, encoding: str = "") -> bool:
    """Return whether these bytes are no text: a NUL is in them, which wide encodings have."""
    is_wide = (codec(encoding) if encoding else marked(data)) in MARKS
    return not is_wide and b"\0" in data[:BINARY_PROBE]


def may_be_wide(data: bytes) -> bool:
    """Return whether a buffer may hold these bytes as text of a wide encoding without a mark.

    A quarter of them are NULs, but hardly one of those that tell characters apart.
    """
    probe = data[:BINARY_PROBE]
    parts = (probe[start::4] for start in range(4))
    return 4 * probe.count(0) >= len(probe) and any(8 * it.count(0) <= len(it) for it in parts)


def exact_text(data: bytes, encoding: str = "") -> str:
    """Return the exact text of a file; `encoding`: that of its buffer, "" without one."""
    name = codec(encoding) if encoding else marked(data)
    return made(data, f"as {name}", partial(_exact, data, name))


def _exact(data: bytes, name: str) -> str:
    if data and name in MARKS and not _is_narrow(data):
        try:
            return MARKS[name] + data.decode(name)
        except UnicodeDecodeError:
            pass
    return data.decode(UTF_8, "surrogateescape")


def _is_narrow(data: bytes) -> bool:
    """Return whether these bytes are text in UTF-8, which a tool may have made of a wide one: that
    has a NUL in each line break, and its mark is no UTF-8."""
    return b"\0" not in data and _is_whole(data.decode(UTF_8, "surrogateescape"))


def exact_bytes(path: str, text: str) -> bytes:
    """Return the bytes that are this exact text. Raises `Misfit` if none are."""
    wide = WIDE.get(text[:1])
    try:
        if wide:
            return text[1:].encode(wide)
        return made(text, "bytes", partial(text.encode, UTF_8, "surrogateescape"))
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start + 1) + 1
        raise Misfit(f"{path} cannot hold line {line} in its encoding") from error


def guess(text: str) -> str:
    """Return the codec of a file of which nobody says it: as Neovim, UTF-8 or else Latin-1."""
    if text[:1] in WIDE:
        return WIDE[text[:1]]
    return UTF_8 if _is_whole(text) else LATIN_1


def decoded(text: str, encoding: str = "") -> str:
    """Return how an exact text is read, line for line; `encoding`: that of its buffer, "" without.

    Bytes that are no character are U+FFFD, in UTF-8 they stay lone surrogates.
    """
    name = codec(encoding) if encoding else guess(text)
    if text.isascii() and _keeps_ascii(name):
        return text
    if text[:1] in WIDE:
        return text[1:]
    if name == UTF_8 or name in MARKS:
        return text.replace(UNCODED, "")
    with suppress(UnicodeError):
        whole = text.encode(UTF_8, "surrogateescape").decode(name)
        if _ends(whole) == _ends(text):
            return whole
    return "".join(_decoded_line(line, name) for line in ENDS.split(text))


def clean(text: str, encoding: str = "utf-8") -> str:
    """Return the same with U+FFFD for what JSON cannot hold (lone surrogates)."""
    read = decoded(text, encoding)
    return read if _is_whole(read) else SURROGATES.sub("\ufffd", read)


def is_misread(read: str, text: str, old: str, encoding: str) -> bool:
    """Return whether some of `read` is how that exact text was read as `old`, and is no more.

    Its file was opened or closed since, or in another encoding.
    """
    if clean(text, old) == clean(text, encoding):
        return False
    then, now = (set(clean(text, it).split("\n")) for it in (old, encoding))
    return not then.isdisjoint(set(read.split("\n")) - now)


def encoded(path: str, content: str, old: str, encoding: str = "", *, sure: bool = True) -> str:
    """Return the exact text of `content`, for the file that holds the exact text `old`.

    Only lines that are not as `clean` shows those of `old` are encoded. Raises `Misfit` if one
    cannot be; or, if it need not be `sure`, leaves it `UNCODED`.
    """
    name = codec(encoding) if encoding else guess(old)
    if name in MARKS:
        is_other = bool(old) and old[:1] not in WIDE
        return (
            _kept(path, content, old, encoding)
            if is_other
            else _encoded_wide(path, content, old, encoding)
        )
    if name == UTF_8 and _is_whole(old):
        return content
    end = "\n" if "\n" in old or "\n" in content else "\r"
    lines, seen, new = (it.split(end) for it in (old, clean(old, encoding), content))
    kept = _bare(zip(seen, lines, strict=True))
    exact = ((it, tuple(encoded_line(to, name, kept) for to in it.lines)) for it in diff(seen, new))
    made = apply(lines, [replace(hunk, lines=to) for hunk, to in exact])
    if sure:
        _check_held(path, encoding, zip(new, made, strict=True), kept)
        _check_end(path, name, made[-1], (lines[-1], new[-1]))
    return end.join(made)


def _check_held(
    path: str, encoding: str, made: Iterable[tuple[str, str]], kept: Mapping[str, str]
) -> None:
    """Raise `Misfit` for a line that has no bytes, and is not as it was."""
    for row, (read, line) in enumerate(made, 1):
        if line.startswith(UNCODED) and read.removesuffix("\r") not in kept:
            name = codec(encoding) if encoding else LATIN_1
            raise _misfit(path, encoding, name, read, row)


def _kept(path: str, content: str, old: str, encoding: str) -> str:
    """Return the old text, of bytes that are none of its encoding, if that is the content."""
    if content != clean(old, encoding):
        raise Misfit(f"{path} holds bytes that are not {encoding}: it cannot be changed so")
    return old


def _check_end(path: str, name: str, last: str, wholes: tuple[str, ...]) -> None:
    """Raise `Misfit` if nothing ends an encoded last line that needs it to be whole."""
    if name.startswith(STATEFUL) and last not in wholes:
        raise Misfit(
            f"{path} is {name}: its last line needs a line break, without which Neovim does not "
            "write it whole: nothing was written"
        )


def encoded_line(line: str, name: str, kept: Mapping[str, str] = NONE_KEPT) -> str:
    """Return the exact text of a line in that codec, `UNCODED` if it has none.

    `kept`: exact texts that are to be preferred, by what is read there.
    """
    bare = line.removesuffix("\r")
    if bare in kept:
        return kept[bare] + line[len(bare) :]
    if name == UTF_8:
        return line
    with suppress(UnicodeError):
        data = line.encode(name)
        if data.decode(name) == line and b"\n" not in data:
            return data.decode(UTF_8, "surrogateescape")
    return UNCODED + line


def _bare(lines: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the lines that are read as others, without the end of a line of DOS."""
    return {
        one.removesuffix("\r"): other.removesuffix("\r") for one, other in lines if one != other
    }


def _encoded_wide(path: str, content: str, old: str, encoding: str) -> str:
    name = codec(encoding) if encoding else guess(old)
    found = HALVES.search(content) if encoding.startswith("ucs-2") else None
    if found:
        line = content.count("\n", 0, found.start()) + 1
        raise _misfit(path, encoding, name, found[0], line)
    # without a buffer it is the byte order mark that says what the bytes are: now, or later
    is_bare = (not encoding or old[1:2] == BOM) and not content.startswith(BOM)
    return MARKS[name] + (BOM + content if is_bare else content) if content else ""


def _misfit(path: str, encoding: str, name: str, read: str, line: int) -> Misfit:
    character = next((it for it in read if not _holds(name, it)), read[:1])
    said = encoding or "not UTF-8, so that it counts as Latin-1"
    return Misfit(
        f"{path} is {said}, and cannot hold {character!r} (line {line}): nothing was written; "
        "convert it to UTF-8 first, or leave that character out"
    )


def _holds(name: str, character: str) -> bool:
    try:
        return name not in MARKS and character.encode(name).decode(name) == character
    except UnicodeError:
        return False


def _decoded_line(line: str, name: str) -> str:
    if line.startswith(UNCODED):
        return line[1:]
    read = line.encode(UTF_8, "surrogateescape").decode(name, "replace")
    return read if _ends(read) == _ends(line) else line


def _ends(text: str) -> tuple[int, int]:
    """Return how many line ends of each kind there are."""
    return text.count("\n"), text.count("\r")


@cache
def _keeps_ascii(name: str) -> bool:
    """Return whether ASCII is nothing but itself in that codec; else other characters are it."""
    for character in "éжあ한":
        with suppress(UnicodeError):
            if character.encode(name).isascii():
                return name in MARKS
    return True


def _is_whole(text: str) -> bool:
    """Return whether all of its bytes are UTF-8."""
    if text.isascii():
        return True
    try:
        for at in range(0, len(text), STEP):
            text[at : at + STEP].encode(UTF_8)
    except UnicodeEncodeError:
        return False
    return True
