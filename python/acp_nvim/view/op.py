"""A drawing op, and the plain form in which it travels to `lua/acp/ui/apply.lua`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from acp_nvim.view.block import Conceal, Highlight, Line, LineHighlight, Mark, VirtualText

UNDER = 4_000
"""A priority below that of other marks."""


@dataclass(frozen=True, slots=True)
class Replace:
    """Put `lines` in place of the 0-based lines [first, last); positions are as of this op."""

    first: int
    last: int
    lines: tuple[Line, ...]


def to_plain(op: Replace) -> list[Any]:
    """Return [first, last, texts, marks]; a mark is [row in texts, column, extmark options]."""
    marks = [
        [row, *_extmark(mark, line)] for row, line in enumerate(op.lines) for mark in line.marks
    ]
    return [op.first, op.last, [line.text for line in op.lines], marks]


def _extmark(mark: Mark, line: Line) -> tuple[int, dict[str, Any]]:
    match mark:
        case Highlight(start, end, group):
            return start, {"end_col": end, "hl_group": group}
        case Conceal(start, end, character, group):
            options = {"end_col": end, "conceal": character}
            return start, {**options, "hl_group": group} if group else options
        case VirtualText(column, chunks, position):
            return column, {
                "virt_text": [list(chunk) for chunk in chunks],
                "virt_text_pos": position,
            }
        case LineHighlight(group, under=True):
            return 0, {"hl_group": group, "hl_eol": True, "priority": UNDER}
        case LineHighlight(group):
            return 0, {"line_hl_group": group}
