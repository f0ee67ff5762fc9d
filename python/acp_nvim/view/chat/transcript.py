"""The chat as blocks: `render(state)`, and what stands in a row of it.

The only door to the renderers of the single entries; the program calls this and `patch`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import attrgetter
from typing import Literal, TypeAlias, TypeVar

from acp_nvim.session.content import Resource, ResourceLink
from acp_nvim.session.log import Log
from acp_nvim.session.model import Location, Prompt
from acp_nvim.session.state import Compaction, Entry, Message, Notice, Plan, SessionState, ToolCall
from acp_nvim.view.block import BLANK, Block
from acp_nvim.view.blocks import Blocks, Stretch
from acp_nvim.view.chat import compaction, group, message, plan, tool_call, within
from acp_nvim.view.chat.attachment import label
from acp_nvim.view.cut import ITEMS, is_rest
from acp_nvim.view.pause import Pause, never
from acp_nvim.view.place import linked, place
from acp_nvim.view.styled import coloured
from acp_nvim.view.visible import one_line

T = TypeVar("T")
PLAN = "plan"
"""The key of the plan: toggled, it is one line."""
FoldAction: TypeAlias = Literal["toggle", "open", "close", "open_all", "close_all"]


@dataclass(frozen=True, slots=True)
class _Cell:
    """The block of one thing that is shown, and what it was drawn from."""

    source: Entry | Plan | Prompt
    is_open: bool
    block: Block
    drawn: message.Drawn | None = None
    is_live: bool = True
    """Somebody works on it."""


@dataclass(frozen=True, slots=True)
class _Folds:
    """What decides whether an entry is open: the user, and the questions that wait."""

    opened: frozenset[str] = frozenset()
    asking: frozenset[str] = frozenset()

    def is_open(self, entry: Entry) -> bool:
        return self._by_default(entry) != (entry.key in self.opened)

    def _by_default(self, entry: Entry) -> bool:
        return isinstance(entry, ToolCall) and (entry.status == "failed" or entry.id in self.asking)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The cells, and of which entries they are, as far as they are as they should be."""

    entries: Log[Entry] = field(default_factory=Log)
    cells: Log[_Cell] = field(default_factory=Log)
    """One for each entry, at the same position."""
    blocks: Log[Block] = field(default_factory=Log)
    """Of the cells; those of tool calls as they stand among others."""
    folds: _Folds = _Folds()
    ended: int = 0
    """The turn has gone on after the tool calls before that position."""
    paused: bool = False


@dataclass(frozen=True, slots=True)
class Transcript:
    """A rendering, and privately what the next one can reuse."""

    blocks: Blocks = field(default_factory=Blocks)
    _drawn: _Drawn = field(default_factory=_Drawn)
    _extras: tuple[_Cell, ...] = ()
    """The plan and the queue."""
    _cwd: str = ""

    @property
    def paused(self) -> bool:
        """There is more to draw, from where this ends."""
        return self._drawn.paused


def render(
    state: SessionState,
    opened: frozenset[str],
    previous: Transcript | None,
    pause: Pause = never,
) -> Transcript:
    """Draw the session; `opened` holds the keys that the user toggled from their default.

    Open by default are the plan and tool calls that failed or wait for the user; thoughts, other
    tool calls and the text of attached resources are closed. An entry that is the same object, and
    as open as before, keeps its block. The rendering ends with the last block: no line after it.
    After a `pause` what is drawn already stays as it was, and what is new is not there yet.
    """
    basis = previous if previous and previous._cwd == state.cwd else Transcript()
    folds = _Folds(opened, frozenset(question.tool_call_id for question in state.questions))
    drawn = _entries(state, folds, basis._drawn, pause)
    extras = _extras(state, opened, basis)
    after = [cell.block for cell in extras]
    pinned: list[Block] = []
    position = count = len(drawn.blocks)
    if state.plan and extras and extras[0].source is state.plan:
        position = min(count, _end_of_turn(state.entries, state.plan.turn))
        pinned.append(after.pop(0))
    starting = not state.entries and state.status == "loading"
    stretches = (
        Stretch.of((_starting(state.agent),) if starting else ()),
        Stretch(drawn.blocks, 0, position),
        Stretch.of(pinned),
        Stretch(drawn.blocks, position, count),
        Stretch.of(after),
    )
    return Transcript(Blocks(stretches), drawn, extras, state.cwd)


def fold(
    transcript: Transcript, opened: frozenset[str], row: int, action: FoldAction
) -> frozenset[str]:
    """Return the new `opened` after a fold command in the 0-based row."""
    shown = chain(transcript._drawn.cells, transcript._extras)
    cells = [cell for cell in shown if cell.block.foldable]
    if action == "close_all":
        opened = frozenset(key for key in opened if not key.startswith(group.PREFIX))
    elif action != "open_all" and (members := _group_at(transcript, row)):
        return _fold_group(members, opened, action)
    if action not in ("open_all", "close_all"):
        key = key_at(transcript, row)
        cells = [cell for cell in cells if cell.block.key == key]
    if action != "toggle":
        want = action in ("open", "open_all")
        cells = [cell for cell in cells if cell.is_open != want]
    return opened ^ {cell.block.key for cell in cells}


