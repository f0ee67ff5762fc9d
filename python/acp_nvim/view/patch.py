"""From one rendering to the next: the fewest lines that have to be replaced.

A rendering is the concatenation of its blocks' lines, nothing more. A Neovim buffer is never
without a line, so a rendering without lines stands for one empty line: the first patch from it
replaces that line, and a patch to it leaves it. What has not changed is skipped by identity, so a
growing last block costs what has grown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import TypeAlias

from acp_nvim import hunks
from acp_nvim.session.log import Log
from acp_nvim.view.block import BLANK, Block, Line
from acp_nvim.view.blocks import NOTHING, Blocks, Stretch, lines_before
from acp_nvim.view.op import Replace

_Row: TypeAlias = Sequence[Block]

STRIDES = (256, 16, 1)


def patch(old: Sequence[Block], new: Sequence[Block]) -> tuple[Replace, ...]:
    """Return the ops that turn the buffer of `old` into that of `new`.

    Ops go downwards, and the positions of each are as of its execution. No ops: nothing changed.
    """
    before, after = Blocks.of(old), Blocks.of(new)
    if not before.height or not after.height:
        return () if before.height == after.height else (_whole(old, new),)
    return tuple(_joined(_in_stretches(before.stretches, after.stretches)))


def _joined(ops: Iterable[Replace]) -> Iterator[Replace]:
    """Make one op of those that follow one another without a line between them."""
    first = last = 0
    lines: list[Line] = []
    for op in ops:
        if op.first == first + len(lines):
            last += op.last - op.first
        else:
            if last > first or lines:
                yield Replace(first, last, tuple(lines))
            first, last, lines = op.first, op.last, []
        lines += op.lines
    if last > first or lines:
        yield Replace(first, last, tuple(lines))


def _in_stretches(old: Sequence[Stretch], new: Sequence[Stretch]) -> Iterator[Replace]:
    """Go stretch by stretch: where one has no more of them, that is as if it were empty."""
    row = 0
    for before, after in zip_longest(old, new, fillvalue=NOTHING):
        if not (before or after):
            continue
        if before.first == after.first:
            yield from _in_place(before, after, row)
        else:
            yield from _in_blocks(before.blocks(), after.blocks(), row)
        row += after.height


def _in_place(old: Stretch, new: Stretch, row: int) -> Iterator[Replace]:
    """Go from change to change as long as the blocks are the same ones, then block by block."""
    both = min(old.last, new.last)
    row -= lines_before(new.log, new.first)
    known = at = -1
    for position in new.log.changed(old.log):
        if position >= both:
            break
        before, after = old.log[position], new.log[position]
        if before.key != after.key:
            both = min(both, max(position, new.first))
            break
        if position >= new.first:
            # those side by side are counted on, as a whole group is when it is folded away
            at = at if position == known else row + lines_before(new.log, position)
            yield from _change(before, after, at)
            known, at = position + 1, at + len(after.lines)
    if both < max(old.last, new.last):
        yield from _in_blocks(old.blocks(both), new.blocks(both), row + lines_before(new.log, both))


def _in_blocks(old: _Row, new: _Row, row: int) -> Iterator[Replace]:
    top = common_start(old, new)
    bottom = _common_end(old, new, top)
    row += sum(len(block.lines) for block in old[:top])
    return _changes(old[top : len(old) - bottom], new[top : len(new) - bottom], row)


def common_start(old: Sequence[object], new: Sequence[object]) -> int:
    """Return how many items both start with; identical ones are skipped without a look inside.

    Python compares slices by identity first and ten times as fast as a loop could.
    """
    limit = min(len(old), len(new))
    count = 0
    if isinstance(old, Log) and isinstance(new, Log):
        count = min(next(new.changed(old), limit), limit)
    for stride in STRIDES:
        while count < limit and old[count : count + stride] == new[count : count + stride]:
            count += stride
    return min(count, limit)


def _common_end(old: Sequence[object], new: Sequence[object], top: int) -> int:
    limit = min(len(old), len(new)) - top
    count = 0
    while count < limit and old[-1 - count] == new[-1 - count]:
        count += 1
    return count


def _whole(old: _Row, new: _Row) -> Replace:
    return Replace(0, max(1, _height(old)), _lines(new) or (BLANK,))


def _changes(old: _Row, new: _Row, row: int) -> Iterator[Replace]:
    """Align the blocks by key; between two hunks of keys every block has its counterpart."""
    old_at = new_at = 0
    for hunk in _hunks_of_keys(old, new):
        for before, after in zip(old[old_at : hunk.first], new[new_at:], strict=False):
            yield from _change(before, after, row)
            row += len(after.lines)
            new_at += 1
        gone, come = old[hunk.first : hunk.last], new[new_at : new_at + len(hunk.lines)]
        if gone or come:
            yield Replace(row, row + _height(gone), _lines(come))
        row += _height(come)
        old_at, new_at = hunk.last, new_at + len(come)


def _hunks_of_keys(old: _Row, new: _Row) -> tuple[hunks.Hunk, ...]:
    """Return the hunks between the keys, and an empty one that stands for the end."""
    found = hunks.diff([block.key for block in old], [block.key for block in new])
    return (*found, hunks.Hunk(len(old), len(old), ()))


def _change(old: Block, new: Block, row: int) -> Iterator[Replace]:
    if old.lines is new.lines:
        return
    top = common_start(old.lines, new.lines)
    if top == len(old.lines) == len(new.lines):
        return
    bottom = _common_end(old.lines, new.lines, top)
    lines = new.lines[top : len(new.lines) - bottom]
    yield Replace(row + top, row + len(old.lines) - bottom, tuple(lines))


def _height(blocks: _Row) -> int:
    return sum(len(block.lines) for block in blocks)


def _lines(blocks: _Row) -> tuple[Line, ...]:
    return tuple(chain.from_iterable(block.lines for block in blocks))
