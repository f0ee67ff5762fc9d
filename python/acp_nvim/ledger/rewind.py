"""Taking a whole turn back in a file, and returning it.

What the user, or another turn, has changed since stays. Where that stands in the place of what
would come back, nothing is done: both together would be neither.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from acp_nvim.ledger.delta import Author, Delta, TurnKey
from acp_nvim.ledger.ledger import Ledger, added
from acp_nvim.ledger.review import grouped
from acp_nvim.ledger.span import FILE, Span, file_apart, with_file

Role: TypeAlias = Literal[
    "leaves",
    "returns",
    "foreign",
    "foreign returns",
    "doubtful",
    "doubtful returns",
    "doubtfully gone",
]
"""What becomes of a line: it goes, it comes back, it is somebody else's and stays. A doubtful one
the agent is only supposed to have put in; one that is doubtfully gone it is to have taken out: both
stay as they are."""
STAYS: Final = ("foreign", "doubtful", "doubtfully gone")
DOUBTFUL: Final = ("doubtful", "doubtful returns", "doubtfully gone")


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
    doubtful: bool = False
    """Something was left as it is because the agent is only supposed to have done it."""


def undo(ledger: Ledger, author: Author, batch: str, at: float, *, found: bool = True) -> Rewound:
    """Take back what the author's turn has done, kept or not; `batch` names it for the redo.

    Without `found` what the agent is only supposed to have done stays as it is.
    """
    mine = ledger.of_turn(author.turn_key)
    doubtful = frozenset() if found else ledger.found(mine)
    sides = _Sides(mine - doubtful, doubtful, ledger.over(mine))
    recorded = added(ledger, "undo", author, at, batch)
    number = len(recorded.deltas)

    def turn(span: Span) -> Span:
        if span.alive:
            return replace(span, died=number)
        return replace(span, died=None, undone=number, was=span.died)

    return _rewound(ledger, recorded, ledger, sides.role, turn)


@dataclass(frozen=True, slots=True)
class _Sides:
    """The deltas that an undo takes back, those that it leaves as doubtful, and the others that
    were made upon any of them."""

    sure: frozenset[int]
    doubtful: frozenset[int]
    others: frozenset[int]

    def role(self, span: Span) -> Role | None:
        """Return what becomes of these lines."""
        if span.alive:
            return "leaves" if span.born in self.sure else self._whose(span)
        if span.died in self.sure and span.born not in self.sure:
            match self._whose(span):
                case "foreign":
                    return "foreign returns"
                case "doubtful":
                    return "doubtful returns"
            return "returns"
        mine = self.sure | self.doubtful
        return "doubtfully gone" if span.died in self.doubtful and span.born not in mine else None

    def _whose(self, span: Span) -> Literal["foreign", "doubtful"] | None:
        if span.born in self.others:
            return "foreign"
        return "doubtful" if span.born in self.doubtful else None


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
        doubtful = any(role(span) == "doubtfully gone" for span in spans[:1])
        missing = not doubtful and any(role(span) == "returns" for span in spans)
        return Rewound(
            ledger if missing or doubtful else idle, 0, (), missing=missing, doubtful=doubtful
        )
    left: list[int] = []
    count = 0
    doubtful = False
    for _, group in grouped(spans, lambda span: role(span) is not None):
        roles = [role(spans[at]) for at in group]
        is_doubtful = any(it in roles for it in DOUBTFUL)
        doubtful = doubtful or is_doubtful
        if _conflict(roles):
            left += [] if is_doubtful else [group[0]]
            continue
        moving = [at for at, it in zip(group, roles, strict=True) if it and it not in STAYS]
        count += bool(moving)
        for at in moving:
            spans[at] = turn(spans[at])
    rows = tuple(_row(spans, at) for at in left)
    if not count:
        return Rewound(ledger if left or doubtful else idle, 0, rows, doubtful=doubtful)
    weave = with_file(spans, lambda gone: file or turn(gone))
    return Rewound(replace(recorded, weave=weave), count, rows, doubtful=doubtful)


def _comes(span: Span, role: Role | None) -> bool:
    """Tell whether that is the file, and it comes back."""
    return span.lines == (FILE,) and role in ("returns", "foreign returns")


def _conflict(roles: Sequence[Role | None]) -> bool:
    comes = "returns" in roles or "doubtful returns" in roles
    return comes and any(it in roles for it in ("foreign", "doubtful", "foreign returns"))


def _row(spans: Sequence[Span], at: int) -> int:
    """Return the row of the text at which a span begins; `FILE` is none."""
    return max(sum(len(span.lines) for span in spans[:at] if span.alive) - 1, 0)
