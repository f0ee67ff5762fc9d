"""What stays as it is where lines of a turn would go or come back: for `rewind` alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Literal, TypeAlias

from acp_nvim.ledger.ends import body
from acp_nvim.ledger.ledger import Ledger
from acp_nvim.ledger.span import FILE, NOBODY, Span

Role: TypeAlias = Literal["leaves", "returns", "foreign", "foreign returns"]
"""What becomes of a line: it goes, it comes back, it is somebody else's and stays."""
Roles: TypeAlias = Callable[[Span], Role | None]
"""Tells it; None: nothing does."""
Stays: TypeAlias = Callable[[Sequence[Span], Roles, Ledger], tuple[set[int], list[int]]]
"""Returns which of a stretch do not move, and at which of them that is to be told."""


def all_or_nothing(
    spans: Sequence[Span], role: Roles, ledger: Ledger
) -> tuple[set[int], list[int]]:
    """Leave all of a stretch as it is, if lines would come back among somebody else's."""
    roles = [role(span) for span in spans]
    if "returns" in roles and "foreign" in roles:
        return {*range(len(spans))}, [next(at for at, it in enumerate(roles) if it)]
    return set(), []


def in_place(
    spans: Sequence[Span], role: Roles, ledger: Ledger, *, near: frozenset[int]
) -> tuple[set[int], list[int]]:
    """Leave those lines out in the place of which somebody else's line stands, and all of a stretch
    in which these deltas had no hand.

    But what stands in a line that goes comes back: else it would be nowhere.
    """
    if not any(near & {span.born, span.died} or span.lines == (FILE,) for span in spans):
        return {*range(len(spans))}, []
    leaving = [it for it in spans if role(it) == "leaves" or is_of_one_turn(ledger, it)]
    stay = _taken_out(spans, role, ledger)
    left: list[int] = []
    gone = {span.died or NOBODY: set[int]() for span in spans if not span.alive}
    for span in spans:
        if not span.alive:
            gone[span.died or NOBODY].add(span.born)
    for cell in _cells(spans, ledger):
        roles = {at: role(spans[at]) for at in cell}
        foreign = [at for at in cell if roles[at] == "foreign"]
        foreign = foreign or [at for at in cell if roles[at] == "foreign returns"]
        over = _replaced_by(gone, {spans[at].born for at in foreign})
        back = (at for at in cell if roles[at] in ("returns", "foreign returns"))
        blocked = {
            at
            for at in back
            if at not in foreign
            and spans[at].lines != (FILE,)
            and spans[at].died in over
            and not goes(spans[at], leaving, spans[at].died)
        }
        stay |= blocked
        left += foreign[:1] if blocked else []
    return stay, left


def _replaced_by(gone: Mapping[int, set[int]], births: set[int]) -> set[int]:
    """Return by what the lines have gone that those of these deltas stand for, and so on.

    `gone`: by whom the lines were put in that have gone by a delta.
    """
    found: set[int] = set()
    new = (births & gone.keys()) - {NOBODY}
    while new:
        found |= new
        new = (set[int]().union(*(gone[it] for it in new)) & gone.keys()) - found - {NOBODY}
    return found


def _taken_out(spans: Sequence[Span], role: Roles, ledger: Ledger) -> set[int]:
    """Return which lines would come back that are there, as another turn has put them in again, or
    that the user has taken out since: as an agent had put them in again, or with another end."""
    by_user = _by_user(ledger)
    leaving: set[str] | None = None
    found: set[int] = set()
    upwards = reversed([*enumerate(spans)])
    for text, group in groupby(upwards, lambda it: body(it[1].lines[0])):
        run = [*group]
        gone = (span.died for _, span in run if span.died not in by_user)
        by_agents = max((it for it in gone if it), default=NOBODY)  # until then it was there
        last = NOBODY
        for at, span in run:
            if span.alive and role(span) != "leaves":
                last = max(last, span.born)
            elif span.died in by_user and not span.reverted:
                last = max(last, span.died or NOBODY if (span.died or 0) > by_agents else NOBODY)
            elif last > (span.died or last):
                leaving = _leaving(role, ledger) if leaving is None else leaving
                found |= {at} if text not in leaving else set()
    return found


def _leaving(role: Roles, ledger: Ledger) -> set[str]:
    """Return the lines that go, without their ends."""
    going = (it.lines for it in ledger.weave if it.alive and role(it) == "leaves")
    return {body(line) for lines in going for line in lines}


def _by_user(ledger: Ledger) -> set[int]:
    """Return what lines are named to have gone by that the user has taken out."""
    return {NOBODY, *(it.number for it in ledger.deltas if it.kind == "joined")}


def goes(gone: Span, leaving: Sequence[Span], by: int | None) -> bool:
    """Tell whether one of the leaving lines, made by that delta, has one of the gone in it."""
    lines = [it.strip() for span in leaving if span.born == by for it in span.lines]
    return any((text := line.strip()) and text in it for line in gone.lines for it in lines)


def _cells(spans: Sequence[Span], ledger: Ledger) -> list[list[int]]:
    """Split a stretch below each line that stands there, or that went with the file, or that the
    user has just taken out.

    A line that is gone is in the place of the one that stands below it, else of the last.
    """
    births = {span.born for span in spans}
    by_user = _by_user(ledger)
    with_file = {it.died for it in spans if it.lines == (FILE,)} - {None}
    cells: list[list[int]] = [[]]
    for at, span in enumerate(spans):
        cells[-1].append(at)
        is_taken_out = span.died in by_user and span.died not in births
        if span.alive or is_taken_out or span.died in with_file:
            cells.append([])
    rest = cells.pop()
    if cells:
        cells[-1] += rest
    return cells or [rest]


def is_of_one_turn(ledger: Ledger, span: Span) -> bool:
    """Tell whether a turn has put it in and taken it out."""
    made, taken = (ledger.delta(it or NOBODY) for it in (span.born, span.died))
    if made is None or taken is None or taken.kind != "agent":
        return False
    return made.author.turn_key == taken.author.turn_key
