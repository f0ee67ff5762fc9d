"""Taking a whole turn back in a file, and returning it.

What the user, or another turn, has changed since stays. Where that stands in the place of a
line that would come back, the line does not: both together would be neither.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from acp_nvim.ledger.delta import Author, Delta, How, TurnKey
from acp_nvim.ledger.ledger import Ledger, added, with_ends_of_user
from acp_nvim.ledger.review import grouped
from acp_nvim.ledger.span import FILE, NOBODY, Span, exploded, file_apart, with_file
from acp_nvim.ledger.staying import (
    Role,
    Roles,
    Stays,
    all_or_nothing,
    goes,
    in_place,
    is_of_one_turn,
)


@dataclass(frozen=True, slots=True)
class Rewound:
    """A ledger after an undo or a redo."""

    ledger: Ledger
    count: int
    """Places that were changed."""
    left: tuple[int, ...]
    """0-based rows of the new text where somebody else's change was left as it is."""
    missing: bool = False
    """The file is gone, and not by what is turned: nothing could be changed in it."""
    doubtful: bool = False
    """Something was left as it is because the agent is only supposed to have done it."""


def undo(ledger: Ledger, author: Author, batch: str, at: float, *, found: bool = True) -> Rewound:
    """Take back what the author's turn has done, kept or not; `batch` names it for the redo.

    It is recorded even where all was left: what stands there now may be taken back later, and then
    this comes to be done. Without `found` what the agent is only supposed to have done stays, also
    then; the record's `how` says so.
    """
    all_mine = ledger.of_turn(author.turn_key)
    doubtful = frozenset() if found else ledger.found(all_mine)
    mine = all_mine - doubtful
    takes: How = "found" if found else "named"
    recorded = added(ledger, "undo", replace(author, how=takes), at, batch)
    number = len(recorded.deltas)

    def turn(span: Span) -> Span:
        if span.alive:
            return replace(span, died=number)
        return replace(span, died=None, undone=number, was=span.died)

    def doubts(span: Span) -> bool:
        if span.alive:
            return span.born in doubtful
        return span.died in doubtful and span.born not in all_mine

    sure = _roles(ledger, author.turn_key, mine, doubtful)
    standing = _standing_for(ledger, doubts)

    def role(span: Span) -> Role | None:
        return None if span in standing else sure(span)

    waits = [*_waiting(ledger, mine, doubtful)]
    done = recorded if waits else ledger
    if _stays_gone(ledger, role) and any(map(role, ledger.weave)):
        is_doubtful = any(map(doubts, _file(ledger)))
        return Rewound(ledger if is_doubtful else done, 0, (), not is_doubtful, is_doubtful)
    near = ledger.agents if any(it.died in mine for it in _file(ledger)) else mine
    rewound = _ended(_rewound(recorded, role, turn, partial(in_place, near=near), doubts))
    if rewound.count:
        return rewound
    left = rewound.left or tuple(_row(ledger.weave, at) for at in waits[:1])
    return replace(rewound, ledger=done, left=left)


def redo(ledger: Ledger, batch: str) -> Rewound:
    """Return what that undo has taken back.

    Not in a file that has been taken away since: it waits until that is back.
    """
    numbers = frozenset(
        delta.number for delta in ledger.deltas if delta.kind == "undo" and delta.batch == batch
    )
    others = ledger.over(numbers)

    def role(span: Span) -> Role | None:
        if not span.alive and span.died not in numbers:
            return None
        if span.undone in numbers or span.born in numbers:
            return "leaves"  # also what has come back only to have another end
        if not span.alive:
            return "returns"
        # another turn has taken it out since and was undone: what it stood for is not known now
        is_again = span.undone is not None and span.was in others
        return "foreign" if is_again or span.born in others else None

    def turn(span: Span) -> Span:
        return _as_before(ledger, span, numbers)

    files = (span for span in ledger.weave if span.lines[0] == FILE)
    if ledger.text is None and "returns" not in map(role, files):
        # these lines alone are no file
        return Rewound(ledger, 0, (), missing=any(map(role, ledger.weave)))
    last = len(ledger.deltas)
    spent = tuple(
        replace(it, batch="", spent=last) if it.number in numbers else it for it in ledger.deltas
    )
    # spent also where nothing is left of it: older ones wait behind
    rewound = _rewound(replace(ledger, deltas=spent), role, turn, all_or_nothing)
    return replace(rewound, ledger=ledger) if rewound.left and not rewound.count else rewound


