"""The blocks of a chat: a log of them for the entries, and what stands before, between and after.

Two renderings share what has not changed, and each knows how many lines that has: so what it takes
to find what has changed depends on how much that is, not on how much there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, overload

from msgspec import Struct

from acp_nvim.session.log import BITS, WIDTH, Log, Node
from acp_nvim.view.block import Block


class Stretch(Struct, frozen=True):
    """The blocks [first, last) of a log."""

    log: Log[Block]
    first: int
    last: int

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> Stretch:
        """Return all of these blocks."""
        if not blocks:
            return NOTHING
        return cls(Log.of(blocks), 0, len(blocks))

    def __len__(self) -> int:
        return self.last - self.first

    @property
    def height(self) -> int:
        """Number of its lines."""
        if self.first == self.last:
            return 0
        return lines_before(self.log, self.last) - lines_before(self.log, self.first)

    def blocks(self, since: int = 0) -> Sequence[Block]:
        """Return the blocks, without the first ones up to that position in the log."""
        return self.log[max(self.first, since) : self.last]


NOTHING = Stretch(Log(), 0, 0)


class Blocks(Sequence[Block]):
    """The blocks of a chat, top down; frozen. Equal to a sequence of equal blocks."""

    __slots__ = ("stretches",)

    def __init__(self, stretches: Iterable[Stretch] = ()) -> None:
        self.stretches = tuple(stretches)

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> Blocks:
        """Return the blocks in stretches: themselves, if they are."""
        return blocks if isinstance(blocks, Blocks) else cls((Stretch.of(blocks),))

    @property
    def height(self) -> int:
        """Number of lines."""
        return sum(stretch.height for stretch in self.stretches)

    def at(self, row: int) -> tuple[Block, int] | None:
        """Return the block in that 0-based row, and the row within it; None where there is none."""
        for stretch in self.stretches if row >= 0 else ():
            if row < stretch.height:
                return _at(stretch.log, row + lines_before(stretch.log, stretch.first))
            row -= stretch.height
        return None

    def __len__(self) -> int:
        return sum(map(len, self.stretches))

    @overload
    def __getitem__(self, key: int) -> Block: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Block]: ...
    def __getitem__(self, key: int | slice) -> Block | Sequence[Block]:
        return tuple(self)[key]

    def __iter__(self) -> Iterator[Block]:
        return chain.from_iterable(stretch.blocks() for stretch in self.stretches)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple | Blocks) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


def lines_before(log: Log[Block], position: int) -> int:
    """Return how many lines the blocks before that position have."""
    if position == 0:
        return 0
    if position >= len(log):
        return _height(log.root, log.level)
    node, count = log.root, 0
    for level in range(log.level, -1, -1):
        slot = position >> BITS * level & WIDTH - 1
        count += _sum(node[:slot], level)
        node = node[slot]
    return count


def _at(log: Log[Block], row: int) -> tuple[Block, int]:
    """Return the block in that row of the log, which must be there, and the row within it."""
    node = log.root
    for level in range(log.level, 0, -1):
        for child in node:
            if row < _height(child, level - 1):
                node = child
                break
            row -= _height(child, level - 1)
    for block in node:
        if row < len(block.lines):
            break
        row -= len(block.lines)
    return block, row


def _height(node: Node, level: int) -> int:
    """Return how many lines there are below a node of that level."""
    if node.weight is None:
        node.weight = _sum(node, level)
    return node.weight


def _sum(children: Sequence[Any], level: int) -> int:
    if level:
        return sum(_height(node, level - 1) for node in children)
    return sum(len(block.lines) for block in children)