def _group_at(transcript: Transcript, row: int) -> list[_Cell]:
    """Return the calls of the group of which the line is in that row; empty if there is none."""
    found = transcript.blocks.at(row)
    drawn = transcript._drawn
    cells = drawn.cells
    if found is None or found[1] > 0:
        return []
    at = next((at for at, cell in enumerate(cells) if cell.block.key == found[0].key), None)
    if at is None or found[0].lines[0] in cells[at].block.lines[:1]:
        return []
    return [cells[at] for at in group.members(drawn.entries, at, drawn.ended)]


def _fold_group(
    members: Sequence[_Cell], opened: frozenset[str], action: FoldAction
) -> frozenset[str]:
    is_open = _is_group_open(members, opened)
    wanted = not is_open if action == "toggle" else action == "open"
    if wanted == is_open:
        return opened
    key = f"{group.PREFIX}{members[0].block.key}"
    if wanted:
        return opened | {key}
    return (opened - {key}) ^ {cell.block.key for cell in members if cell.is_open}


def key_at(transcript: Transcript, row: int) -> str | None:
    """Return the key of the block in the 0-based buffer row, or None."""
    found = transcript.blocks.at(row)
    return within.part(*found)[0] if found else None


def row_of(transcript: Transcript, key: str) -> int | None:
    """Return the 0-based buffer row at which the block of that key begins, or None.

    What is folded away is where its group is.
    """
    row = shown = 0
    for block in transcript.blocks:
        shown = row if block.lines else shown
        if block.key == key:
            is_inside = block.within and not block.lines
            return row_of(transcript, block.within[0][1]) if is_inside else shown
        places = (first for first, inner in block.within if block.lines and inner == key)
        if (first := next(places, None)) is not None:
            return row + first
        row += len(block.lines)
    return None


def all_at(state: SessionState, transcript: Transcript, row: int) -> str | None:
    """Return all of what the 0-based row says that there is more of; None if it says no such."""
    found = transcript.blocks.at(row)
    if found is None or not is_rest(found[0].lines[found[1]].text):
        return None
    key, _, _ = within.part(*found)
    if key == PLAN and state.plan:
        return plan.text(state.plan)
    entry = state.entry(key)
    return None if entry is None else entry_text(entry)


def location_at(state: SessionState, transcript: Transcript, row: int) -> Location | None:
    """Return the file that the 0-based buffer row names, or None.

    Anywhere in a tool call it is the file named last above, else the call's first one.
    """
    found = transcript.blocks.at(row)
    if found is None:
        return None
    key, offset, lines = within.part(*found)
    entry = state.entry(key)
    if entry is None or isinstance(entry, Notice | Compaction):
        return None
    named = _named_files(entry, state.cwd)
    first = 0 if isinstance(entry, ToolCall) else offset
    for line in reversed(lines[first : offset + 1]):
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


def _entries(state: SessionState, folds: _Folds, basis: _Drawn, pause: Pause) -> _Drawn:
    """Draw the entries that have changed since, those to be opened or closed, and the new ones."""
    entries = Log.of(state.entries)
    known = basis.entries.first(len(entries))
    cells, blocks = basis.cells.first(len(entries)), basis.blocks.first(len(entries))
    last = range(len(known), len(entries))
    turned = _turned(state, folds, basis.folds)
    changed = sorted(it for it in {*entries.changed(known), *turned} if it < len(known))
    done, paused = list[int](), False
    for position in (*changed, *last):
        old = cells[position] if position < len(cells) else None
        entry = entries[position]
        cell = _cell(entry, old, state.cwd, pause, is_open=folds.is_open(entry))
        cells, blocks = _placed(cells, position, cell), _placed(blocks, position, cell.block)
        done.append(position)
        if position < last.start and not _is_paused(cell):
            known = _placed(known, position, entry)
        if cell is not old and pause() and (position < len(entries) - 1 or _is_paused(cell)):
            paused = True
            if position >= last.start:  # all before it is done; and the logs share what they have
                known = entries.first(position + (not _is_paused(cell)))
            break
    shown = entries.first(len(cells))
    ended = group.last_calls(shown, done, min(basis.ended, len(shown)))
    arranged = _Drawn(shown, cells, blocks, folds, ended, paused=paused)
    blocks = _arranged(arranged, done, last.start, state.index)
    if paused:
        keys = group.with_groups(cells[at].block.key for at in done if not _is_paused(cells[at]))
        folds = replace(basis.folds, opened=basis.folds.opened - keys | folds.opened & keys)
        return replace(arranged, entries=known, blocks=blocks, folds=folds)
    return replace(arranged, blocks=blocks)


