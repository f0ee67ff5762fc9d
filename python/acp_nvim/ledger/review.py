"""What is to be reviewed in a file, and what the user decides on it.

A hunk is a stretch of lines that agents put in or took out, with nothing in between that is there
anyhow. What the user has changed inside of it is a part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from acp_nvim.hunks import diff
from acp_nvim.ledger.delta import Author, Delta
from acp_nvim.ledger.hunk import ReviewHunk
from acp_nvim.ledger.ledger import Ledger, added, with_ends_of_user
from acp_nvim.ledger.span import (
    FILE,
    NOBODY,
    Span,
    alive_lines,
    exploded,
    lines_of,
    marked,
    with_file,
)

State: TypeAlias = Literal["pending", "kept"]
Group: TypeAlias = list[int]
"""The numbers of the spans of one hunk, of a weave whose changed spans are single lines."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A ledger in which hunks were decided, and how many."""

    ledger: Ledger
    count: int


def changes(ledger: Ledger, state: State = "pending") -> tuple[ReviewHunk, ...]:
    """Return the hunks, ascending: those that wait for the user, or those that were kept."""
    spans, groups = _grouped(ledger, state)
    lines = alive_lines(tuple(spans)) if groups else []
    return tuple(_change(ledger, spans, group, row, state, lines) for row, group in groups)


def keep(ledger: Ledger, rows: range | None = None) -> Decided:
    """Let these rows be as they are: nothing of them is to be reviewed any more.

    `rows`: 0-based, of the text as it is; None: all. Of a hunk that is only partly in the rows,
    that part is decided.
    """

    def settle(span: Span) -> Span:
        return replace(span, kept_birth=True) if span.alive else replace(span, kept_death=True)

    return _decide(ledger, rows, settle)


def reject(
    ledger: Ledger,
    author: Author,
    at: float,
    rows: range | None = None,
    *,
    found: bool = True,
) -> Decided:
    """Bring back what stood in these rows before the agents, and take out what they put there.

    `author` is for the record only. Without `found` a hunk stays in which an agent is only
    supposed to have had a hand.
    """
    recorded = added(ledger, "reject", author, at)
    number = len(recorded.deltas)

    def turn_back(span: Span) -> Span:
        return span.dead(number) if span.alive else span.returned()

    agents = ledger.agents
    both = {delta.number for delta in ledger.deltas if delta.kind in ("agent", "joined")}

    def pass_by(span: Span, stood: Container[int]) -> Span:
        is_pending = _is_new(span, both, kept=False) and _is_gone(span, both, kept=False)
        is_theirs = span.born in agents or span.died in stood  # else it is the user's alone
        return span.passed(number) if is_pending and is_theirs else span

    decided = _decide(ledger, rows, turn_back, pass_by, found=found)
    if not decided.count:
        return decided
    turned = replace(recorded, weave=with_file(decided.ledger.weave))
    return replace(decided, ledger=with_ends_of_user(turned))


def differs_by_agents(ledger: Ledger, text: str) -> bool:
    """Tell whether another text of the file has nothing more or less than lines of agents, by what
    they have done and what was taken back of it."""
    there = [one for span in ledger.weave if span.alive for one in exploded(span)]
    agents = ledger.agents
    not_users = {it.number for it in ledger.deltas if it.kind != "joined"}
    gone = {line for it in ledger.weave if it.died in not_users for line in it.lines}
    hunks = diff(alive_lines(ledger.weave), lines_of(marked(text)[1] if ledger.mark else text))
    return all(
        gone.issuperset(hunk.lines)
        and all(span.born in agents for span in there[hunk.first : hunk.last])
        for hunk in hunks
    )


def origin(ledger: Ledger, row: int) -> Delta | None:
    """Return what put the 0-based row into the text; None if no agent did."""
    left = row + 1
    for span in ledger.weave:
        if span.alive and left < len(span.lines):
            delta = ledger.delta(span.born)
            return delta if delta is not None and delta.kind == "agent" else None
        left -= len(span.lines) if span.alive else 0
    return None


