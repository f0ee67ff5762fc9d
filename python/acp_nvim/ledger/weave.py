"""How a new text is woven in: which lines it took out, put in, or brought back.

Lines that are gone stay in the weave, in the place where they were. Where a text has them again,
they are the same lines: so `u` after an agent's edit leaves nothing to review, and `<C-r>` brings
the hunk back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from acp_nvim.hunks import Hunk, diff, ends_in_common
from acp_nvim.ledger import placing
from acp_nvim.ledger.ends import Key, body, by_agent, by_user, with_ends, with_returning
from acp_nvim.ledger.span import (
    FILE,
    NOBODY,
    Span,
    Weave,
    alive_lines,
    exploded,
    file_apart,
    is_open,
    packed,
    remembered,
)


@dataclass(frozen=True, slots=True)
class Place:
    """One hunk, as whoever wrote it finds it."""

    killed: tuple[Span, ...]
    """What it takes out, line by line."""
    revived: tuple[Span, ...]
    """What it brings back, as it was."""
    before: Span | None
    """What stands above it."""
    after: Span | None
    """What stands below it."""
    again: tuple[Span, ...] = ()
    """What is gone, and what it puts in is like."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Which delta a hunk is; `kept`: it belongs to something that the user has kept."""

    delta: int
    kept: bool = False
    again: frozenset[int] = frozenset()
    """The deltas of which lines come back with it: what they took out goes by them again."""


Judge: TypeAlias = Callable[[Place], Verdict]
MayReturn: TypeAlias = Callable[[Span], bool]
"""Tells whether a line that is gone may be the one that a text has again."""


def rewoven(
    weave: Weave,
    lines: Sequence[str],
    judge: Judge,
    may_return: MayReturn,
    *,
    is_users: bool,
    key: Key | None = None,
) -> Weave:
    """Return the weave whose text is `lines`; `judge` says of each hunk whose it is.

    `key`: how lines are compared, if not as usual. An agent's text has its ends by that, or not.
    """
    alive = alive_lines(weave)
    there = alive_lines(weave, closed=False)
    key = body if is_users else key or by_agent(weave, there, lines)
    hunks: Iterable[Hunk] = _hunks(there, lines, key)
    if is_users:
        hunks = with_returning(weave, alive, lines, hunks)
    else:
        hunks = (part for hunk in hunks for part in _apart(there, hunk))
    pieces = list(_pieces(weave, hunks))
    moved = _Moved(pieces) if is_users else None
    stays = {it.was for it in pieces if isinstance(it, Span) and it.alive}
    spans: list[Span] = []
    for piece in pieces:
        if isinstance(piece, Span):
            spans.append(piece)
        else:
            changed = _Changed(piece, judge, may_return, moved, key, stays, is_users=is_users)
            spans += changed.spans()
    spans = file_apart(spans)
    spans = with_ends(spans, alive, lines) if is_users else spans
    return packed(remembered(spans))


def _hunks(old: Sequence[str], new: Sequence[str], key: Key) -> Iterator[Hunk]:
    """Yield what differs by the keys of the lines, with the lines themselves."""
    head, tail = ends_in_common(old, new, (0, len(old)), (0, len(new)))
    olds, news = ([key(it) for it in side[head : len(side) - tail]] for side in (old, new))
    grown = 0
    for hunk in diff(olds, news):
        first, last, count = hunk.first + head, hunk.last + head, len(hunk.lines)
        yield Hunk(first, last, tuple(new[first + grown : first + grown + count]))
        grown += count - (last - first)


def _apart(old: Sequence[str], hunk: Hunk) -> Iterator[Hunk]:
    """Yield what differs in a hunk only in how lines end apart from the rest: it is by itself."""
    was, row, new = old[hunk.first : hunk.last], 0, 0
    parts = diff([*map(body, was)], [*map(body, hunk.lines)]) if was and hunk.lines else [hunk]
    if len(parts) == 1 and len(parts[0].lines) == len(hunk.lines):
        yield hunk
        return
    for part in (*parts, Hunk(len(was), len(was), ())):
        same = part.first - row
        for size, last in ((same, part.first), (len(part.lines), part.last)):
            if size or last > row:
                at = hunk.first
                yield Hunk(at + row, at + last, hunk.lines[new : new + size])
            row, new = last, new + size


