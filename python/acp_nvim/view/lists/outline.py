"""A conversation as a list to go through: prompts, tool calls, code, failures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from acp_nvim.session.content import Text
from acp_nvim.session.state import Entry, Message, Notice, SessionState, ToolCall
from acp_nvim.view.block import Block, LineHighlight
from acp_nvim.view.visible import one_line

WIDE = 100
"""Characters of a row."""
INDENT = "  "


class Stop(Struct, frozen=True):
    """A place of the chat; `row` is 0-based."""

    row: int
    text: str
    has_failed: bool = False


def outline(state: SessionState, blocks: Iterable[Block]) -> tuple[Stop, ...]:
    """Return the places in the order of the chat; what is folded away is where its fold is."""
    found: list[Stop] = []
    row = shown = 0
    for block in blocks:
        shown = row if block.lines else shown
        entry = state.entry(block.key)
        if entry is not None and not (block.within and not block.lines):
            found += _stops(entry, block, shown)
        row += len(block.lines)
    return tuple(found)


def _stops(entry: Entry, block: Block, row: int) -> Iterator[Stop]:
    match entry:
        case Message(role="user", content=content):
            said = next((it.text for it in content if isinstance(it, Text)), "")
            yield Stop(row, one_line(f"> {said.strip()}", WIDE))
        case Message(role="agent"):
            yield from _code(block, row)
        case ToolCall(title=title, kind=kind, status=status):
            said = one_line(title or kind, WIDE)
            yield Stop(row, f"{INDENT}{said} ({status})", status == "failed")
        case Notice(severity="error", text=text):
            yield Stop(row, INDENT + one_line(text, WIDE), has_failed=True)
        case _:
            pass


def _code(block: Block, row: int) -> Iterator[Stop]:
    is_inside = False
    for at, line in enumerate(block.lines):
        look = LineHighlight("AcpCodeBlock")
        if look not in line.marks:
            is_inside = False
        elif not is_inside:
            is_inside = True
            yield Stop(row + at, INDENT + one_line(f"` {line.text.strip()}", WIDE))
