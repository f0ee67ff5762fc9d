"""The chat as blocks: `render(state)`, and what stands in a row of it.

The only door to the renderers of the single entries; the program calls this and `patch`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from operator import attrgetter
from typing import Literal, TypeAlias

from acp_nvim.session.content import Resource, ResourceLink
from acp_nvim.session.model import Location, Prompt
from acp_nvim.session.state import Compaction, Entry, Message, Notice, Plan, SessionState, ToolCall
from acp_nvim.view.block import BLANK, Block
from acp_nvim.view.chat import compaction, message, plan, tool_call
from acp_nvim.view.chat.attachment import label
from acp_nvim.view.cut import is_rest
from acp_nvim.view.patch import common_start
from acp_nvim.view.pause import Pause, never
from acp_nvim.view.place import file_of, place
from acp_nvim.view.styled import coloured
from acp_nvim.view.visible import one_line

FoldAction: TypeAlias = Literal["toggle", "open", "close", "open_all", "close_all"]


@dataclass(frozen=True, slots=True)
class _Cell:
    """The block of one thing that is shown, and what it was drawn from."""

    source: Entry | Plan | Prompt
    is_open: bool
    block: Block
    drawn: message.Drawn | None = None


@dataclass(frozen=True, slots=True)
class _Folds:
    """What decides whether an entry is open: the user, and the questions that wait."""

    opened: frozenset[str] = frozenset()
    asking: frozenset[str] = frozenset()

    def is_open(self, entry: Entry) -> bool:
        return self._by_default(entry) != (entry.key in self.opened)

    def _by_default(self, entry: Entry) -> bool:
        return isinstance(entry, ToolCall) and (entry.status == "failed" or entry.id in self.asking)


_UNKNOWN = _Folds(frozenset({""}))
"""Equal to none that there are."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A rendering, and privately what the next one can reuse."""

    blocks: tuple[Block, ...] = ()
    _entries: tuple[Entry, ...] = ()
    _cells: tuple[_Cell, ...] = ()
    """One for each entry, at the same position."""
    _extras: tuple[_Cell, ...] = ()
    """The plan and the queue."""
    _folds: _Folds = _Folds()
    _cwd: str = ""
    paused: bool = False
    """There is more to draw, from where this ends."""


def render(
    state: SessionState,
    opened: frozenset[str],
    previous: Transcript | None,
    pause: Pause = never,
) -> Transcript:
    """Draw the session; `opened` holds the keys that the user toggled from their default.

    Open by default are tool calls that failed or wait for the user; thoughts, other tool calls and
    the text of attached resources are closed. An entry that is the same object, and as open as
    before, keeps its block. The rendering ends with the last block: no line after it. After a
    `pause` what is drawn already stays as it was, and what is new is not there yet.
    """
    basis = previous if previous and previous._cwd == state.cwd else Transcript()
    folds = _Folds(opened, frozenset(question.tool_call_id for question in state.questions))
    cells, done = _cells(state, folds, basis, pause)
    extras = _extras(state, basis)
    blocks = [cell.block for cell in cells]
    if state.plan and extras and extras[0].source is state.plan:
        position = bisect_right(state.entries, state.plan.turn, key=attrgetter("turn"))
        blocks.insert(position, extras[0].block)
        blocks += [cell.block for cell in extras[1:]]
    else:
        blocks += [cell.block for cell in extras]
    if not state.entries and state.status == "loading":
        blocks.insert(0, _starting(state.agent))
    paused = done < len(state.entries)
    known = state.entries[:done] if paused else state.entries
    shown = _UNKNOWN if paused else folds
    return Transcript(tuple(blocks), known, cells, extras, shown, state.cwd, paused)


def fold(
    transcript: Transcript, opened: frozenset[str], row: int, action: FoldAction
) -> frozenset[str]:
    """Return the new `opened` after a fold command in the 0-based row."""
    cells = [cell for cell in transcript._cells if cell.block.foldable]
    if action not in ("open_all", "close_all"):
        key = key_at(transcript, row)
        cells = [cell for cell in cells if cell.block.key == key]
    if action != "toggle":
        want = action in ("open", "open_all")
        cells = [cell for cell in cells if cell.is_open != want]
    return opened ^ {cell.block.key for cell in cells}


def key_at(transcript: Transcript, row: int) -> str | None:
    """Return the key of the block in the 0-based buffer row, or None."""
    found = _block_at(transcript, row)
    return found[0].key if found else None


def row_of(transcript: Transcript, key: str) -> int | None:
    """Return the 0-based buffer row at which the block of that key begins, or None."""
    row = 0
    for block in transcript.blocks:
        if block.key == key:
            return row
        row += len(block.lines)
    return None


