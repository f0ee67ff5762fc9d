"""A file's text as three things: bytes on disk, lines in a buffer, a string on the wire.

Pure. The string is exact: it has the line ends of the file, "\\ufeff" for a byte order mark, and a
final line end only if the file has one (C-228, C-232).
"""

from __future__ import annotations

import codecs
import re

from acp_nvim.editor import BufferOptions, LiveBuffer
from acp_nvim.hunks import ConflictRegion, Hunk, apply, merge, reconcile, split_lines

BOM = "\ufeff"
LINE_ENDS = {"unix": "\n", "dos": "\r\n", "mac": "\r"}
SURROGATES = re.compile("[\ud800-\udfff]")
BINARY_PROBE = 8192
"""A NUL in so many first bytes marks a binary file, as in git."""

NEOVIM_NAMES = {
    # big endian where Neovim does not say
    "": "utf-8",
    "ucs-2": "utf-16-be",
    "ucs-2le": "utf-16-le",
    "utf-16": "utf-16-be",
    "ucs-4": "utf-32-be",
    "ucs-4le": "utf-32-le",
    "utf-32": "utf-32-be",
}

UTF_8 = ("utf-8", "strict")
WIDE_MARKS = {
    # the longer first: one begins with the other
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
FALLBACK = "latin-1"
"""What Neovim takes, too, for a file that is no UTF-8: it holds any byte."""


def buffer_text(buffer: LiveBuffer) -> str:
    """Return what the buffer would be on disk; bytes that are no text are lone surrogates."""
    if buffer.empty:
        return ""
    end = LINE_ENDS[buffer.fileformat]
    text = end.join(buffer.lines) + (end if buffer.endofline else "")
    return BOM + text if buffer.bom else text


def buffer_form(content: str, buffer: LiveBuffer) -> tuple[tuple[str, ...], BufferOptions]:
    """Return the lines and the options with which that buffer holds exactly `content`.

    No lines at all empty it: one line that is "" would be a line end.
    """
    bom = content.startswith(BOM) and not buffer.binary
    text = content[1:] if bom else content
    fileformat = "unix" if buffer.binary else _fileformat(text, buffer.fileformat)
    end = LINE_ENDS[fileformat]
    ended = text.endswith(end)
    lines = (text[: -len(end)] if ended else text).split(end)
    encoding = buffer.encoding if fits(content, buffer.encoding) else "utf-8"
    if not content:
        lines = [*buffer.lines] if buffer.empty else []
    return tuple(lines), BufferOptions(fileformat, encoding, bom, ended)


def _fileformat(text: str, now: str) -> str:
    """Return dos if all lines end so, mac if the file is that and still could be, else unix."""
    ends = text.count("\n")
    if ends and text.count("\r\n") == ends:
        return "dos"
    if not ends and (now == "dos" or (now == "mac" and "\r" in text)):
        return now
    return "unix"


def decode(data: bytes, encoding: str = "") -> tuple[str, str]:
    """Return the text and the encoding that it was read with.

    With the encoding of a buffer, bytes that do not fit become lone surrogates, as they are in its
    lines. Without, it is UTF-8 or else Latin-1.
    """
    first = codec(encoding or marked(data))
    for name, errors in ((first, "surrogateescape" if encoding else "strict"), UTF_8):
        try:
            return data.decode(name, errors), name
        except UnicodeDecodeError:
            continue
    return data.decode(FALLBACK), FALLBACK


def encode(content: str, encoding: str) -> bytes:
    """Return the bytes of clean text, in that encoding if it can hold it, else in UTF-8."""
    return content.encode(codec(encoding) if fits(content, encoding) else "utf-8")


def exact(text: str, encoding: str) -> bytes:
    """Return the bytes that `decode` made this text of; UTF-8 if that encoding cannot hold it."""
    for name in (codec(encoding), "utf-8"):
        try:
            return text.encode(name, "surrogateescape")
        except UnicodeError:
            continue
    return text.encode("utf-8", "surrogatepass")


def fits(content: str, encoding: str) -> bool:
    """Return whether the text can be written, and known again, in that encoding of Neovim's."""
    name = codec(encoding)
    try:
        return name == "utf-8" or content.encode(name).decode(name) == content
    except UnicodeError:
        return False


def codec(encoding: str) -> str:
    """Return Python's name of a 'fileencoding'; UTF-8 if it has none."""
    try:
        return codecs.lookup(NEOVIM_NAMES.get(encoding, encoding)).name
    except LookupError:
        return "utf-8"


def marked(data: bytes) -> str:
    """Return the wide encoding that a byte order mark tells, "" if none does; as Neovim finds out.

    The mark stays in the text.
    """
    return next((name for mark, name in WIDE_MARKS.items() if data.startswith(mark)), "")


def is_binary(data: bytes, encoding: str = "") -> bool:
    """Return whether these bytes are no text: a NUL is in them, which wide encodings have."""
    wide = codec(encoding or marked(data)).startswith(("utf-16", "utf-32"))
    return not wide and b"\0" in data[:BINARY_PROBE]


def clean(text: str) -> str:
    """Return the text with U+FFFD for what JSON cannot hold (lone surrogates)."""
    return text if text.isascii() else SURROGATES.sub("\ufffd", text)


def window(text: str, line: int | None, limit: int | None) -> str:
    """Return `limit` lines from the 1-based `line` on: an exact piece of the text (C-227)."""
    if line is None and limit is None:
        return text
    first = max((line or 1) - 1, 0)
    lines = split_lines(text)
    return "".join(lines[first:] if limit is None else lines[first : first + max(limit, 0)])


def merge_lines(*texts: str) -> list[list[str]]:
    """Split the texts for a merge: after line feeds, or in old Mac files after their line ends."""
    if any("\n" in text for text in texts):
        return [split_lines(text) for text in texts]
    return [re.findall("[^\r]*\r|[^\r]+", text) for text in texts]


def merged(base: str, ours: str, theirs: str) -> str | ConflictRegion:
    """Return both sides' edits of the base together, or where they conflict (lines of ours)."""
    old, lines, new = merge_lines(base, ours, theirs)
    outcome = merge(old, lines, new)
    return outcome if isinstance(outcome, ConflictRegion) else "".join(apply(lines, outcome.hunks))


def reconciled(base: str, ours: str, theirs: str) -> tuple[str, tuple[ConflictRegion, ...]]:
    """Return ours with what fits of theirs, and the places where it did not, in what is returned.

    A place is the 0-based lines [first, last), where ours stays, and what theirs has there.
    """
    old, lines, new = merge_lines(base, ours, theirs)
    outcome = reconcile(old, lines, new)
    places: list[ConflictRegion] = []
    for place in outcome.conflicts:
        before = [hunk for hunk in outcome.hunks if hunk.last <= place.first]
        grown = sum(len(hunk.lines) - (hunk.last - hunk.first) for hunk in before)
        places.append(ConflictRegion(place.first + grown, place.last + grown, place.lines))
    return "".join(apply(lines, outcome.hunks)), tuple(places)


def apart(base: str, ours: str, theirs: str) -> tuple[tuple[int, int], ...]:
    """Return the 0-based lines [first, last) of ours that stand against what theirs wants there.

    Where nothing does, those where theirs wants something that ours has not.
    """
    old, lines, new = merge_lines(base, ours, theirs)
    outcome = reconcile(old, lines, new)
    return tuple((place.first, place.last) for place in outcome.conflicts or outcome.hunks)


def with_theirs(base: str, ours: str, theirs: str) -> str:
    """Return ours with all that theirs has changed since the base, also where both did."""
    old, lines, new = merge_lines(base, ours, theirs)
    outcome = reconcile(old, lines, new)
    forced = [Hunk(place.first, place.last, place.lines) for place in outcome.conflicts]
    hunks = sorted((*outcome.hunks, *forced), key=lambda hunk: (hunk.first, hunk.last))
    return "".join(apply(lines, hunks))
