"""A file's text as three things: bytes on disk, lines in a buffer, a string on the wire.

Pure. The string is exact (`encoding`): it has the line ends of the file, "\\ufeff" for a byte order
mark, and a final line end only if the file has one (C-228, C-232).
"""

from __future__ import annotations

from collections import deque

from msgspec.structs import replace

from acp_nvim.editor import BufferOptions, LiveBuffer
from acp_nvim.files.encoding import MARKS, UTF_8, WIDE, NotRead, codec
from acp_nvim.history.form import Even
from acp_nvim.history.versions import BOM
from acp_nvim.hunks import (
    ConflictRegion,
    Hunk,
    Reconciled,
    apply,
    bare_lines,
    diff,
    join_lines,
    moved,
    reconcile,
)

LINE_ENDS = {"unix": "\n", "dos": "\r\n", "mac": "\r"}
DOS_END = "\x1a"
"""^Z: Neovim keeps one at the end of a file of DOS apart from its lines ('endoffile')."""


def buffer_text(buffer: LiveBuffer) -> str:
    """Return the exact text that the buffer would be on disk."""
    if buffer.empty:
        return _mark(buffer) + BOM if buffer.bom and _has_bom(buffer) else ""
    end, lines = LINE_ENDS[buffer.fileformat], buffer.lines
    if buffer.fileformat == "mac":  # so Neovim has a line feed there
        lines = tuple(line.replace(end, "\n") for line in lines)
    last = (end if buffer.endofline else "") + (DOS_END if buffer.endoffile else "")
    text = join_lines(lines, end, last)
    return _mark(buffer) + (BOM + text if buffer.bom and _has_bom(buffer) else text)


def written_text(buffer: LiveBuffer, lines: tuple[str, ...], now: str) -> str:
    """Return the exact text that it was on disk when the buffer had those lines.

    `now`: what the disk holds. A last line end that the buffer does not have, and the disk has, is
    of 'fixendofline'; one line that is "" is no more than the disk has.
    """
    empty = lines == ("",) and not now
    endofline = buffer.endofline or now.endswith("\n")
    return buffer_text(replace(buffer, lines=lines, empty=empty, endofline=endofline))


def buffer_form(content: str, buffer: LiveBuffer) -> tuple[tuple[str, ...], BufferOptions]:
    """Return the lines and the options with which that buffer holds exactly `content`.

    No lines at all: one line that is "" would be a line end. Raises `NotRead` if it is wide and the
    content is not, or the other way round.
    """
    mark = _mark(buffer) if content else ""
    if (content[:1] in WIDE and content[:1] != mark) or not content.startswith(mark):
        raise NotRead(f"its bytes are not in {buffer.encoding or UTF_8} any more, as Neovim has it")
    text = content.removeprefix(mark)
    bom = text.startswith(BOM) and _has_bom(buffer)
    text = text[1:] if bom else text
    fileformat = "unix" if buffer.binary else _fileformat(text, buffer.fileformat)
    endoffile = fileformat == "dos" and text.endswith(DOS_END) and text != DOS_END
    text = text.removesuffix(DOS_END) if endoffile else text
    end = LINE_ENDS[fileformat]
    ended = text.endswith(end)
    bom = bom if _has_bom(buffer) else buffer.bom
    lines = bare_lines(text, end) or (("",) if content else ())
    return lines, BufferOptions(fileformat, buffer.encoding, bom, ended, endoffile)


def form_edits(content: str, buffer: LiveBuffer) -> tuple[tuple[Hunk, ...], BufferOptions]:
    """Return the hunks and the options that make the buffer hold exactly `content`.

    The one line of an empty buffer is none: it becomes one even if that is "". Raises `NotRead` as
    `buffer_form` does.
    """
    lines, options = buffer_form(content, buffer)
    if not buffer.empty:
        return diff(buffer.lines, lines), options
    return (Hunk(0, 1, lines),) if lines else (), options


def options_of(buffer: LiveBuffer) -> BufferOptions:
    """Return how it is written now."""
    return BufferOptions(
        buffer.fileformat, buffer.encoding, buffer.bom, buffer.endofline, buffer.endoffile
    )


def _mark(buffer: LiveBuffer) -> str:
    return MARKS.get(codec(buffer.encoding), "")