class _Moved:
    """Which lines the user moves."""

    def __init__(self, pieces: Sequence[Span | _Region]) -> None:
        regions = [piece for piece in pieces if not isinstance(piece, Span)]
        going = [
            (body(line), span)
            for region in regions
            for span in region.spans
            if span.alive and span.born != NOBODY
            for line in span.lines
        ]
        found = dict(going)
        unsure = {text for text, span in going if span.born != found[text].born}
        self._agents = {text: span for text, span in found.items() if text not in unsure}
        self._comes = {body(line): region for region in regions for line in region.lines}

    def agents(self, text: str) -> Span | None:
        """Return the agents' line that goes and has that text: where it comes, it is moved."""
        return self._agents.get(text)

    def is_elsewhere(self, text: str, region: _Region) -> bool:
        """Tell whether a line that goes in that region comes in another one."""
        return bool(text.strip()) and self._comes.get(text, region) is not region


@dataclass(frozen=True, slots=True)
class _Region:
    """The lines of one hunk, and the lines that are gone on both sides of them."""

    spans: tuple[Span, ...]
    lines: tuple[str, ...]
    before: Span | None
    after: Span | None


def _pieces(weave: Weave, hunks: Iterable[Hunk]) -> Iterator[Span | _Region]:
    """Cut the weave where the hunks begin and end."""
    rest, row = _Rest(weave), 0
    above: Span | None = None
    for hunk in hunks:
        while row < hunk.first:
            span = rest.take(hunk.first - row)
            if span.alive:
                above, row = span, row + len(span.lines)
            yield span
        region: list[Span] = []
        while (below := rest.next) and (not below.alive or row < hunk.last):
            span = rest.take(hunk.last - row)
            row += len(span.lines) if span.alive else 0
            region.append(span)
        yield _Region(tuple(region), hunk.lines, above, below)
    while rest.next:
        yield rest.take()


class _Rest:
    """What is left of a weave as it is taken off from its beginning.

    A span that is taken in parts stays whole: cut off, its rest would be copied for each.
    """

    def __init__(self, weave: Weave) -> None:
        self._spans = list(reversed(weave))
        self._taken = 0

    @property
    def next(self) -> Span | None:
        """The span of which the next lines are; its first ones may be taken."""
        return self._spans[-1] if self._spans else None

    def take(self, most: int | None = None) -> Span:
        """Take the next span; of one that is alive so many lines at most."""
        span, start = self._spans[-1], self._taken
        if most is not None and span.alive and len(span.lines) - start > most:
            self._taken = start + most
            return replace(span, lines=span.lines[start : start + most])
        self._taken = 0
        self._spans.pop()
        return replace(span, lines=span.lines[start:]) if start else span