def _decide(
    ledger: Ledger,
    rows: range | None,
    verdict: Callable[[Span], Span],
    passed: Callable[[Span, Container[int]], Span] = lambda span, _: span,
    *,
    found: bool = True,
) -> Decided:
    """Let what waits in these rows be as the verdict says, and as `passed` says what came and went
    there, where lines of these deltas stand."""
    spans, groups = _grouped(ledger, "pending")
    meant = rows if rows is None else _meant(spans, groups, rows)
    count = 0
    for row, group in groups:
        chosen = _chosen(spans, group, row, meant)
        if not found and any(_is_doubtful(ledger, spans[at]) for at in chosen):
            continue
        count += bool(chosen)
        stood = {spans[at].born for at in chosen if spans[at].alive}
        for at in _passed(spans, group, chosen):
            spans[at] = passed(spans[at], stood)
        for at in chosen:
            spans[at] = verdict(spans[at])
    return Decided(replace(ledger, weave=with_file(spans)) if count else ledger, count)


def _passed(spans: Sequence[Span], group: Group, chosen: Group) -> Iterator[int]:
    """Yield what is gone among what is chosen of a hunk, and around all of it."""
    if not chosen:
        return
    first, last = chosen[0], chosen[-1]
    if len(chosen) == len(group):
        while first and not spans[first - 1].alive:
            first -= 1
        while last + 1 < len(spans) and not spans[last + 1].alive:
            last += 1
    yield from (at for at in range(first, last + 1) if at not in chosen)


def _is_doubtful(ledger: Ledger, span: Span) -> bool:
    """Tell whether an agent is only supposed to have put it in, or taken it out."""
    delta = ledger.delta(span.born if span.alive else span.died or 0)
    return delta is not None and delta.author.how == "found"


def _grouped(ledger: Ledger, state: State) -> tuple[list[Span], list[tuple[int, Group]]]:
    """Return the spans, and the hunks with the number of lines above each."""
    kept = state == "kept"
    agents = {delta.number for delta in ledger.deltas if delta.kind in ("agent", "joined")}
    since = ledger.taken_back()

    def is_changed(span: Span) -> bool:
        """Tell whether it is in only one of: the text, and the text without those deltas."""
        if not span.alive and since.get(span.born, 0) > (span.died or NOBODY):
            return False  # the user has taken back that it came: it does not come back
        return span.alive == _is_new(span, agents, kept=kept) and (
            span.alive or _is_gone(span, agents, kept=kept)
        )

    spans: list[Span] = []
    for span in ledger.weave:
        spans += exploded(span) if is_changed(span) else (span,)
    found = grouped(spans, is_changed)
    return spans, [it for it in found if _counts(ledger, spans, it[1], kept=kept)]


def grouped(spans: Sequence[Span], belongs: Callable[[Span], bool]) -> Iterator[tuple[int, Group]]:
    """Yield stretches of spans that belong, and the row of each; those between are all gone."""
    group: Group = []
    row = first = 0
    for at, span in enumerate(spans):
        if belongs(span):
            first = first if group else row
            group.append(at)
        elif span.alive and group:
            yield first, group
            group = []
        row += len(span.lines) if span.alive else 0
    if group:
        yield first, group


def _is_new(span: Span, deltas: Container[int], *, kept: bool) -> bool:
    return span.born in deltas and span.kept_birth == kept


def _is_gone(span: Span, deltas: Container[int], *, kept: bool) -> bool:
    return span.died in deltas and span.kept_death == kept


