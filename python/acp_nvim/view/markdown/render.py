"""Markdown as the agent streams it: `render` gives lines with marks, and again after each chunk.

Lines hold the agent's text line for line; colours, bullets and table columns are marks. What a
call costs depends on what came since `previous`, hardly on how much there is: the lines before an
open block are settled and only carried along. For the renderers of `view`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import is_

from acp_nvim.view.block import Line
from acp_nvim.view.markdown.block import PLAIN, Block, step
from acp_nvim.view.visible import visible


@dataclass(frozen=True, slots=True)
class _Carry:
    """Where the next call goes on: after the last newline."""

    offset: int = 0
    settled: tuple[Line, ...] = ()
    block: Block = PLAIN


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text and its lines; a newline at the end of the text begins no further line."""

    text: str
    lines: tuple[Line, ...]
    _carry: _Carry = field(default=_Carry(), repr=False, compare=False)


_NOTHING = Rendered("", ())


def render(text: str, previous: Rendered | None = None) -> Rendered:
    """Return the lines of `text`, the agent's own (it is made visible here).

    `previous` may be any earlier rendering: where `text` goes on from its text, lines that look
    the same are the same objects. The lines depend on `text` alone.
    """
    known = previous if previous and text.startswith(previous.text) else _NOTHING
    if len(text) == len(known.text):
        return known
    carry = _advanced(known, text)
    lines: tuple[Line, ...] = ()
    block = carry.block
    if carry.offset < len(text):
        lines, block = step(block, visible(text[carry.offset :]))
    shown = _reused(known.lines, len(carry.settled), lines + block.lines)
    return Rendered(text, carry.settled + shown, carry)


def _advanced(known: Rendered, text: str) -> _Carry:
    """Return the carry after the last newline of `text`."""
    carry = known._carry
    end = text.rfind("\n", carry.offset) + 1
    if not end:
        return carry
    block = carry.block
    new: list[Line] = []
    for raw in text[carry.offset : end - 1].split("\n"):
        lines, block = step(block, visible(raw.removesuffix("\r")))
        new.extend(lines)
    settled = carry.settled + _reused(known.lines, len(carry.settled), new)
    drawn = _reused(known.lines, len(settled), block.lines)
    return _Carry(end, settled, block.with_drawn(drawn))


def _reused(old: Sequence[Line], start: int, new: Sequence[Line]) -> tuple[Line, ...]:
    """Return the new lines, each as the old object if that one, counted from `start`, is equal."""
    before = old[start : start + len(new)]
    first = [*map(is_, before, new), False].index(False)
    pairs = zip(before[first:], new[first:], strict=False)
    same = (was if was == line else line for was, line in pairs)
    return (*before[:first], *same, *new[len(before) :])
