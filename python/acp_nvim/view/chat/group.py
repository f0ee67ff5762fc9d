"""Tool calls that follow one another: no blank rows between, one line once the turn goes on.

Only what has looked, and went well, is folded away: a call that failed, that runs, that does
something, or of which nobody said how it ended stays. Called by `transcript`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from acp_nvim.session.content import Diff
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


def members(entries: Sequence[Entry], position: int, ended: int) -> range:
    """Return the positions of the group that the entry belongs to; empty if to none.

    `ended`: the turn has gone on after the calls before that position.
    """
    if position >= ended or not is_quiet(entries[position]):
        return range(0)
    first, last = _quiet_around(entries, position)
    return range(first, last) if last - first >= LEAST else range(0)


def _quiet_around(entries: Sequence[Entry], position: int) -> tuple[int, int]:
    """Return the half-open range of the quiet calls on both sides; the position is in it."""
    first, last = position, position + 1
    while first and is_quiet(entries[first - 1]):
        first -= 1
    while last < len(entries) and is_quiet(entries[last]):
        last += 1
    return first, last


def touched(
    entries: Sequence[Entry], changed: Sequence[int], new: range, ended: int
) -> Iterator[int]:
    """Yield where rows depend on entries that have changed, or are new; `ended` as above."""
    for position in changed:
        if not isinstance(entries[position], ToolCall):
            yield position
        elif position < ended:
            yield from range(*_quiet_around(entries, position))
        else:
            yield from range(max(position - 1, 0), position + 1)
    for position in new:
        yield position
        before = position - 1
        if isinstance(entries[position], ToolCall):
            yield max(before, 0)
            continue
        while before >= 0 and isinstance(entries[before], ToolCall):
            yield before
            before -= 1


def spaced(block: Block, entry: Entry, following: Entry | None) -> Block:
    """Return the block without the blank row between a call without a body and the next one."""
    has_body = len(block.lines) > 2
    if has_body or not (isinstance(entry, ToolCall) and isinstance(following, ToolCall)):
        return block
    if entry.children or following.parent:
        return block
    return replace(block, lines=block.lines[:-1])


def folded(calls: Sequence[Entry], blocks: Sequence[Block], *, is_open: bool) -> list[Block]:
    """Return the blocks of a group: its line in that of the first, the others below it or empty."""
    head = _head(calls, is_open=is_open)
    if is_open:
        return [replace(blocks[0], lines=(head, *blocks[0].lines)), *blocks[1:]]
    blank = blocks[-1].lines[-1:] if not blocks[-1].lines[-1].text else ()
    return [
        replace(blocks[0], lines=(head, *blank)),
        *(replace(block, lines=()) for block in blocks[1:]),
    ]


def _head(calls: Sequence[Entry], *, is_open: bool) -> Line:
    kinds = Counter(KINDS.get(it.kind, "other") for it in calls if isinstance(it, ToolCall))
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    sign = Margin("▾" if is_open else "▸", "AcpDim")
    text = f"{plural(len(calls), 'call')}: {counts}"
    return coloured(text, "AcpDim", sign, before("✓ ", "AcpToolDone"))
