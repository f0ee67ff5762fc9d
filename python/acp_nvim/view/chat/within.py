"""Tool calls that a sub-agent has made in another one: they stand in that, closed as a count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from acp_nvim.session.state import ToolCall
from acp_nvim.view.block import Block, Line, Margin, VirtualText
from acp_nvim.view.chat.tool_call import BAR, KINDS
from acp_nvim.view.cut import ITEMS, rest
from acp_nvim.view.styled import before, beside, plural, prefixed


def hidden(block: Block, parent: str) -> Block:
    """Return the block of a call that stands in another one."""
    return replace(block, lines=(), within=((0, parent),))


def nested(
    block: Block,
    parent: ToolCall,
    calls: Sequence[ToolCall],
    blocks: Sequence[Block],
    *,
    is_open: bool,
) -> Block:
    """Return the block of a call with those that were made in it: below its line if it is open.

    `calls` and `blocks` are the first ones.
    """
    head, *body = block.lines
    head = head if is_open else _without_size(head)
    sign = "" if is_open or _says_it_opens(head) else "▸ "
    # with the title, and not behind the end of it, where a narrow window cuts it
    head = beside(head, f" {sign}{_counted(calls, len(parent.children))}")
    if not is_open:
        return replace(block, lines=(head, *body))
    inner: list[Line] = []
    places: list[tuple[int, str]] = []
    for each in blocks:
        places.append((1 + len(inner), each.key))
        inner += map(_inside, each.lines[:-1])
    places.append((1 + len(inner), block.key))
    if len(parent.children) > len(blocks):
        inner.append(prefixed(rest(len(parent.children) - len(blocks), "more call"), BAR))
    return replace(block, lines=(head, *inner, *body), within=tuple(places))


def part(block: Block, row: int) -> tuple[str, int, Sequence[Line]]:
    """Return whose row of the block that is, which one of its own, and its lines."""
    places = [(0, block.key), *block.within, (len(block.lines), block.key)]
    at = max(at for at, (first, _) in enumerate(places[:-1]) if first <= row)
    (first, key), (end, _) = places[at], places[at + 1]
    if key == block.key:
        return key, row, block.lines
    return key, row - first, block.lines[first:end]


def _inside(line: Line) -> Line:
    """Return a line as it stands in another call: its margin is part of it."""
    marks = (before(f"{it.text} ", it.group) if isinstance(it, Margin) else it for it in line.marks)
    return Line(line.text, (BAR, *marks))


def _without_size(head: Line) -> Line:
    """Return the line without what stands dim behind its end: the calls say more, and it is cut."""
    marks = (it for it in head.marks if not (isinstance(it, VirtualText) and _is_size(it)))
    return replace(head, marks=tuple(marks))


def _is_size(mark: VirtualText) -> bool:
    return mark.position == "eol" and all(group == "AcpDim" for _, group in mark.chunks)


def _says_it_opens(head: Line) -> bool:
    virtual = (mark for mark in head.marks if isinstance(mark, VirtualText))
    return any("▸" in text for mark in virtual for text, _ in mark.chunks)


def _counted(calls: Sequence[ToolCall], count: int) -> str:
    text = plural(count, "call")
    if count > ITEMS:
        return text
    kinds = Counter(KINDS.get(it.kind, "other") for it in calls)
    return f"{text}: " + ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