class _Changed:
    """The lines of a region as the hunk leaves them.

    New lines stand below those that they replace, one by one, so that a part of a hunk can be
    taken back where it was.
    """

    def __init__(
        self,
        region: _Region,
        judge: Judge,
        may_return: MayReturn,
        moved: _Moved | None,
        key: Key,
        stays: set[int | None],
        *,
        is_users: bool,
    ) -> None:
        items = [line for span in region.spans for line in exploded(span)]
        if is_users:
            key = by_user((it.lines[0] for it in items if not it.alive), region.lines)
            may_return = _as_it_was(items, region.lines, may_return)
        returns = placing.returning(items, region.lines, may_return, key)
        killed = [at for at, item in enumerate(items) if item.alive]
        texts = {at: items[at].lines[0].strip() for at in (*killed, *returns)}
        paired = placing.paired(texts, region.lines, returns)
        twins = {} if is_users else placing.twins(items, region.lines, paired | returns)
        gone, revived, again = (
            tuple(items[at] for at in them) for them in (killed, sorted(returns), twins)
        )
        place = Place(gone, revived, region.before, region.after, again)
        self._items = items
        self._returns = returns
        self._region = region
        self._lines = region.lines
        self._verdict = verdict = judge(place)
        self._again = placing.going_again(items, verdict.again) if verdict.again else frozenset()
        self._above = dict(placing.above(items, returns, self._again)) if self._again else {}
        self._paired = paired | twins
        replaced = {*killed} - self._again
        self._until = placing.slots(replaced, self._paired | returns, len(region.lines))
        self._begins = (
            -1 if self._until or not items else placing.with_other_ends(items, region.before)
        )
        self._moved = moved
        self._is_users = is_users
        self._file_goes = any(it.lines == (FILE,) for it in place.killed)
        self._see_users(place, stays)

    def _see_users(self, place: Place, stays: set[int | None]) -> None:
        """See what the user has done, if it was the user: what stands otherwise `stays`."""
        is_users, gone = self._is_users, place.killed
        back = place.revived if is_users else ()
        self._back = {it.died for it in back} - {NOBODY}
        self._same = {body(it.lines[0]): it.born for it in back if it.born}
        self._only_goes = is_users and len(self._returns) == len(self._lines)
        # in place of a line that has no end but for those that have come below it
        self._ends_open = is_users and bool(gone) and is_open(gone[-1].lines[0])
        dead = (it for at, it in enumerate(self._items) if at not in self._returns)
        left = {it.born for it in dead if not it.alive}
        self._goes_again = self._only_goes and _goes_again(place, stays | left)

    def spans(self) -> Iterator[Span]:
        """Yield them, old and new, in their order."""
        done = 0
        for at, item in enumerate(self._items):
            if at == self._begins:
                yield from self._new(done, len(self._lines))
                done = len(self._lines)
            if at in self._paired:
                yield from self._new(done, self._paired[at])
                done = self._paired[at]
            if at in self._above:
                yield from self._new(done, self._above[at])
                done = max(done, self._above[at])
            if at in self._returns:
                yield from self._new(done, self._returns[at])
                done = self._returns[at] + 1
            yield self._old(at, item)
            if at in self._until:
                yield from self._new(done, self._until[at])
                done = max(done, self._until[at])
        yield from self._new(done, len(self._lines))

    def _new(self, first: int, last: int) -> Iterator[Span]:
        for at, line in enumerate(self._lines[first:last], first):
            was, verdict = self._mover(at), self._verdict
            born, kept = (was.born, was.kept_birth) if was else (verdict.delta, verdict.kept)
            is_last = self._ends_open and at == len(self._lines) - 1
            yield Span((body(line) if is_last else line,), born, kept_birth=kept)

    def _mover(self, at: int) -> Span | None:
        """Return what is moved here; an empty line is only with others."""
        if self._moved is None:
            return None
        line = body(self._lines[at])
        around = [body(it) for it in self._lines[max(at - 1, 0) : at + 2]]
        is_among = any(it.strip() and self._moved.agents(it) for it in around)
        return self._moved.agents(line) if line.strip() or is_among else None

    def _old(self, at: int, item: Span) -> Span:
        if at in self._returns:
            is_own = item.lines == (FILE,) and not self._is_users
            return item.back() if is_own else item.returned()
        if not item.alive:
            return item.met_again() if item.is_passed and item.died in self._back else item
        if self._only_goes and is_untouched(item) and item.was is None:
            # the user's own, in the place of which nothing stands; a whole file may come again
            return item.dead(self._verdict.delta if self._file_goes else NOBODY, kept=True)
        if (self._goes_again and item.was) or at in self._again:
            line = body(item.lines[0])
            is_moved = self._moved is not None and self._moved.is_elsewhere(line, self._region)
            return item.dead(NOBODY, kept=True) if is_moved else item.gone_again()
        by, kept = self._verdict.delta, self._verdict.kept
        if self._same and (agents := self._same.get(body(item.lines[0]))):
            # with the end that an agent had given to it: by that it goes
            return replace(item.dead(agents, kept=kept), since=by)
        return item.dead(by, kept=kept)


def _as_it_was(items: Sequence[Span], lines: Sequence[str], may_return: MayReturn) -> MayReturn:
    """Tell which lines may return as the user puts in these: an agent's without an end, in the
    place of which the user's own stands, only as it was."""
    theirs = {it.born for it in items if it.alive}

    def may(item: Span) -> bool:
        is_open_end = item.born != NOBODY and is_open(item.lines[0])
        is_other = is_open_end and item.lines[0] not in lines
        return may_return(item) and not (is_other and theirs and item.died not in theirs)

    return may


def _goes_again(place: Place, stays: set[int | None]) -> bool:
    """Tell whether just those lines go that had gone before, in one, with those that agents have
    put in beside: it is taken back that they have `returned`. `stays`: by what others had gone that
    do not go, or come that do not return."""
    deltas = {it.was for it in place.killed} - {None}
    births = {it.born for it in place.killed if it.was is None}
    around = {it.born for it in (place.before, place.after) if it is not None and it.was is None}
    return bool(deltas) and NOBODY not in births and not (deltas & stays or births & around)


def is_untouched(span: Span | None) -> bool:
    """Tell whether these lines are no agent's, nor brought back by an undo."""
    return span is None or (span.born == NOBODY and span.undone is None)
