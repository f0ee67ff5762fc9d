"""Taking a whole turn back in a file, and returning it.

What the user, or another turn, has changed since stays. Where that stands in the place of what
would come back, nothing is done: both together would be neither.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from acp_nvim.ledger.delta import Author, Delta, TurnKey
from acp_nvim.ledger.ledger import Ledger, added
from acp_nvim.ledger.review import grouped
from acp_nvim.ledger.span import FILE, Span, file_apart, with_file

Role: TypeAlias = Literal["leaves", "returns", "foreign", "foreign returns"]
"""What becomes of a line: it goes, it comes back, it is somebody else's and stays."""


@dataclass(frozen=True, slots=True)
class Rewound:
    """A ledger after an undo or a redo."""

    ledger: Ledger
    count: int
    """Places that were changed."""
    left: tuple[int, ...]
    """0-based rows of the new text where somebody else's change was left as it is."""
    missing: bool = False
    """The file is gone, and not by what is turned, so that nothing could be changed in it."""


def undo(ledger: Ledger, author: Author, batch: str, at: float) -> Rewound:
    """Take back what the author's turn has done, kept or not; `batch` names it for the redo."""
    mine = ledger.of_turn(author.turn_key)
    others = ledger.over(mine)
    recorded = added(ledger, "undo", author, at, batch)
    number = len(recorded.deltas)

    def role(span: Span) -> Role | None:
        if span.alive:
            return "leaves" if span.born in mine else "foreign" if span.born in others else None
        if span.died in mine and span.born not in mine:
            return "foreign returns" if span.born in others else "returns"
        return None

    def turn(span: Span) -> Span:
        if span.alive:
            return replace(span, died=number)
        return replace(span, died=None, undone=number, was=span.died)

    return _rewound(ledger, recorded, ledger, role, turn)


def redo(ledger: Ledger, batch: str) -> Rewound:
    """Return what that undo has taken back."""
    numbers = frozenset(
        delta.number for delta in ledger.deltas if delta.kind == "undo" and delta.batch == batch
    )
    others = ledger.over(numbers)

    def role(span: Span) -> Role | None:
        if span.alive:
            return (
                "leaves" if span.undone in numbers else "foreign" if span.born in others else None
            )
        return "returns" if span.died in numbers else None

    def turn(span: Span) -> Span:
        if span.alive:
            return replace(span, died=span.was, undone=None, was=None)
        return replace(span, died=None)

    spent = tuple(replace(it, batch="") if it.number in numbers else it for it in ledger.deltas)
    # spent also where nothing is left of it: older ones wait behind
    returned = replace(ledger, deltas=spent)
    return _rewound(ledger, returned, returned, role, turn)


def undone(ledger: Ledger) -> tuple[Delta, ...]:
    """Return the undos that can be returned, in their order."""
    return tuple(delta for delta in ledger.deltas if delta.kind == "undo" and delta.batch)


def turns(ledger: Ledger) -> tuple[TurnKey, ...]:
    """Return the turns that have something in this file that can be taken back, in order."""
    here = {number for span in ledger.weave for number in _standing(span)}
    return tuple(
        dict.fromkeys(
            delta.author.turn_key
            for delta in ledger.deltas
            if delta.kind == "agent" and delta.number in here
        )
    )


def _standing(span: Span) -> tuple[int, ...]:
    return (span.born,) if span.alive else (span.died or 0,)


def _rewound(
    ledger: Ledger,
    recorded: Ledger,
    idle: Ledger,
    role: Callable[[Span], Role | None],
    turn: Callable[[Span], Span],
) -> Rewound:
    spans = file_apart(ledger.weave)
    file = spans[0] if spans and spans[0].lines == (FILE,) and spans[0].alive else None
    if file is None and not any(map(_comes, spans[:1], map(role, spans[:1]))):
        # Lines that come back alone would be a scrap of a file.
        missing = any(role(span) == "returns" for span in spans)
        return Rewound(ledger if missing else idle, 0, (), missing=missing)
    left: list[int] = []
    count = 0
    for _, group in grouped(spans, lambda span: role(span) is not None):
        roles = [role(spans[at]) for at in group]
        if _conflict(roles):
            left.append(group[0])
            continue
        moving = [at for at, it in zip(group, roles, strict=True) if it != "foreign"]
        count += bool(moving)
        for at in moving:
            spans[at] = turn(spans[at])
    if not count:
        return Rewound(idle if not left else ledger, 0, tuple(_row(spans, at) for at in left))
    weave = with_file(spans, lambda gone: file or turn(gone))
    return Rewound(replace(recorded, weave=weave), count, tuple(_row(spans, at) for at in left))


def _comes(span: Span, role: Role | None) -> bool:
    """Tell whether that is the file, and it comes back."""
    return span.lines == (FILE,) and role in ("returns", "foreign returns")


def _conflict(roles: Sequence[Role | None]) -> bool:
    foreign = "foreign" in roles or "foreign returns" in roles
    return foreign and "returns" in roles


def _row(spans: Sequence[Span], at: int) -> int:
    """Return the row of the text at which a span begins; `FILE` is none."""
    return max(sum(len(span.lines) for span in spans[:at] if span.alive) - 1, 0)