def _as_before(ledger: Ledger, span: Span, numbers: Container[int]) -> Span:
    """Return lines as they were before these undos, which are returned."""
    if span.born in numbers:
        return replace(span, lines=())  # a line of the user's with the ends as before all
    brought_back = ledger.delta(span.undone or NOBODY)
    is_spent = brought_back is not None and brought_back.spent >= (span.died or 0)
    if span.alive or is_spent or span.undone in numbers:
        # that undo was returned while they were gone by this one: they go as before both
        return replace(span, died=span.was, undone=None, was=None)
    return replace(span, died=None)


def undone(ledger: Ledger) -> tuple[Delta, ...]:
    """Return the undos that can be returned, in their order."""
    return tuple(delta for delta in ledger.deltas if delta.kind == "undo" and delta.batch)


def turns(ledger: Ledger) -> tuple[TurnKey, ...]:
    """Return the turns that have something in this file that can be taken back, in order, be it
    below what another turn has made of it.

    Where all that there is was left when a turn was taken back, it has nothing any more.
    """
    here = {it for span in ledger.weave for it in (span.born, span.died)}
    authors = {
        delta.author.turn_key: delta.author
        for delta in ledger.deltas
        if delta.kind == "agent" and delta.number in here
    }
    return tuple(key for key, author in authors.items() if _has_something(ledger, author))


def _has_something(ledger: Ledger, author: Author) -> bool:
    waiting = _waiting(ledger, ledger.of_turn(author.turn_key), frozenset())
    if next(waiting, None) is not None:
        return True
    return undo(ledger, author, "", 0.0).ledger is not ledger


def mode_after(before: Ledger, after: Ledger, now: int | None) -> int:
    """Return the permission bits that the file is to have when the one ledger has become the other,
    0: those that it has `now`; None: it is not there. What others have given it stays."""
    form = after.form
    if now is None:
        return form.mode
    if not form.given or now not in (form.mode, form.given):
        return 0
    was_theirs, is_theirs = bool(turns(before)), bool(turns(after))
    if was_theirs == is_theirs:
        return 0
    return form.given if is_theirs else form.mode


# --- what becomes of each line


def _stays_gone(ledger: Ledger, role: Roles) -> bool:
    """Tell whether there is no file, and it does not come back by this: a part of its lines, which
    would come back alone, is no file. The user, or another turn, has taken it away.

    One that went because it was an undone turn's, or by the turn that had made it, is made again
    for lines that others had in it.
    """
    if ledger.text is not None:
        return False
    comes = [span for span in ledger.weave if role(span) in ("returns", "foreign returns")]
    is_back = any(span in comes for span in _file(ledger))
    is_theirs = "undo" in _ends(ledger) or not _lasting(ledger)
    return _is_users_to_be_gone(ledger) or not (is_back or (comes and is_theirs))


def _is_users_to_be_gone(ledger: Ledger) -> bool:
    """Tell whether the user has taken the file away, be it by a decision."""
    if ledger.text is not None:
        return False
    # with no agent's line in it, the weave has forgotten that there was a file
    return bool(ledger.weave) and not _ends(ledger) & {"agent", "undo"}


def _ends(ledger: Ledger) -> set[str]:
    """Return the kind of delta by which the file has gone."""
    deltas = (ledger.delta(span.died or NOBODY) for span in _file(ledger))
    return {delta.kind for delta in deltas if delta is not None}


def _file(ledger: Ledger) -> Sequence[Span]:
    """Return that of the file, as it is there or was there last, if there is or was one."""
    return _lasting(ledger)[:1] or [span for span in ledger.weave[:1] if span.lines[0] == FILE]


def _lasting(ledger: Ledger) -> list[Span]:
    """Return those of the file but for such as are as if they had never been: whose maker has
    taken it away again, or was undone, or that the user has rejected."""
    undos = {delta.author.turn_key: delta.number for delta in undone(ledger)}

    def is_lasting(span: Span) -> bool:
        maker = ledger.delta(span.born)
        is_undone = maker is not None and undos.get(maker.author.turn_key, 0) > maker.number
        return span.alive or not (is_undone or _is_taken_back(ledger, span))

    return [span for span in ledger.weave if span.lines[0] == FILE and is_lasting(span)]


def _is_taken_back(ledger: Ledger, span: Span) -> bool:
    """Tell whether who has put it in has taken it out again, or the user has rejected it."""
    made, taken = (ledger.delta(it or NOBODY) for it in (span.born, span.died))
    is_rejected = made is not None and taken is not None and taken.kind == "reject"
    return is_rejected or is_of_one_turn(ledger, span)