def all_at(state: SessionState, transcript: Transcript, row: int) -> str | None:
    """Return all of what the 0-based row says that there is more of; None if it says no such."""
    found = _block_at(transcript, row)
    if found is None or not is_rest(found[0].lines[found[1]].text):
        return None
    key = found[0].key
    if key == "plan" and state.plan:
        return plan.text(state.plan)
    entry = state.entry(key)
    return None if entry is None else entry_text(entry)


def location_at(state: SessionState, transcript: Transcript, row: int) -> Location | None:
    """Return the file that the 0-based buffer row names, or None.

    Anywhere in a tool call it is the file named last above, else the call's first one.
    """
    found = _block_at(transcript, row)
    entry = state.entry(found[0].key) if found else None
    if found is None or entry is None or isinstance(entry, Notice | Compaction):
        return None
    block, offset = found
    named = _named_files(entry, state.cwd)
    first = 0 if isinstance(entry, ToolCall) else offset
    for line in reversed(block.lines[first : offset + 1]):
        if line.text in named:
            return named[line.text]
    return next(iter(named.values()), None) if isinstance(entry, ToolCall) else None


def entry_text(entry: Entry) -> str:
    """Return the plain text of an entry, verbatim, for `inspect()`."""
    if isinstance(entry, ToolCall):
        return tool_call.entry_text(entry)
    if isinstance(entry, Compaction):
        return compaction.entry_text(entry)
    return message.entry_text(entry)


def _cells(
    state: SessionState, folds: _Folds, basis: Transcript, pause: Pause
) -> tuple[tuple[_Cell, ...], int]:
    """Draw the entries; those before the first changed one are not even looked at.

    Returns the cells, and how many of them, from the first, are as they are to be.
    """
    kept = common_start(basis._entries, state.entries) if basis._folds == folds else 0
    cells = list(basis._cells[:kept])
    known = basis._cells[kept : len(state.entries)]
    for entry, old in zip_longest(state.entries[kept:], known):
        cell = _cell(entry, old, state.cwd, pause, is_open=folds.is_open(entry))
        cells.append(cell)
        if cell is not old and pause():
            done = len(cells) - (cell.drawn is not None and cell.drawn.paused)
            return (*cells, *basis._cells[len(cells) : len(state.entries)]), done
    return tuple(cells), len(cells)


def _cell(entry: Entry, old: _Cell | None, cwd: str, pause: Pause, *, is_open: bool) -> _Cell:
    paused = old is not None and old.drawn is not None and old.drawn.paused
    if old and old.source is entry and old.is_open == is_open and not paused:
        return old
    known = old.drawn if old and old.block.key == entry.key else None
    match entry:
        case Message():
            drawn = message.draw(entry, cwd, known, pause, is_open=is_open)
            block = Block(entry.key, drawn.lines, foldable=message.is_foldable(entry))
        case ToolCall():
            drawn = tool_call.draw(entry, cwd, known, pause, is_open=is_open)
            block = Block(entry.key, drawn.lines, foldable=True)
        case Notice():
            drawn = message.Drawn(message.notice(entry))
            block = Block(entry.key, drawn.lines)
        case Compaction():
            drawn = compaction.draw(entry, cwd, known, pause, is_open=is_open)
            block = Block(entry.key, drawn.lines, foldable=bool(entry.summary))
    return _Cell(entry, is_open, block, drawn)


def _extras(state: SessionState, basis: Transcript) -> tuple[_Cell, ...]:
    wanted: list[tuple[str, Plan | Prompt]] = []
    if state.plan and state.plan.entries:
        wanted.append(("plan", state.plan))
    wanted += [(f"queue:{number}", prompt) for number, prompt in enumerate(state.queue)]
    known = {cell.block.key: cell for cell in basis._extras}
    return tuple(_extra(key, source, state.cwd, known.get(key)) for key, source in wanted)


def _extra(key: str, source: Plan | Prompt, cwd: str, old: _Cell | None) -> _Cell:
    if old and old.source is source:
        return old
    lines = plan.lines(source) if isinstance(source, Plan) else message.queued(source, cwd)
    return _Cell(source, True, Block(key, lines))


def _starting(agent: str) -> Block:
    return Block("starting", (coloured(f"Starting {one_line(agent, 60)} …", "AcpDim"), BLANK))


def _block_at(transcript: Transcript, row: int) -> tuple[Block, int] | None:
    """Return the block in that row, and the row within it."""
    offset = row
    for block in transcript.blocks:
        if 0 <= offset < len(block.lines):
            return block, offset
        offset -= len(block.lines)
    return None


def _named_files(entry: Message | ToolCall, cwd: str) -> Mapping[str, Location]:
    """Return the files of an entry by the text of the line that names each."""
    links = [part for part in entry.content if isinstance(part, Resource | ResourceLink)]
    named = {label(link, cwd): file for link in links if (file := file_of(link.uri))}
    if isinstance(entry, Message):
        return named
    return {place(where, cwd): where for where in tool_call.locations(entry)} | named
