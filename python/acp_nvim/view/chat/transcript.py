"""The chat as blocks: `render(state)`, and what stands in a row of it.

The only door to the renderers of the single entries; the program calls this and `patch`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from heapq import merge
from itertools import chain, groupby
from operator import attrgetter
from typing import Literal, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from acp_nvim.session.content import Resource, ResourceLink
from acp_nvim.session.log import Log, Table
from acp_nvim.session.model import Location
from acp_nvim.session.state import (
    Compaction,
    Ending,
    Entry,
    Message,
    Notice,
    SessionState,
    ToolCall,
)
from acp_nvim.view.block import BLANK, Block
from acp_nvim.view.blocks import Blocks, Stretch
from acp_nvim.view.chat import context, ending, group, message, plan, tool_call, within
from acp_nvim.view.chat.attachment import label
from acp_nvim.view.chat.boundary import Boundary, fault_line, undrawn
from acp_nvim.view.chat.cell import PLAN, Cell, context_cell, plan_cell, queued_cell
from acp_nvim.view.chat.cell import cell_of as _cell
from acp_nvim.view.cut import ITEMS, is_rest
from acp_nvim.view.markdown.render import Fit
from acp_nvim.view.pause import Pause, never
from acp_nvim.view.place import linked, place
from acp_nvim.view.styled import coloured
from acp_nvim.view.visible import one_line

FoldAction: TypeAlias = Literal["toggle", "open", "close", "open_all", "close_all"]


class _Folds(Struct, frozen=True):
    """What decides whether an entry is open: the user, and the questions that wait; by its key."""

    opened: frozenset[str] = frozenset()
    asking: frozenset[str] = frozenset()

    def is_open(self, entry: Entry) -> bool:
        return self._by_default(entry) != (entry.key in self.opened)

    def _by_default(self, entry: Entry) -> bool:
        is_wanted = entry.key in self.asking
        return isinstance(entry, ToolCall) and (is_wanted or entry.status == "failed")


UNDRAWN = Notice("", 0, "")
"""In place of an entry that was not drawn yet."""


class _Drawn(Struct, frozen=True):
    """The cells, and of which entries they are, as far as they are as they should be."""

    entries: Log[Entry] = field(default_factory=Log)
    cells: Log[Cell] = field(default_factory=Log)
    """One for each entry, at the same position."""
    blocks: Log[Block] = field(default_factory=Log)
    """Of the cells; those of tool calls as they stand among others."""
    folds: _Folds = _Folds()
    ended: int = 0
    """The turn has gone on after the tool calls before that position."""
    runs: group.Runs = field(default_factory=Table)
    """Of the calls before that position."""
    room: int | None = None
    tables: frozenset[int] = frozenset()
    """The positions of messages that have some."""
    paused: bool = False


class Transcript(Struct, frozen=True):
    """A rendering, and privately what the next one can reuse."""

    blocks: Blocks = field(default_factory=Blocks)
    _drawn: _Drawn = field(default_factory=_Drawn)
    _extras: tuple[Cell, ...] = ()
    """The plan and the queue."""
    _cwd: str = ""
    faults: tuple[Exception, ...] = ()
    """Why something could not be drawn, as far as that was tried this time."""

    @property
    def paused(self) -> bool:
        """There is more to draw, from where this ends."""
        return self._drawn.paused


def render(
    state: SessionState,
    opened: frozenset[str],
    previous: Transcript | None,
    pause: Pause = never,
    room: int | None = None,
) -> Transcript:
    """Draw the session; `opened` holds the keys that the user toggled from their default.

    `room` is how many cells a line has in the window.

    Open by default are the plan and tool calls that failed or wait for the user; thoughts, other
    tool calls and the text of attached resources are closed. An entry that is the same object, and
    as open as before, keeps its block. The rendering ends with the last block: no line after it.
    After a `pause` what is drawn already stays as it was, and what is new is not there yet. What
    cannot be drawn is one row, until it changes.
    """
    basis = previous if previous and previous._cwd == state.cwd else Transcript()
    calls = (state.tool_call(question.tool_call_id) for question in state.questions)
    folds = _Folds(opened, frozenset(call.key for call in calls if call is not None))
    boundary = Boundary()
    faulty: list[Block] = []

    def undrawable(error: Exception) -> _Drawn:
        faulty.append(undrawn("fault", error))
        return replace(basis._drawn, paused=False)

    drawn = boundary.draw(
        lambda: _entries(state, folds, basis._drawn, pause, boundary, room), undrawable
    )
    extras = _extras(state, opened, basis, boundary)
    after = [cell.block for cell in extras]
    pinned: list[Block] = []
    position = count = len(drawn.blocks)
    if state.plan and extras and extras[0].source is state.plan:
        position = min(count, _place_of_plan(state.entries, state.plan.turn))
        pinned.append(after.pop(0))
    starting = not state.entries and state.status == "loading"
    stretches = (
        Stretch.of((_starting(state.agent),) if starting else ()),
        Stretch(drawn.blocks, 0, position),
        Stretch.of(pinned),
        Stretch(drawn.blocks, position, count),
        Stretch.of((*faulty, *after)),
    )
    return Transcript(Blocks(stretches), drawn, extras, state.cwd, tuple(boundary.faults))


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


def _group_at(transcript: Transcript, row: int) -> list[Cell]:
    """Return the calls of the group of which the line is in that row; empty if there is none."""
    found = transcript.blocks.at(row)
    drawn = transcript._drawn
    cells = drawn.cells
    if found is None or found[1] > 0:
        return []
    at = next((at for at, cell in enumerate(cells) if cell.block.key == found[0].key), None)
    if at is None or found[0].lines[0] in cells[at].block.lines[:1]:
        return []
    run = group.run_around(drawn.entries, at, drawn.ended)
    return [] if run is None or len(run) < group.LEAST else list(cells[run.first : run.last])


def _fold_group(
    members: Sequence[Cell], opened: frozenset[str], action: FoldAction
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
    if entry is None or isinstance(entry, Notice | Compaction | Ending):
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
    if isinstance(entry, Ending):
        return ending.entry_text(entry)
    if isinstance(entry, Compaction):
        return context.entry_text(entry)
    return message.entry_text(entry)


def _entries(
    state: SessionState,
    folds: _Folds,
    basis: _Drawn,
    pause: Pause,
    boundary: Boundary,
    room: int | None,
) -> _Drawn:
    """Draw what is new, has changed, or is to be opened or closed: the last of it first.

    What is not drawn yet has no lines; it is there when the end is.
    """
    entries = Log.of(state.entries)
    known, cells, blocks = _with_new(entries, basis)
    made, done, paused, tables = dict[int, Cell](), list[int](), False, set(basis.tables)
    for position in _to_draw(state, folds, basis, known, room):
        if paused:
            break
        entry, old = entries[position], cells[position]
        fit = Fit(room, position < len(entries) - 1 or not state.is_running)
        cell = _cell(entry, old, state.cwd, pause, boundary, fit, is_open=folds.is_open(entry))
        if cell.has_table:
            tables.add(position)
        if cell is not old:
            made[position] = cell
        done.append(position)
        paused = cell is not old and (cell.is_paused or pause())
    else:
        paused = bool(done) and cell.is_paused
    cells = cells.put_all(made)
    blocks = blocks.put_all({at: cells[at].block for at in done})
    since = done[-1] + cells[done[-1]].is_paused if paused else 0
    ended, was = min(basis.ended, len(entries)), basis.room if paused else room
    if paused:  # what is not drawn yet is no part of what stands around the others
        keys = group.with_groups(cells[at].block.key for at in done if at >= since)
        folds = replace(basis.folds, opened=basis.folds.opened - keys | folds.opened & keys)
        entries = known.since(since, entries)
    arranged = _Drawn(
        entries, cells, blocks, folds, ended, basis.runs, was, frozenset(tables), paused
    )
    return boundary.draw(
        lambda: _arranged(arranged, basis, done[::-1], state.index, boundary),
        partial(_unarranged, arranged),
    )


def _with_new(entries: Log[Entry], basis: _Drawn) -> tuple[Log[Entry], Log[Cell], Log[Block]]:
    """Return what was drawn so far, as long as the transcript is now: of what is new, nothing."""
    known = basis.entries.first(len(entries))
    new = entries[len(known) :]
    waiting = [Cell(UNDRAWN, is_open=False, block=Block(it.key, ())) for it in new]
    cells = basis.cells.first(len(entries)).extended(waiting)
    blocks = basis.blocks.first(len(entries)).extended([it.block for it in waiting])
    return known.extended([UNDRAWN] * len(new)), cells, blocks


def _to_draw(
    state: SessionState, folds: _Folds, basis: _Drawn, known: Log[Entry], room: int | None
) -> Iterator[int]:
    """Yield the positions of what is to be drawn, from the last on, each once."""
    entries = Log.of(state.entries)
    # a table is laid out once nothing follows it, and anew in another room
    last = min(len(basis.entries), len(entries)) - 1
    laid_out = basis.tables if room != basis.room else basis.tables & {last}
    again = {*_turned(state, folds, basis.folds), *laid_out}
    turned = sorted((it for it in again if it < len(entries)), reverse=True)
    changed = entries.changed(known, backwards=True)
    yield from (it for it, _ in groupby(merge(changed, turned, reverse=True)))


def _arranged(
    drawn: _Drawn,
    basis: _Drawn,
    done: Sequence[int],
    index: Mapping[str, int],
    boundary: Boundary,
) -> _Drawn:
    """Put tool calls among each other: close together, in groups, and in each other.

    `done` are the positions that were drawn, ascending.
    """
    known = len(basis.entries)
    if len(drawn.entries) < known or any(map(partial(_is_another, drawn, basis), done)):
        drawn, known = replace(drawn, runs=Table(), ended=0), 0  # it is another transcript
    ended = drawn.ended
    drawn = replace(drawn, ended=group.last_calls(drawn.entries, done, ended))
    positions = {*done, *range(ended, min(drawn.ended, known))}
    changed = sorted(at for at in positions if isinstance(drawn.entries[at], ToolCall))
    rest = list[int]()
    for span in _spans(changed, partial(_joins, drawn, basis, min(ended, known))):
        small = boundary.draw(partial(_in_run, drawn, basis, span, index), lambda _error: None)
        if small is None:
            rest += span
        drawn = small or drawn
    entries, cells = drawn.entries, drawn.cells
    settled = set[int]()
    inner = (it for at in done if isinstance(it := entries[at], ToolCall) and it.parent in index)
    outer = {index[it.parent] for it in inner}
    for position in (*group.touched(entries, rest, drawn.ended), *sorted(outer)):
        if position in settled:
            continue
        shown, run = boundary.draw(
            partial(_around, drawn, position, index),
            lambda error, at=position: (_alone(cells[at], at, error), None),  # type: ignore[misc]
        )
        settled.update(shown)
        runs = group.noted(drawn.runs, run, shown)
        drawn = _with_blocks(replace(drawn, runs=runs), shown)
    return drawn


def _is_another(drawn: _Drawn, basis: _Drawn, position: int) -> bool:
    """Tell whether another entry was drawn there: an entry keeps its place."""
    was = basis.entries[position] if position < len(basis.entries) else UNDRAWN
    return was is not UNDRAWN and was.key != drawn.entries[position].key


def _joins(drawn: _Drawn, basis: _Drawn, ended: int, position: int) -> bool:
    """Tell whether a call there is to stand in a run, and did in none: before `ended` each did."""
    if position >= drawn.ended or not group.is_quiet(drawn.entries[position]):
        return False
    return position >= ended or not group.is_quiet(basis.entries[position])


def _spans(positions: Sequence[int], joins: Callable[[int], bool]) -> Iterator[range]:
    """Yield each position, those that join a run together with all beside it that do."""
    first = last = -1
    for position in positions:
        if not joins(position):
            yield range(position, position + 1)
        elif position == last:
            last += 1
        else:
            yield from (range(first, last),) if last > first else ()
            first, last = position, position + 1
    yield from (range(first, last),) if last > first else ()


def _in_run(drawn: _Drawn, basis: _Drawn, span: range, index: Mapping[str, int]) -> _Drawn | None:
    """Return the drawing with calls that have changed among other calls, whatever their number.

    None: it is not that simple, or may be not.
    """
    at = span.start
    entry, cell = drawn.entries[at], drawn.cells[at]
    was = basis.entries[at] if at < len(basis.entries) else UNDRAWN
    if at >= drawn.ended or not isinstance(entry, ToolCall):
        return None
    if any(it.is_open or it.is_faulty for it in drawn.cells[at : span.stop]):
        return None
    if not group.is_quiet(entry):
        is_moved = isinstance(was, ToolCall) and entry.parent != was.parent
        left = drawn.runs.get(f"<{at}")
        if group.is_quiet(was) or is_moved or (left and left.is_open):
            return None
        beside = _folded(drawn, left) if left and left.is_folded else _before(drawn, at, index)
        return _with_blocks(drawn, {at: _spaced(drawn, at, index)} | beside)
    old = basis.cells[at] if at < len(basis.cells) else cell
    if group.is_quiet(was) and at < basis.ended:
        is_same = isinstance(was, ToolCall) and entry.kind == was.kind and was is not entry
        is_hidden = is_same and not (old.is_open or old.is_faulty or basis.blocks[at].lines)
        return _with_blocks(drawn, {at: group.hidden(cell.block)}) if is_hidden else None
    run, sides = group.joined(drawn.runs, drawn.entries, span)
    opened = f"{group.PREFIX}{drawn.cells[run.first].block.key}" in drawn.folds.opened
    if opened or not run.is_folded or any(it.is_open for it in sides):
        return None
    shown = {*span, *(at for it in sides for at in ((it.first,) if it.is_folded else it.positions))}
    blocks = {at: group.hidden(drawn.cells[at].block) for at in shown} | _folded(drawn, run)
    if run.first == at:
        blocks |= _before(drawn, at, index)
    runs = group.noted(drawn.runs, run, (at - 1, span.stop))
    return _with_blocks(replace(drawn, runs=runs), blocks)


def _before(drawn: _Drawn, at: int, index: Mapping[str, int]) -> dict[int, Block]:
    """Return the block of the entry before that one: it may have been the last."""
    return {at - 1: _spaced(drawn, at - 1, index)} if at else {}


def _folded(drawn: _Drawn, run: group.Run) -> dict[int, Block]:
    """Return the one block that is to be seen of a folded group."""
    first, last = (_spaced(drawn, at, {}) for at in (run.first, run.last - 1))
    return {run.first: group.head(run, first, last)}


def _with_blocks(drawn: _Drawn, shown: Mapping[int, Block]) -> _Drawn:
    known = drawn.blocks
    blocks = {at: block for at, block in shown.items() if known[at] is not block}
    return replace(drawn, blocks=known.put_all(blocks))


def _unarranged(drawn: _Drawn, error: Exception) -> _Drawn:
    """Return each entry by itself; below the last one stands why."""
    last = len(drawn.cells) - 1
    shown = _alone(drawn.cells[last], last, error)[last]
    return replace(drawn, blocks=drawn.blocks.put(last, shown))


def _around(
    drawn: _Drawn, position: int, index: Mapping[str, int]
) -> tuple[dict[int, Block], group.Run | None]:
    """Return the block at that position, with those of its run, as they stand among others."""
    run = group.run_around(drawn.entries, position, drawn.ended)
    span = range(run.first, run.last) if run else range(position, position + 1)
    shown = {at: _spaced(drawn, at, index) for at in span}
    if run is None:
        return shown, None
    run = replace(run, is_open=_is_group_open([drawn.cells[at] for at in span], drawn.folds.opened))
    if len(run) >= group.LEAST:
        last = shown[run.last - 1]
        if run.is_folded:
            shown = {at: group.hidden(block) for at, block in shown.items()}
        shown[run.first] = group.head(run, _spaced(drawn, run.first, index), last)
    return shown, run


def _alone(cell: Cell, position: int, error: Exception) -> dict[int, Block]:
    """Return the block of an entry whose place among others, or what is in it, is not known."""
    lines = (*cell.block.lines, fault_line(error), BLANK)
    return {position: replace(cell.block, lines=lines)}


def _spaced(drawn: _Drawn, position: int, index: Mapping[str, int]) -> Block:
    """Return the block of an entry as it stands before the next one, with those that are in it."""
    entries, cell = drawn.entries, drawn.cells[position]
    entry, last = entries[position], len(entries) - 1
    following = entries[position + 1] if position < last else None
    block = group.spaced(cell.block, entry, following)
    if not isinstance(entry, ToolCall) or not (entry.parent or entry.children):
        return block
    if entry.parent in index:
        return within.hidden(block, entry.parent)
    places = (index.get(key, len(entries)) for key in entry.children[:ITEMS])
    known = [at for at in places if at < len(entries) and isinstance(entries[at], ToolCall)]
    calls = [it for at in known if isinstance(it := entries[at], ToolCall)]
    blocks = [drawn.cells[at].block for at in known]
    is_open = cell.is_open or any(drawn.cells[at].is_faulty for at in known)
    return within.nested(block, entry, calls, blocks, is_open=is_open)


def _is_group_open(members: Sequence[Cell], opened: frozenset[str]) -> bool:
    return f"{group.PREFIX}{members[0].block.key}" in opened or any(
        it.is_open or it.is_faulty for it in members
    )


def _turned(state: SessionState, folds: _Folds, basis: _Folds) -> Iterator[int]:
    """Yield where the user, or a question, has opened or closed something since."""
    opened = (key.removeprefix(group.PREFIX) for key in folds.opened ^ basis.opened)
    keys = {*(folds.asking ^ basis.asking), *opened}
    return (position for key in keys if (position := state.index.get(key)) is not None)


def _extras(
    state: SessionState, opened: frozenset[str], basis: Transcript, boundary: Boundary
) -> tuple[Cell, ...]:
    known = {cell.block.key: cell for cell in basis._extras}
    cells = []
    if state.plan and state.plan.entries:
        cells.append(plan_cell(state, state.plan, known.get(PLAN), boundary, opened))
    full = boundary.draw(lambda: context.nearly_full(state), lambda _error: None)
    if full is not None:
        cells.append(context_cell(full, known.get(context.KEY), boundary))
    for number, prompt in enumerate(state.queue):
        key, is_last = f"queue:{number}", number == len(state.queue) - 1
        old = known.get(key)
        cells.append(queued_cell(prompt, key, state.cwd, old, boundary, is_last=is_last))
    return tuple(cells)


def _place_of_plan(entries: Sequence[Entry], turn: int) -> int:
    """Return the position after the entries of that turn, but before the row that ends it."""
    is_last = not entries or entries[-1].turn <= turn
    end = len(entries) if is_last else bisect_right(entries, turn, key=attrgetter("turn"))
    ends = end and isinstance(entries[end - 1], Ending) and entries[end - 1].turn == turn
    return end - 1 if ends else end


def _starting(agent: str) -> Block:
    return Block("starting", (coloured(f"Starting {one_line(agent, 60)} …", "AcpDim"), BLANK))


def _named_files(entry: Message | ToolCall, cwd: str) -> Mapping[str, Location]:
    """Return the files of an entry by the text of the line that names each."""
    links = [part for part in entry.content if isinstance(part, Resource | ResourceLink)]
    named = {label(link, cwd): file for link in links if (file := linked(link.uri, cwd))}
    if isinstance(entry, Message):
        return named
    return {place(where, cwd): where for where in tool_call.locations(entry)} | named
