"""A drawing op."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from acp_nvim.view.block import Line


class Replace(Struct, frozen=True):
    """Put `lines` in place of the 0-based lines [first, last); positions are as of this op."""

    first: int
    last: int
    lines: tuple[Line, ...]


PORTION = 6_000
"""Weight of what Neovim carries out at once, in a few milliseconds; a plain line weighs one."""
EACH = 8
"""Weight of an op itself, however little it changes."""


def portions(ops: Iterable[Replace]) -> Iterator[list[Replace]]:
    """Yield the same in portions, to be carried out one after the other; at least one."""
    portion: list[Replace] = []
    weight = 0
    for op in ops:
        for piece in _pieces(op):
            more = EACH + sum(map(_weight, piece.lines))
            if portion and weight + more > PORTION:
                yield portion
                portion, weight = [], 0
            portion.append(piece)
            weight += more
    yield portion


def _pieces(op: Replace) -> Iterator[Replace]:
    first, last, start, weight = op.first, op.last, 0, 0
    for at, line in enumerate(op.lines):
        weight += _weight(line)
        if weight > PORTION and at > start:
            yield Replace(first, last, op.lines[start:at])
            first = last = first + at - start
            start, weight = at, _weight(line)
    yield Replace(first, last, op.lines[start:])


def _weight(line: Line) -> int:
    return 1 + 2 * len(line.marks) + len(line.text) // 500
