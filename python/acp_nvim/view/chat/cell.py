"""The block of one thing in a chat, drawn again only where that thing has changed.

Called by `transcript`.
"""

from __future__ import annotations

from functools import partial

from msgspec import Struct

from acp_nvim.session.model import Prompt
from acp_nvim.session.state import (
    Compaction,
    Ending,
    Entry,
    Message,
    Notice,
    Plan,
    SessionState,
    ToolCall,
    Usage,
)
from acp_nvim.view.block import BLANK, Block
from acp_nvim.view.chat import context, ending, message, plan, tool_call
from acp_nvim.view.chat.boundary import Boundary, fault_line, undrawn
from acp_nvim.view.markdown.render import LOOSE, Fit
from acp_nvim.view.pause import Pause, never

PLAN = "plan"
"""The key of the plan: toggled, it is one line."""


class Cell(Struct, frozen=True):
    """The block of one thing that is shown, and what it was drawn from."""

    source: Entry | Plan | Prompt | Usage
    is_open: bool
    block: Block
    drawn: message.Drawn | None = None
    is_live: bool = True
    """Somebody works on it."""
    is_faulty: bool = False
    """It could not be drawn, and says so: nothing hides that."""
    fit: Fit = LOOSE

    @property
    def has_table(self) -> bool:
        """Whether its look depends on the room that it has."""
        return isinstance(self.drawn, message.Drawn) and self.drawn.breadth > 0

    def fits(self, fit: Fit) -> bool:
        """Return whether it would look the same."""
        if fit == self.fit or not self.has_table or self.drawn is None:
            return True
        rooms = (it.room or self.drawn.breadth for it in (fit, self.fit))
        return fit.is_over == self.fit.is_over and self.drawn.breadth <= min(rooms)

    @property
    def is_paused(self) -> bool:
        """Whether there is more of it to draw."""
        return self.drawn is not None and self.drawn.paused


def cell_of(
    entry: Entry,
    old: Cell | None,
    cwd: str,
    pause: Pause,
    boundary: Boundary,
    fit: Fit = LOOSE,
    *,
    is_open: bool,
) -> Cell:
    """Return the cell of an entry: the old one, as long as neither has changed."""
    if old and old.source is entry and old.is_open == is_open and not old.is_paused:
        if old.fits(fit):
            return old
        pause = never  # half of it would be gone until the next time
    return boundary.draw(
        lambda: _made(entry, old, cwd, pause, fit, is_open=is_open),
        lambda error: Cell(entry, is_open, undrawn(entry.key, error), is_faulty=True),
    )


def _made(
    entry: Entry, old: Cell | None, cwd: str, pause: Pause, fit: Fit, *, is_open: bool
) -> Cell:
    known = old.drawn if old and old.block.key == entry.key else None
    match entry:
        case Message():
            drawn = message.draw(entry, cwd, known, pause, fit, is_open=is_open)
            block = Block(entry.key, drawn.lines, foldable=message.is_foldable(entry))
        case ToolCall():
            drawn = tool_call.draw(entry, cwd, known, pause, is_open=is_open)
            block = Block(entry.key, drawn.lines, foldable=True)
        case Notice():
            drawn = message.Drawn(message.notice(entry))
            block = Block(entry.key, drawn.lines)
        case Ending():
            drawn = message.Drawn(ending.lines(entry))
            block = Block(entry.key, drawn.lines)
        case Compaction():
            drawn = context.draw(entry, cwd, known, pause, is_open=is_open)
            block = Block(entry.key, drawn.lines, foldable=bool(entry.summary))
    return Cell(entry, is_open, block, drawn, fit=fit)


def plan_cell(
    state: SessionState,
    source: Plan,
    old: Cell | None,
    boundary: Boundary,
    opened: frozenset[str],
) -> Cell:
    """Return the cell of the plan: the old one, as long as nothing of it has changed."""
    is_open = PLAN not in opened
    is_live = state.is_running or state.stop_reason != "cancelled"
    if old and old.source is source and (old.is_live, old.is_open) == (is_live, is_open):
        return old
    block = boundary.draw(
        lambda: Block(PLAN, plan.lines(source, is_live=is_live, is_open=is_open), foldable=True),
        partial(undrawn, PLAN),
    )
    return Cell(source, is_open, block, is_live=is_live)


def context_cell(source: Usage, old: Cell | None, boundary: Boundary) -> Cell:
    """Return the cell that says that the context is nearly full."""
    if old and old.source is source:
        return old
    block = boundary.draw(lambda: context.block(source), partial(undrawn, context.KEY))
    return Cell(source, is_open=True, block=block)


def queued_cell(
    source: Prompt,
    key: str,
    cwd: str,
    old: Cell | None,
    boundary: Boundary,
    *,
    is_last: bool,
) -> Cell:
    """Return the cell of a prompt that waits; a blank row is below the last one."""
    if old and old.source is source and (len(old.block.lines) > 1) == is_last:
        return old
    line = boundary.draw(lambda: message.queued(source, cwd), lambda error: (fault_line(error),))
    block = Block(key, (*line, *((BLANK,) if is_last else ())))
    return Cell(source, is_open=True, block=block)
