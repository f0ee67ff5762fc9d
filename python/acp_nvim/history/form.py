"""A text as lines, and how it is written: its mark, its line ends, whether the last line has one.

How a file is written is the file's, not a line's: each part is a setting like "line ends: LF",
which has a story as lines do. Where the ends are mixed, lines that end otherwise carry their own.

Texts are compared and merged so, too: a program may give a file other line ends, or put one behind
the last line, and by that alone each line would be another one, against all of the user's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from acp_nvim.history.line import FILE, Runs
from acp_nvim.hunks import bare_lines
from acp_nvim.patterns import lazy_pattern

MARK: Final = lazy_pattern("[\udd10-\udd3f]?\ufeff?")
"""That of a wide encoding, and that of the order of bytes; see `files.encoding`."""
ENDS: Final = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}
NAMES: Final = {name: end for end, name in ENDS.items()}
BOM, LINE_ENDS, LAST = KINDS = "byte-order mark: ", "line ends: ", "last line: "
OPEN, ENDED = "no end", "ended"


class Written(Struct, frozen=True):
    """A text as lines without their ends, `FILE` before them, and the settings that it shows."""

    lines: Sequence[str]
    settings: tuple[str, ...] = ()


def marked(text: str | None) -> tuple[str, str | None]:
    """Return what stands before the first line of an exact text, and the rest.

    What is nothing but that is a line.
    """
    found = MARK.match(text) if text and not text.isascii() else None
    at = found.end() if found else 0
    return (text[:at], text[at:]) if text and at < len(text) else ("", text)


def parsed(text: str | None, end: str = "") -> Written:
    """Return a text as lines; `end`: how those of the file end, for where they are mixed."""
    if text is None:
        return Written([])
    bare = _bare(text, end)
    return Written([FILE, *bare.lines], bare.settings)


def _bare(text: str, end: str, *, has_feeds: bool = False) -> Written:
    """Return the same without `FILE`; `has_feeds`: in one that it is compared with lines end in
    line feeds, so that a carriage return alone ends none."""
    if not text:
        return Written(())
    mark, rest = marked(text)
    body = rest or ""
    feeds, both = body.count("\n"), body.count("\r\n") if "\r" in body else 0
    if not feeds:
        end = "\r" if "\r" in body and not has_feeds else ""
    elif both in (0, feeds):
        end = "\r\n" if both else "\n"
    elif end not in ("\n", "\r\n"):
        end = "\r\n" if 2 * both > feeds else "\n"
    is_ended = bool(end) and body.endswith("\n" if feeds else end)
    lines = _split(body, end, is_mixed=0 < both < feeds)
    settings = [BOM + mark, LAST + (ENDED if is_ended else OPEN)]
    settings += [LINE_ENDS + ENDS[end]] if end else []
    return Written(lines, tuple(settings))


def _split(text: str, end: str, *, is_mixed: bool) -> tuple[str, ...]:
    if not end:
        return (text,)
    if not is_mixed:
        return bare_lines(text, end)
    *lines, last = text.split("\n")
    return (*all_bare([f"{line}\n" for line in lines], end), *([last] if last else []))


class Even:
    """Texts, and their `lines` as they are compared, whatever their line ends and marks are."""

    def __init__(self, *texts: str) -> None:
        self._written: list[Written] = []
        has_feeds = any("\n" in text for text in texts)
        for text in texts:
            end = end_of(self._written[0].settings) if self._written else ""
            self._written.append(_bare(text, end, has_feeds=has_feeds))
        self.lines = [it.lines for it in self._written]

    def like(self, number: int, lines: Sequence[str]) -> str:
        """Return a text of lines that is written as the text of that number."""
        return text_of(lines, self._written[number].settings)

    def merged(self, lines: Sequence[str], *, our_last: bool = False) -> str:
        """Return a text of lines that is written as the third text, theirs, where that has other
        settings than the first one, the base, else as the second one, ours; `our_last`: the last
        line, which theirs stands against, ends as in ours."""
        base, ours, theirs = ({kind(it): it for it in each.settings} for each in self._written[:3])
        found = dict(ours)
        for of, setting in theirs.items():
            is_new = of not in ours or (of in base and setting != base[of])
            if is_new and not (our_last and of == LAST):
                found[of] = setting
        return text_of(lines, tuple(found.values()))


def same_lines(one: str, other: str) -> bool:
    """Tell whether two texts have the same lines, however they end."""
    lines, others = Even(one, other).lines
    return lines == others


def with_ends_of(file: str, text: str) -> str:
    """Return a text of line feeds alone with CRLF, if all lines of the file end so."""
    count = file.count("\r\n")
    is_dos = count and count == file.count("\n") == file.count("\r")
    return text.replace("\n", "\r\n") if is_dos and "\r" not in text else text


def in_force(form: Runs) -> tuple[str, ...]:
    """Return the settings that count: of each kind the last one that is there, else the first."""
    found = {kind(run.texts[0]): run.texts[0] for run in reversed(form)}
    found |= {kind(run.texts[0]): run.texts[0] for run in form if run.story.alive}
    return tuple(found.values())


def all_bare(lines: Sequence[str], end: str) -> Sequence[str]:
    """Return lines without the ends that they carry themselves, see `bare`."""
    return [bare(line, end) for line in lines] if "\n" in "".join(lines) else lines


def bare(line: str, end: str) -> str:
    """Return a line without the end that it carries itself, if that is how the file's lines end."""
    if not line.endswith("\n"):
        return line
    own = "\r\n" if line.endswith("\r\n") else "\n"
    return line[: -len(own)] if own == end else line


def joined(lines: Sequence[str], settings: Sequence[str]) -> list[str]:
    """Return the lines, without `FILE`, as they are written with these settings."""
    end, mark, is_ended = end_of(settings), _value(settings, BOM), LAST + OPEN not in settings
    last = len(lines) - 1
    written = [
        line if line.endswith("\n") else line + (end if at < last or is_ended else "")
        for at, line in enumerate(lines)
    ]
    if written and mark:
        written[0] = mark + written[0]
    return written


def text_of(lines: Sequence[str], settings: Sequence[str]) -> str:
    """Return the same as one text."""
    end = end_of(settings)
    text = end.join(lines)
    if not lines or text.count("\n") != (len(lines) - 1) * end.count("\n"):
        return "".join(joined(lines, settings))  # some lines carry their own end
    return _value(settings, BOM) + text + ("" if LAST + OPEN in settings else end)


def end_of(settings: Sequence[str]) -> str:
    """Return how lines end."""
    return NAMES.get(_value(settings, LINE_ENDS), "\n")


def kind(setting: str) -> str:
    """Return what it is a setting of. Raises `ValueError` if of nothing."""
    for it in KINDS:
        if setting.startswith(it):
            return it
    raise ValueError(setting)


def shown(before: str, after: str) -> str:
    """Return in words how a setting was changed."""
    of = kind(after)
    sides = (_name(it.removeprefix(of)) for it in (before, after))
    return of + " → ".join(sides)


def _name(value: str) -> str:
    if value.isascii() and value:
        return value
    return "yes" if "\ufeff" in value else "wide" if value else "none"


def _value(settings: Sequence[str], of: str) -> str:
    found: Iterator[str] = (it for it in reversed(settings) if it.startswith(of))
    return next(found, of).removeprefix(of)