def _has_bom(buffer: LiveBuffer) -> bool:
    """Return whether 'bomb' means anything in its encoding."""
    name = codec(buffer.encoding)
    return not buffer.binary and (name == UTF_8 or name in MARKS)


def _fileformat(text: str, now: str) -> str:
    """Return dos if all lines end so, mac if the file is that and still could be, else unix."""
    text = text.removesuffix(DOS_END)
    ends = text.count("\n")
    if ends and "\r" in text and text.count("\r\n") == ends:
        return "dos"
    if not ends and (now == "dos" or (now == "mac" and "\r" in text)):
        return now
    return "unix"


def window(text: str, line: int | None, limit: int | None) -> str:
    """Return `limit` lines from the 1-based `line` on: an exact piece of the text (C-227)."""
    if line is None and limit is None:
        return text
    rest = _after(text, max((line or 1) - 1, 0))
    return rest if limit is None else rest[: len(rest) - len(_after(rest, max(limit, 0)))]


def _after(text: str, count: int) -> str:
    """Return the text without so many first lines."""
    pieces = text.split("\n", count)
    return pieces[count] if len(pieces) > count else ""


def merged(base: str, ours: str, theirs: str) -> tuple[str, Reconciled]:
    """Return ours with what fits of theirs, and what that was, in the lines of ours."""
    even = Even(base, ours, theirs)
    outcome, lines = reconcile(*even.lines), even.lines[1]
    our_last = any(place.last == len(lines) for place in outcome.conflicts)
    return even.merged(apply(lines, outcome.hunks), our_last=our_last), outcome


def reconciled(base: str, ours: str, theirs: str) -> tuple[str, tuple[ConflictRegion, ...]]:
    """Return ours with what fits of theirs, and the places where it did not, in what is returned.

    A place is the 0-based lines [first, last), where ours stays, and what theirs has there.
    """
    text, outcome = merged(base, ours, theirs)
    places: list[ConflictRegion] = []
    rest, grown = deque(outcome.hunks), 0
    for place in outcome.conflicts:
        while rest and rest[0].last <= place.first:
            hunk = rest.popleft()
            grown += len(hunk.lines) - (hunk.last - hunk.first)
        places.append(ConflictRegion(place.first + grown, place.last + grown, place.lines))
    return text, tuple(places)


def apart(base: str, ours: str, theirs: str) -> tuple[tuple[int, int], ...]:
    """Return the 0-based lines [first, last) of ours that stand against what theirs wants there.

    Where nothing does, those where theirs wants something that ours has not.
    """
    outcome = reconcile(*Even(base, ours, theirs).lines)
    return tuple((place.first, place.last) for place in outcome.conflicts or outcome.hunks)


def with_theirs(base: str, ours: str, theirs: str) -> str:
    """Return ours with all that theirs has changed since the base, also where both did."""
    even = Even(base, ours, theirs)
    hunks, _ = _forced(even)
    return even.merged(apply(even.lines[1], hunks))


def taken(base: str, ours: str, theirs: str, rows: range) -> tuple[range, ...]:
    """Return where `with_theirs` has these rows of ours, and what stood against ours."""
    hunks, places = _forced(Even(base, ours, theirs))
    return tuple(
        moved(each, hunks) for each in (rows, *(range(it.first, it.last) for it in places))
    )


def having(base: str, theirs: str, text: str) -> str:
    """Return the base with those lines of theirs that are in a text already, each in its place."""
    even = Even(base, theirs, text)
    old, new, lines = even.lines
    gone = {row for hunk in diff(new, lines) for row in range(hunk.first, hunk.last)}
    hunks, shift = [], 0
    for hunk in diff(old, new):
        first = hunk.first + shift
        there = tuple(line for row, line in enumerate(hunk.lines, first) if row not in gone)
        is_done = there and there == hunk.lines
        hunks.append(Hunk(hunk.first, hunk.last if is_done else hunk.first, there))
        shift += len(hunk.lines) - (hunk.last - hunk.first)
    return even.like(0, apply(old, hunks))


def _forced(even: Even) -> tuple[list[Hunk], list[Hunk]]:
    """Return the hunks that give the second text all of the third, and those of conflicts; the
    first is the base."""
    outcome = reconcile(*even.lines)
    forced = [Hunk(place.first, place.last, place.lines) for place in outcome.conflicts]
    hunks = sorted((*outcome.hunks, *forced), key=lambda hunk: (hunk.first, hunk.last))
    return hunks, forced
