"""Lines of a file with their history, and a text as such lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, TypeAlias

from acp_nvim import hunks

NOBODY: Final = 0
"""Where a delta is named: the user, or whoever wrote before any agent did."""
FILE: Final = "\0file"
"""Stands before the first line of a file that exists, so that its coming and going is a line's."""

MARK: Final = re.compile("[\udd10-\udd3f]?\ufeff?")
"""That of a wide encoding, and that of the order of bytes; see `files.encoding`."""


@dataclass(frozen=True, slots=True)
class Span:
    """Neighbouring lines that share one history; `lines` with their ends."""

    lines: tuple[str, ...]
    born: int = NOBODY
    """The delta that put them in."""
    died: int | None = None
    """The delta that took them out; None while they are there."""
    kept_birth: bool = False
    """The user has said that they may be there."""
    kept_death: bool = False
    """The user has said that they may be gone."""
    undone: int | None = None
    """The undo that has brought them back; of such as a rejection has `passed` by, that."""
    was: int | None = None
    """The delta that had taken them out before: should the user take them out again, it is that
    deed's doing again. Of lines that are gone, and `reverted`, the one that had put them in; of
    such as have come and gone where the user has rejected both, the one that had taken them out."""
    since: int | None = None
    """The delta up to which an undo of what took them out is none: the user has brought that about
    again since."""
    has_mark: bool = False
    """They have a mark that is the file's: it stands before the first line, whichever that is."""

    @property
    def alive(self) -> bool:
        """Whether they are in the text now."""
        return self.died is None

    @property
    def reverted(self) -> bool:
        """Whether the user has taken back the write that had put them in, as a whole."""
        return self.born != NOBODY and self.was == self.born

    def dead(self, delta: int, *, kept: bool = False) -> Span:
        """Return them as that delta takes them out."""
        return replace(self, died=delta, kept_death=kept, undone=None, was=None, since=None)

    def gone_again(self) -> Span:
        """Return them as they were before they were `returned`, or an undo brought them back."""
        return replace(self, died=self.was, undone=None, was=None, since=self.undone or self.since)

    def passed(self, delta: int) -> Span:
        """Return lines that are gone as that rejection passes by them: with what was there before
        they had come, what took them out is no more."""
        return replace(self, died=delta, undone=delta, was=self.died, since=None)

    @property
    def is_passed(self) -> bool:
        """Whether they are as a rejection has `passed` by them."""
        return self.died is not None and self.died == self.undone

    def met_again(self) -> Span:
        """Return them as they were before they were `passed`."""
        return replace(self, died=self.was, undone=None, was=None)

    def returned(self) -> Span:
        """Return them as the user has brought them back: what took them out is not forgotten."""
        return replace(self, died=None, undone=None, was=self.died or self.was)

    def back(self) -> Span:
        """Return them as they are in the text again, as if they had never been taken out."""
        return replace(self, died=None, kept_death=False, undone=None, was=None, since=None)


Weave: TypeAlias = tuple[Span, ...]
"""All lines that are or were in the file, in their order."""


def marked(text: str | None) -> tuple[str, str | None]:
    """Return what stands before the first line of an exact text, and the rest.

    What is nothing but that is a line.
    """
    found = MARK.match(text) if text and not text.isascii() else None
    at = found.end() if found else 0
    return (text[:at], text[at:]) if text and at < len(text) else ("", text)


def lines_of(text: str | None) -> tuple[str, ...]:
    """Return what a text is in a weave: nothing for no file, else `FILE` and its lines."""
    return () if text is None else (FILE, *split_lines(text))


def split_lines(text: str) -> tuple[str, ...]:
    """Split after each line end, which stays on; a lone CR ends a line where there is no LF."""
    end = "\n" if "\n" in text or "\r" not in text else "\r"
    return tuple(hunks.split_lines(text, end))


def alive_lines(weave: Weave, *, closed: bool = True) -> list[str]:
    """Return the lines of the text as it is now, `FILE` among them.

    What was a last line without an end, and stands above others now, has one in this text, as lines
    have that are or were there: only here, so that it is again as it was when those are gone. Not
    if they are not to be `closed`.
    """
    lines: list[str] = []
    marks: list[int] = []
    end = ""
    for span in weave:
        if span.alive:
            if closed and lines and is_open(lines[-1]):
                end = end or usual_end(weave)
                lines[-1] += end
            if span.has_mark:
                marks += range(len(lines), len(lines) + len(span.lines))
            lines += span.lines
    return _with_mark_first(lines, marks) if marks else lines