def _roles(ledger: Ledger, key: TurnKey, mine: frozenset[int], doubtful: frozenset[int]) -> Roles:
    """Return what becomes of lines when these deltas of that turn are taken back, and the doubtful
    ones are as somebody else's.

    What was taken back before, and was left for what stood in its place, comes back with these.
    """
    undos = {it.author.turn_key for it in undone(ledger)}
    since = ledger.taken_back()
    before = mine | since.keys()
    others = ledger.over(before | doubtful) | before | doubtful

    def role(span: Span) -> Role | None:
        if span.alive and span.lines == (FILE,) and span.born and span.born not in doubtful:
            # it has stayed for the sake of lines that others had put in
            maker = ledger.deltas[span.born - 1]
            return "leaves" if maker.author.turn_key in {*undos, key} else None
        if span.alive:
            return "leaves" if span.born in mine else "foreign" if span.born in others else None
        gone = span.died or NOBODY
        is_back = gone in mine or since.get(gone, 0) > (span.since or NOBODY)
        if not is_back or span.born in mine or since.get(span.born, 0) > gone:
            return None
        return "foreign returns" if span.born in others else "returns"

    return role


def _waiting(ledger: Ledger, mine: frozenset[int], doubtful: frozenset[int]) -> Iterator[int]:
    """Yield the numbers of the spans that wait for that undo, though it may move none: they go, or
    do not come back, as soon as other turns are taken back."""
    since = ledger.taken_back()
    others = ledger.agents - mine - doubtful
    for at, span in enumerate(ledger.weave):
        gone = span.died or NOBODY
        is_there = gone in others or (span.alive and not doubtful)
        waits = span.born in mine and is_there and since.get(span.born, 0) <= gone
        is_back = gone in mine and span.born not in mine and not doubtful
        if waits or (is_back and since.get(gone, 0) <= (span.since or NOBODY)):
            yield at


def _standing_for(ledger: Ledger, doubts: Callable[[Span], bool]) -> frozenset[Span]:
    """Return the lines that were made of somebody else's which are only supposed to have gone by
    the turn: they stay as long as those do not come back, or these would be nowhere."""
    found: set[Span] = set()
    gone: list[Span] = []
    for span in ledger.weave:
        if not span.alive:
            gone += [span] if doubts(span) else []
            continue
        made = ledger.delta(span.born)
        over = made.over if made is not None else frozenset()
        if any(it.died in over and goes(it, [span], span.born) for it in gone):
            found.add(span)
        gone = []
    return frozenset(found)


def _rewound(
    recorded: Ledger,
    role: Roles,
    turn: Callable[[Span], Span],
    stays: Stays,
    doubts: Callable[[Span], bool] = lambda span: False,
) -> Rewound:
    apart = file_apart(recorded.weave)
    spans = [it for span in apart for it in ((span,) if span.alive else exploded(span))]
    before = tuple(spans)
    file = spans[0] if spans and spans[0].lines == (FILE,) and spans[0].alive else None
    left: list[int] = []
    count = 0
    doubtful = any(map(doubts, spans))
    for _, group in grouped(spans, lambda span: role(span) is not None):
        first, stretch = _with_gone(spans, group)
        stay, told = stays(stretch, role, recorded)
        left += (first + at for at in told if not doubts(spans[first + at]))
        moving = [it for it in group if role(spans[it]) != "foreign" and it - first not in stay]
        count += bool(moving)
        for at in moving:
            spans[at] = turn(spans[at])
    there = [at for at, span in enumerate(spans) if span.alive and span.lines == (FILE,)]
    for at in sorted(there, key=lambda at: (spans[at].born != NOBODY, not before[at].alive))[1:]:
        # there is one file: it is the user's, as soon as that is back, else the one that is there
        spans[at] = turn(before[at]) if before[at].alive else before[at]
    weave = with_file(spans, lambda gone: file or turn(gone)) if count else recorded.weave
    if weave == recorded.weave:
        count = 0  # the file stays for the sake of other lines
    rows = tuple(_row(spans, at) for at in left)
    return Rewound(replace(recorded, weave=weave), count, rows, doubtful=doubtful)


def _ended(rewound: Rewound) -> Rewound:
    """Return it with the user's line ends in what the user has written."""
    return replace(rewound, ledger=with_ends_of_user(rewound.ledger)) if rewound.count else rewound


def _with_gone(spans: Sequence[Span], group: Sequence[int]) -> tuple[int, Sequence[Span]]:
    """Return a stretch with what is gone above and below it, which may have stood there, and where
    it begins."""
    first, end = group[0], group[-1] + 1
    while first and not spans[first - 1].alive:
        first -= 1
    while end < len(spans) and not spans[end].alive:
        end += 1
    return first, spans[first:end]


def _row(spans: Sequence[Span], at: int) -> int:
    """Return the row of the text at which a span begins; `FILE` is none."""
    return max(sum(len(span.lines) for span in spans[:at] if span.alive) - 1, 0)