def _counts(ledger: Ledger, spans: Sequence[Span], group: Group, *, kept: bool) -> bool:
    """Tell whether a stretch of changed lines is a hunk to speak of."""
    come = [spans[at].lines for at in group if spans[at].alive]
    gone = [spans[at].lines for at in group if not spans[at].alive]
    if come == gone:
        return False
    if (come, gone) == ([(FILE,)], []):
        # The file stays for the sake of other lines, which are nobody's.
        return not any(span.alive and at not in group for at, span in enumerate(spans))
    return not kept or _is_agents(ledger, spans, group)


def _is_agents(ledger: Ledger, spans: Sequence[Span], group: Group) -> bool:
    """Tell whether an agent has done any of it: what the user did after an undo is kept at once."""
    numbers = (spans[at].born if spans[at].alive else spans[at].died for at in group)
    return any(ledger.deltas[it - 1].kind == "agent" for it in numbers if it)


def _meant(spans: Sequence[Span], groups: Sequence[tuple[int, Group]], rows: range) -> range:
    """Return the rows with the one below the end of the file, if the last row means that.

    It does where only lines are gone there, and no other hunk is in the last row.
    """
    end = max(sum(len(span.lines) for span in spans if span.alive) - 1, 0)
    if not end or end - 1 not in rows or not groups:
        return rows
    *_, (last_row, last) = groups
    before = groups[-2] if len(groups) > 1 else None
    is_gone = not any(spans[at].alive for at in last) and _first(spans, last, last_row) == end
    count = sum(spans[at].alive for at in before[1]) if before else 0
    is_taken = before is not None and _first(spans, before[1], before[0]) + max(count, 1) >= end
    return range(rows.start, end + 1) if is_gone and not is_taken else rows


def _chosen(spans: Sequence[Span], group: Group, row: int, rows: range | None) -> Group:
    """Return those of a hunk that the rows mean.

    A line that is gone goes with the one that stands below it, else with the last. Where only
    lines are gone, the row below them means them; see `_meant` for the end of the file.
    """
    if rows is None:
        return group
    lines = [at for at in group if spans[at].lines != (FILE,)]
    first = _first(spans, group, row)
    chosen = _in_rows(spans, lines, first, rows)
    is_meant = len(chosen) == len(lines) and (bool(lines) or first in rows)
    return [at for at in group if at in chosen or (spans[at].lines == (FILE,) and is_meant)]


def _in_rows(spans: Sequence[Span], lines: Group, first: int, rows: range) -> set[int]:
    count = sum(spans[at].alive for at in lines)
    if not count:
        return set(lines) if first in rows else set()
    chosen: set[int] = set()
    passed = 0
    for at in lines:
        if first + min(passed, count - 1) in rows:
            chosen.add(at)
        passed += spans[at].alive
    return chosen


def _first(spans: Sequence[Span], group: Group, row: int) -> int:
    """Return the row of the text, in which `FILE` is no line."""
    begins = spans[group[0]]
    return row if begins.lines == (FILE,) and begins.alive else max(row - 1, 0)


def _change(
    ledger: Ledger,
    spans: Sequence[Span],
    group: Group,
    row: int,
    state: State,
    text: Sequence[str],
) -> ReviewHunk:
    lines = [spans[at] for at in group]
    here = [span for span in lines if span.alive]
    gone = [span for span in lines if not span.alive]
    numbers = sorted({span.born for span in here} | {span.died or 0 for span in gone})
    deltas = (delta for it in numbers if (delta := ledger.delta(it)))
    authors = dict.fromkeys(delta.author for delta in deltas)
    return ReviewHunk(
        first=_first(spans, group, row),
        added=tuple(line for line in text[row : row + len(here)] if line != FILE),
        removed=tuple(span.lines[0] for span in gone if span.lines != (FILE,)),
        state=state,
        authors=tuple(authors),
        whole=_whole(here, gone),
    )


def _whole(here: Sequence[Span], gone: Sequence[Span]) -> Literal["", "created", "deleted"]:
    came, went = ((FILE,) in [span.lines for span in spans] for spans in (here, gone))
    return "" if came == went else "created" if came else "deleted"