def _with_mark_first(lines: list[str], marks: Iterable[int]) -> list[str]:
    """Return the lines with the mark that those of these numbers have before the first one."""
    found = ""
    for at in marks:
        mark, rest = marked(lines[at])
        lines[at] = rest or ""
        found = found or mark
    if not marked(lines[1])[0]:
        lines[1] = found + lines[1]
    return lines


def usual_end(weave: Weave) -> str:
    """Return how a line without an end has one as soon as another comes below it: as those that are
    there, else as those that went last."""
    there = (line for span in weave if span.alive for line in span.lines)
    ended = next((line for line in there if line != FILE and not is_open(line)), None)
    if ended is not None:
        return end_of((ended,))
    gone = sorted((it for it in weave if not it.alive), key=lambda it: it.died or 0, reverse=True)
    return end_of(line for span in gone for line in span.lines)


def text_of(weave: Weave) -> str | None:
    """Return the text as it is now; None if there is no file."""
    lines = alive_lines(weave)
    return "".join(lines[1:]) if lines else None


def exploded(span: Span) -> Iterator[Span]:
    """Yield its lines one by one."""
    if len(span.lines) == 1:
        yield span
    else:
        yield from (replace(span, lines=(line,)) for line in span.lines)


def packed(spans: Iterable[Span]) -> Weave:
    """Join neighbours that share one history."""
    weave: list[Span] = []
    run: list[str] = []
    for span in spans:
        if not span.lines:
            continue
        last = run or (weave[-1].lines if weave else ())
        if weave and _history(weave[-1]) == _history(span) and not (last and is_open(last[-1])):
            run += span.lines
            continue
        if weave and run:
            weave[-1] = replace(weave[-1], lines=(*weave[-1].lines, *run))
        weave.append(span)
        run = []
    if weave and run:
        weave[-1] = replace(weave[-1], lines=(*weave[-1].lines, *run))
    return tuple(weave)


def remembered(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans without what only the user knew and took out. But where that has its place
    among others that are gone, `u` brings it back to there."""
    run: list[Span] = []
    for span in chain(spans, (None,)):
        if span is not None and not span.alive:
            run.append(span)
            continue
        is_among = any(not _is_forgotten(it) and it.lines != (FILE,) for it in run)
        yield from (it for it in run if not _is_forgotten(it) or (is_among and _has_place(it)))
        run = []
        if span is not None:
            yield span


def _has_place(span: Span) -> bool:
    """Tell whether nothing has come in the place of these lines when the user took them out."""
    return span.kept_death and span.lines != (FILE,)


def _is_forgotten(span: Span) -> bool:
    return not span.lines or (span.born == NOBODY and span.died == NOBODY)


def file_apart(spans: Iterable[Span]) -> list[Span]:
    """Return the spans with `FILE` as the first, as it is there or was there last.

    Others are gone, the last first: where a file has been taken away and made anew, each can be
    taken back. Of two that are there the one counts that was there before any agent.
    """
    files: list[Span] = []
    others: list[Span] = []
    for span in spans:
        if span.lines[:1] != (FILE,):
            others.append(span)
            continue
        files.append(replace(span, lines=(FILE,)))
        others.append(replace(span, lines=span.lines[1:]))
    there = sorted((it for it in files if it.alive), key=lambda it: it.born)[:1]
    gone = sorted({it for it in files if not it.alive}, key=lambda it: it.died or 0, reverse=True)
    return [*there, *gone, *(span for span in others if span.lines)]


def with_file(spans: Iterable[Span], back: Callable[[Span], Span] = Span.back) -> Weave:
    """Return the weave with `FILE` in its text if any line is: lines need a file to be in.

    `back` says how it comes back where it was gone.
    """
    apart = file_apart(spans)
    if not any(span.alive for span in apart):
        return packed(apart)
    if not apart or apart[0].lines != (FILE,):
        apart.insert(0, Span((FILE,), died=NOBODY))
    if not apart[0].alive:
        apart[0] = back(apart[0])
    return packed(apart)


def is_open(line: str) -> bool:
    """Tell whether the line has no end; `FILE` has none and needs none."""
    return line != FILE and not line.endswith(("\n", "\r"))


def end_of(lines: Iterable[str]) -> str:
    """Return how the lines end, as the first one that has an end."""
    first = next((it for it in lines if it.endswith(("\n", "\r"))), "\n")
    return "\r\n" if first.endswith("\r\n") else first[-1]


def _history(span: Span) -> tuple[object, ...]:
    kept = span.kept_birth, span.kept_death
    return (span.born, span.died, *kept, span.undone, span.was, span.since, span.has_mark)