def _arranged(
    drawn: _Drawn, done: Sequence[int], first_new: int, index: Mapping[str, int]
) -> Log[Block]:
    """Put tool calls among each other: close together, in groups, and in each other.

    `done` are the positions that were drawn, ascending; those since `first_new` were not there.
    """
    entries, cells, blocks = drawn.entries, drawn.cells, drawn.blocks
    changed = [at for at in done if at < first_new]
    new = range(first_new, len(cells)) if done and done[-1] >= first_new else range(0)
    settled = set[int]()
    outer = {
        index[it.parent] for at in done if isinstance(it := entries[at], ToolCall) and it.parent
    }
    for position in (*group.touched(entries, changed, new, drawn.ended), *sorted(outer)):
        if position in settled:
            continue
        calls = group.members(entries, position, drawn.ended)
        span = calls or range(position, position + 1)
        settled.update(span)
        shown = [_spaced(drawn, at, index) for at in span]
        if calls:
            members = [cells[at] for at in calls]
            is_open = _is_group_open(members, drawn.folds.opened)
            shown = group.folded([entries[at] for at in calls], shown, is_open=is_open)
        for at, block in zip(span, shown, strict=True):
            blocks = _placed(blocks, at, block)
    return blocks


def _spaced(drawn: _Drawn, position: int, index: Mapping[str, int]) -> Block:
    """Return the block of an entry as it stands before the next one, with those that are in it."""
    entries, cell = drawn.entries, drawn.cells[position]
    entry, following = entries[position], [*entries[position + 1 : position + 2], None][0]
    block = group.spaced(cell.block, entry, following, is_open=cell.is_open)
    if not isinstance(entry, ToolCall) or not (entry.parent or entry.children):
        return block
    if entry.parent:
        return within.hidden(block, entry.parent)
    places = (index.get(key, len(entries)) for key in entry.children[:ITEMS])
    known = [at for at in places if at < len(entries)]
    calls = [it for at in known if isinstance(it := entries[at], ToolCall)]
    blocks = [drawn.cells[at].block for at in known]
    return within.nested(block, entry, calls, blocks, is_open=cell.is_open)


def _is_group_open(members: Sequence[_Cell], opened: frozenset[str]) -> bool:
    return f"{group.PREFIX}{members[0].block.key}" in opened or any(it.is_open for it in members)


def _turned(state: SessionState, folds: _Folds, basis: _Folds) -> Iterator[int]:
    """Yield where the user, or a question, has opened or closed something since."""
    asking = (f"tool:{id}" for id in folds.asking ^ basis.asking)
    keys = {*asking, *(key.removeprefix(group.PREFIX) for key in folds.opened ^ basis.opened)}
    return (position for key in keys if (position := state.index.get(key)) is not None)


def _placed(log: Log[T], position: int, item: T) -> Log[T]:
    """Return the log with that item at the position, which may be the one after the last."""
    if position == len(log):
        return log.appended(item)
    return log if log[position] is item else log.put(position, item)


def _is_paused(cell: _Cell) -> bool:
    return cell.drawn is not None and cell.drawn.paused


def _cell(entry: Entry, old: _Cell | None, cwd: str, pause: Pause, *, is_open: bool) -> _Cell:
    if old and old.source is entry and old.is_open == is_open and not _is_paused(old):
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


def _extras(state: SessionState, opened: frozenset[str], basis: Transcript) -> tuple[_Cell, ...]:
    known = {cell.block.key: cell for cell in basis._extras}
    cells = []
    if state.plan and state.plan.entries:
        cells.append(_plan(state, state.plan, known.get(PLAN), is_open=PLAN not in opened))
    for number, prompt in enumerate(state.queue):
        key, is_last = f"queue:{number}", number == len(state.queue) - 1
        cells.append(_queued(prompt, key, state.cwd, known.get(key), is_last=is_last))
    return tuple(cells)


def _plan(state: SessionState, source: Plan, old: _Cell | None, *, is_open: bool) -> _Cell:
    is_live = state.is_running or state.stop_reason != "cancelled"
    if old and old.source is source and (old.is_live, old.is_open) == (is_live, is_open):
        return old
    lines = plan.lines(source, is_live=is_live, is_open=is_open)
    return _Cell(source, is_open, Block(PLAN, lines, foldable=True), is_live=is_live)


def _queued(source: Prompt, key: str, cwd: str, old: _Cell | None, *, is_last: bool) -> _Cell:
    if old and old.source is source and (len(old.block.lines) > 1) == is_last:
        return old
    lines = (*message.queued(source, cwd), *((BLANK,) if is_last else ()))
    return _Cell(source, is_open=True, block=Block(key, lines))


def _end_of_turn(entries: Sequence[Entry], turn: int) -> int:
    """Return the position after the entries of that turn, and of those before it."""
    if not entries or entries[-1].turn <= turn:
        return len(entries)
    return bisect_right(entries, turn, key=attrgetter("turn"))


def _starting(agent: str) -> Block:
    return Block("starting", (coloured(f"Starting {one_line(agent, 60)} …", "AcpDim"), BLANK))


def _named_files(entry: Message | ToolCall, cwd: str) -> Mapping[str, Location]:
    """Return the files of an entry by the text of the line that names each."""
    links = [part for part in entry.content if isinstance(part, Resource | ResourceLink)]
    named = {label(link, cwd): file for link in links if (file := linked(link.uri, cwd))}
    if isinstance(entry, Message):
        return named
    return {place(where, cwd): where for where in tool_call.locations(entry)} | named
