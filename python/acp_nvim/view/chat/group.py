"""Tool calls that follow one another: no blank rows between, one line once the turn goes on.

Only what has looked, and went well, is folded away: a call that failed, that runs, that does
something, or of which nobody said how it ended stays. Called by `transcript`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.session.content import Diff
from acp_nvim.session.log import Table
from acp_nvim.session.state import Entry, ToolCall
from acp_nvim.view.block import Block, Line, Margin
from acp_nvim.view.chat.tool_call import KINDS
from acp_nvim.view.styled import before, coloured, plural

LEAST = 3
"""So many calls are worth a line of their own."""
QUIET = ("read", "search", "fetch", "think")
"""Kinds of calls that change nothing."""
PREFIX = "group:"
"""Of the key by which the user opens one: then that of its first call."""


def with_groups(keys: Iterable[str]) -> set[str]:
    """Return these keys of entries, and those of the groups that would begin with them."""
    return {name for key in keys for name in (key, f"{PREFIX}{key}")}


def is_quiet(entry: Entry) -> bool:
    """Say whether a call may be folded away: it is over, and was nothing to look at."""
    return (
        isinstance(entry, ToolCall)
        and not (entry.parent or entry.children)
        and (entry.status, entry.kind in QUIET) == ("completed", True)
        and not (entry.changes or any(isinstance(part, Diff) for part in entry.content))
    )


def last_calls(entries: Sequence[Entry], done: Sequence[int], known: int) -> int:
    """Return since which position there are only tool calls.

    `done` are the positions, ascending, at which that may have changed, `known` what it was before.
    """
    others = (at + 1 for at in reversed(done) if not isinstance(entries[at], ToolCall))
    position = max(next(others, 0), known)
    while position and isinstance(entries[position - 1], ToolCall):  # all are others now
        position -= 1
    return position


class Run(Struct, frozen=True):
    """Quiet calls side by side, at the positions [first, last): a group, if they are enough."""

    first: int
    last: int
    kinds: Mapping[str, int]
    is_open: bool = False
    """One of them is open, or the user has opened the group."""

    @property
    def is_folded(self) -> bool:
        """Whether one line stands for all of them."""
        return len(self) >= LEAST and not self.is_open

    @property
    def positions(self) -> range:
        """Where its calls are."""
        return range(self.first, self.last)

    def __len__(self) -> int:
        return self.last - self.first


Runs: TypeAlias = Table[Run | None]
"""By where a run begins (">3") and ends ("<7"): what a call joins is found at any length."""


def run_around(entries: Sequence[Entry], position: int, ended: int) -> Run | None:
    """Return the run that the entry belongs to, None if to none; it may be open.

    `ended`: the turn has gone on after the calls before that position.
    """
    if position >= ended or not is_quiet(entries[position]):
        return None
    first, last = _quiet_around(entries, position)
    return Run(first, last, _kinds(entries[first:last]))


def _kinds(entries: Sequence[Entry]) -> Counter[str]:
    return Counter(KINDS.get(it.kind, "other") for it in entries if isinstance(it, ToolCall))


def joined(runs: Runs, entries: Sequence[Entry], span: range) -> tuple[Run, list[Run]]:
    """Return the run that calls side by side make with those on both sides of them, and these."""
    sides = runs.get(f"<{span.start}"), runs.get(f">{span.stop}")
    left, right = sides
    kinds = Counter(left.kinds if left else {})
    kinds.update(_kinds(entries[span.start : span.stop]))
    kinds.update(right.kinds if right else {})
    first, last = left.first if left else span.start, right.last if right else span.stop
    return Run(first, last, kinds), [it for it in sides if it is not None]


def noted(runs: Runs, run: Run | None, gone: Iterable[int] = ()) -> Runs:
    """Note a run; no other begins or ends any more with the calls at the positions `gone`."""
    for key in (sign for at in gone for sign in (f">{at}", f"<{at + 1}") if runs.get(sign)):
        runs = runs.put(key, None)
    return runs if run is None else runs.put(f">{run.first}", run).put(f"<{run.last}", run)


def _quiet_around(entries: Sequence[Entry], position: int) -> tuple[int, int]:
    """Return the half-open range of the quiet calls on both sides; the position is in it."""
    first, last = position, position + 1
    while first and is_quiet(entries[first - 1]):
        first -= 1
    while last < len(entries) and is_quiet(entries[last]):
        last += 1
    return first, last


def touched(entries: Sequence[Entry], changed: Iterable[int], ended: int) -> Iterator[int]:
    """Yield where rows depend on entries that have changed, or are new; `ended` as above."""
    known = 0
    for position in sorted(changed):
        if not isinstance(entries[position], ToolCall):
            yield position
        elif position < ended:
            if position >= known:  # else it is in the run of one before it
                first, known = _quiet_around(entries, position)
                yield from range(max(first - 1, 0), known)
        else:
            yield from range(max(position - 1, 0), position + 1)


def spaced(block: Block, entry: Entry, following: Entry | None) -> Block:
    """Return the block without the blank row between a call without a body and the next one."""
    has_body = len(block.lines) > 2
    if has_body or not (isinstance(entry, ToolCall) and isinstance(following, ToolCall)):
        return block
    if entry.children or following.parent:
        return block
    return replace(block, lines=block.lines[:-1])


def head(run: Run, block: Block, last: Block) -> Block:
    """Return the block of the first of them, with the line of the group; `last`: that of the last.

    Of a folded group no more than that line is to be seen: the others are `hidden`.
    """
    line = _line(run)
    if not run.is_folded:
        return replace(block, lines=(line, *block.lines))
    blank = () if not last.lines or last.lines[-1].text else last.lines[-1:]
    return replace(block, lines=(line, *blank))


def hidden(block: Block) -> Block:
    """Return the block of one of a folded group that is not its first."""
    return replace(block, lines=())


def _line(run: Run) -> Line:
    kinds = Counter(run.kinds).most_common()
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds)
    sign = Margin("▾" if run.is_open else "▸", "AcpDim")
    text = f"{plural(len(run), 'call')}: {counts}"
    return coloured(text, "AcpDim", sign, before("✓ ", "AcpToolDone"))
