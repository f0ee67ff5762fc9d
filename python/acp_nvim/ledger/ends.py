"""How lines end, which is the file's rather than a line's.

Which lines of two texts are the same is told by their keys. To the user a line is the same with any
end: Neovim changes them all with 'fileformat', and puts one to the last with 'fixendofline'. What
an agent changes in ends is to be reviewed, but that lines come below a last one without an end, or
go from there.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from acp_nvim.hunks import Hunk
from acp_nvim.ledger.span import (
    FILE,
    NOBODY,
    Span,
    Weave,
    alive_lines,
    end_of,
    exploded,
    is_open,
    packed,
    usual_end,
)

Key: TypeAlias = Callable[[str], str]
"""Returns what is equal for lines that count as the same."""


def exact(line: str) -> str:
    """Return the key of a line of which also the end counts."""
    return line


def by_agent(weave: Weave, old: Sequence[str], new: Sequence[str]) -> Key:
    """Return the keys of lines where an agent has made `new` of `old`, as the weave has them.

    They are good if the lines have their ends by that; else they are to be compared `exact`.
    """
    end = usual_end(weave)
    last = body(new[-1]) if new and not (is_open(new[-1]) and new[-1] in old) else None
    return lambda line: line if not is_open(line) or line == last else line + end


def by_user(gone: Iterable[str], new: Iterable[str]) -> Key:
    """Return the keys of lines where the user has put in `new` at a place where others are `gone`.

    A line that comes again just as it was has come back with its end, as by `u`.
    """
    there = {*gone}
    again = {body(line) for line in new if line in there}
    return lambda line: line if body(line) in again else body(line)


def with_returning(
    weave: Weave, old: Sequence[str], new: Sequence[str], hunks: Iterable[Hunk]
) -> list[Hunk]:
    """Return the hunks by which the user has made `new` of `old`, the weave's text, with the lines
    that have come back with their ends: those with others are gone then, as by `u`.

    Not if only what stands below the last one has come or gone.
    """
    lasts = {body(lines[-1]) for lines in (old, new) if lines}
    gone: dict[int, set[str]] | None = None
    found: list[Hunk] = []
    row = grown = 0
    for hunk in (*hunks, Hunk(len(old), len(old), ())):
        here, now = [*old[row : hunk.first]], [*new[row + grown : hunk.first + grown]]
        if here != now:
            gone = _gone_beside(weave) if gone is None else gone
            for at, (was, line) in enumerate(zip(here, now, strict=True), row):
                is_below = len(lasts) > 1 and body(line) in lasts
                if line != was and line in gone.get(at, ()) and not is_below:
                    found.append(Hunk(at, at + 1, (line,)))
        found.append(hunk)
        row, grown = hunk.last, grown + len(hunk.lines) - (hunk.last - hunk.first)
    return list(_joined(found[:-1]))


def _joined(hunks: Iterable[Hunk]) -> Iterator[Hunk]:
    """Yield the hunks, those that touch as one."""
    last: Hunk | None = None
    for hunk in hunks:
        if last is not None and last.last == hunk.first:
            hunk = Hunk(last.first, hunk.last, last.lines + hunk.lines)
        elif last is not None:
            yield last
        last = hunk
    if last is not None:
        yield last


def _gone_beside(weave: Weave) -> dict[int, set[str]]:
    """Return, by rows of the text, the same line with other ends, as it is gone beside it.

    Only of lines that may go again: an agent's, or such as have come back.
    """
    found: dict[int, set[str]] = {}
    gone: list[str] = []
    row, above, last = 0, False, ""
    for span in weave:
        if not span.alive:
            gone += span.lines
            if above:
                _add(found, row - 1, last, span.lines)
            continue
        above, last = _may_go(span), span.lines[-1]
        if above and gone:
            _add(found, row, span.lines[0], gone)
        row, gone = row + len(span.lines), []
    return found


def _add(found: dict[int, set[str]], row: int, line: str, gone: Iterable[str]) -> None:
    same = body(line)
    lines = {it for it in gone if it != line and body(it) == same}
    if lines:
        found.setdefault(row, set()).update(lines)


def with_ends(spans: Sequence[Span], old: Sequence[str], new: Sequence[str]) -> list[Span]:
    """Return the spans with the ends that the user has given to `new`, the lines of their text;
    `old`: what it was before.

    Where the user has changed all ends, or ended the last line, what is gone is to come back so.
    """
    found = list(spans)
    came_back = any(span.was is not None for span in [it for it in found if it.alive][-1:])
    if _is_open(old) and new and not _is_open(new):
        # one that comes back with its end is the user's; no end has come back for other lines
        same = body(new[-1]) if came_back else None
        if not came_back or [*map(body, old)] == [*map(body, new)]:
            found = [_each(it, lambda line: _ended(line, end_of(new), same)) for it in found]
    differ = end_of(old) != end_of(new)
    was, now = (_ends(old), _ends(new)) if differ else (set(), set())
    if len(was) == len(now) == 1:
        found = [_each(span, lambda line: _converted(line, *was, *now)) for span in found]
    shown = alive_lines(tuple(found))
    if shown == [*new]:
        return found
    ended = list(_with(found, shown, new))
    return ended if alive_lines(tuple(ended)) == [*new] else list(_with(found, new, new))


def uniform(lines: Iterable[str]) -> str:
    """Return how all of these lines end that do, "" if not in one way."""
    ends = _ends(lines)
    return ends.pop() if len(ends) == 1 else ""


def of_users(ends: str, weave: Weave, agents: Container[int], new: Sequence[str]) -> str:
    """Return how the user's lines end, after the user has made these lines of the weave.

    Who converts all has them end so; not with `u`, where an agent had done it.
    """
    if ends and ends == end_of(new):
        return ends
    now = uniform(new) if len(_ends(alive_lines(weave))) < 2 else ""
    return now if now and now not in _made_by(weave, agents) else ends


def as_users(weave: Weave, agents: Container[int], ends: str, by: int) -> Weave:
    """Return the weave in which no line of the user's ends as only agents' do that are gone now.

    Such lines were written while an agent had converted the file. The delta `by` takes them out,
    and puts in others that end as the user's.
    """
    odd = _made_by(weave, agents) - {ends} if ends else set()
    there = (span.lines for span in weave if span.alive and span.born in agents)
    if not odd or odd & _ends(line for lines in there for line in lines):
        return weave
    spans: list[Span] = []
    for span in weave:
        if not span.alive or span.born in agents or not _ends(span.lines) & odd:
            spans.append(span)
            continue
        for each in exploded(span):
            line = each.lines[0]
            if not _ends((line,)) & odd:
                spans.append(each)
                continue
            new = Span((body(line) + ends,), by, kept_birth=True)
            spans += replace(each, died=by), new
    return packed(spans)


def _made_by(weave: Weave, agents: Container[int]) -> set[str]:
    """Return how the lines end that agents have put in."""
    made = (span.lines for span in weave if span.born in agents)
    return _ends(line for lines in made for line in lines)


def body(line: str) -> str:
    """Return the line without its end."""
    if line.endswith("\n"):
        return line[: -2 if line.endswith("\r\n") else -1]
    return line.removesuffix("\r")


def _may_go(span: Span) -> bool:
    """Tell whether it is an agent's, or has come back: another line was there in its place."""
    return span.alive and (span.born != NOBODY or span.was is not None)


def _with(spans: Sequence[Span], shown: Sequence[str], lines: Sequence[str]) -> Iterator[Span]:
    """Yield the spans with these lines; those that are shown so already may be without an end."""
    rows = zip(shown, lines, strict=True)
    for span in spans:
        if not span.alive:
            yield span
            continue
        there = tuple(
            now if was != now or shown is lines else line
            for line, (was, now) in zip(span.lines, islice(rows, len(span.lines)), strict=True)
        )
        yield span if there == span.lines else replace(span, lines=there)


def _each(span: Span, change: Key) -> Span:
    lines = tuple(map(change, span.lines))
    return span if lines == span.lines else replace(span, lines=lines)


def _ended(line: str, end: str, same: str | None) -> str:
    return line + end if is_open(line) and line != same else line


def _converted(line: str, was: str, now: str) -> str:
    return body(line) + now if line != body(line) and line.endswith(was) else line


def _ends(lines: Iterable[str]) -> set[str]:
    """Return how the lines end that do."""
    return {line[len(body(line)) :] for line in lines if line != FILE} - {""}


def _is_open(lines: Sequence[str]) -> bool:
    return bool(lines) and is_open(lines[-1])
