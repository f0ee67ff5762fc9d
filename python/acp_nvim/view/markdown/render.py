"""Markdown as the agent streams it: `render` gives lines with marks, and again after each chunk.

Lines hold the agent's text line for line; colours, bullets and table columns are marks. What a
call costs depends on what came since `previous`, hardly on how much there is: the lines before an
open block are settled and only carried along. For the renderers of `view`.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_

from msgspec import Struct, field
from msgspec.structs import replace

from acp_nvim.session.content import Text
from acp_nvim.session.log import Log
from acp_nvim.view.block import Line
from acp_nvim.view.cut import Beginning, narrowed
from acp_nvim.view.markdown.block import PLAIN, Block, Step, step
from acp_nvim.view.markdown.lexing import Unfinished
from acp_nvim.view.markdown.table import Table
from acp_nvim.view.pause import Pause, never
from acp_nvim.view.visible import visible


class Fit(Struct, frozen=True):
    """What a text is laid out for."""

    room: int | None = None
    """Cells of a line in the window; None: it is in none, and tables are as wide as they are."""
    is_over: bool = False
    """No more of it comes: its last table can be laid out, too."""


LOOSE = Fit()


class _Carry(Struct, frozen=True):
    """Where the next call goes on: after the last newline."""

    offset: int = 0
    settled: Log[Line] = field(default_factory=Log)
    block: Block = PLAIN
    breadth: int = 0
    """How much room the widest table wants."""


class Rendered(Struct, frozen=True):
    """The beginning of a text and its lines; a newline at its end begins no further line."""

    source: Beginning
    lines: Sequence[Line]
    _carry: _Carry = field(default_factory=_Carry)
    _fit: Fit = LOOSE

    @property
    def breadth(self) -> int:
        """How much room its widest table wants; 0 without one."""
        return self._carry.breadth

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rendered) and self._drawn == other._drawn

    def __hash__(self) -> int:
        return hash(self._drawn)

    @property
    def _drawn(self) -> tuple[Beginning, Sequence[Line]]:
        return self.source, self.lines

    @property
    def text(self) -> str:
        """What is drawn so far."""
        return self.source.after(0)


_NOTHING = Rendered(Beginning(Text(""), 0), ())


def render(
    text: str | Beginning,
    previous: Rendered | None = None,
    pause: Pause = never,
    fit: Fit = LOOSE,
    *,
    from_first_word: bool = False,
) -> Rendered:
    """Return the lines of `text`, the agent's own (it is made visible here), as they `fit`.

    `from_first_word` leaves out the blank lines before it; `previous` was rendered in the same way.

    `previous` may be any earlier rendering: where `text` goes on from its text, lines that look
    the same are the same objects. The lines depend on `text` and `fit` alone. After a `pause` it is
    the rendering of the beginning of `text`, to go on from.
    """
    source = Beginning(Text(text), len(text)) if isinstance(text, str) else text
    goes_on = previous and previous._fit.room == fit.room and source.goes_on(previous.source)
    known = previous if previous and goes_on else _NOTHING
    if source.end == known.source.end and (known is _NOTHING or known._fit == fit):
        return known if known.source.lines == source.lines else replace(known, source=source)
    new = source.after(known._carry.offset)
    carry, paused = _advanced(known, new, pause, fit.room, from_first_word=from_first_word)
    lines: tuple[Line, ...] = ()
    block, at = carry.block, carry.offset - known._carry.offset
    if at < len(new) and not paused:
        after = _step(block, new[at:], pause, fit.room)
        lines, block = after or (lines, block)
        paused = after is None
    carry = replace(carry, breadth=max(carry.breadth, _breadth(block)))
    is_over = fit.is_over and not paused and isinstance(block, Table)
    lines += block.closed(fit.room) if is_over else block.lines  # type: ignore[union-attr]
    shown = _reused(known.lines, len(carry.settled), lines)
    drawn = Beginning(source.whole, carry.offset) if paused else source
    return Rendered(drawn, carry.settled.extended(shown), carry, fit)


def _breadth(block: Block) -> int:
    return block.breadth if isinstance(block, Table) else 0


def _advanced(
    known: Rendered, new: str, pause: Pause, room: int | None, *, from_first_word: bool
) -> tuple[_Carry, bool]:
    """Return the carry after the last newline of what is new, or one before, and that it paused."""
    carry, paused = known._carry, False
    at, block, breadth = 0, carry.block, carry.breadth
    lines: list[Line] = []
    while not paused and (end := new.find("\n", at)) >= 0:
        after = _step(block, new[at:end].removesuffix("\r"), pause, room)
        paused = after is None or pause()
        if after:
            is_said = lines or carry.settled or not from_first_word or new[at:end].strip()
            lines.extend(after[0] if is_said else ())
            at, block, breadth = end + 1, after[1], max(breadth, _breadth(after[1]))
    if not at:
        return carry, paused
    settled = carry.settled.extended(_reused(known.lines, len(carry.settled), lines))
    drawn = _reused(known.lines, len(settled), block.lines)
    return _Carry(carry.offset + at, settled, block.with_drawn(drawn), breadth), paused


def _step(block: Block, raw: str, pause: Pause, room: int | None) -> Step | None:
    """Return what the next line does, None if it is not known when it is time to pause."""
    line = visible(narrowed(raw))
    while True:
        try:
            return step(block, line, room)
        except Unfinished:
            if pause():
                return None


def _reused(old: Sequence[Line], start: int, new: Sequence[Line]) -> tuple[Line, ...]:
    """Return the new lines, each as the old object if that one, counted from `start`, is equal."""
    before = old[start : start + len(new)]
    first = [*map(is_, before, new), False].index(False)
    pairs = zip(before[first:], new[first:], strict=False)
    same = (was if was == line else line for was, line in pairs)
    return (*before[:first], *same, *new[len(before) :])
