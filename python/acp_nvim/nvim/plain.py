"""What the view is made of, in the plain form that the Lua side hands to Neovim."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from acp_nvim.view.block import Conceal, Highlight, LineHighlight, Margin, Mark, VirtualText
from acp_nvim.view.op import Replace
from acp_nvim.view.question.comparison import Comparison
from acp_nvim.view.status import Bar

UNDER = 4_000
"""A priority below that of other marks."""
MARGIN = 2
"""Cells that a chat has left of its text."""


def plain(value: Any) -> Any:
    """Return an answer to Lua: ops and comparisons in it as below, all else as it is."""
    match value:
        case str() | int() | None:  # by far the most
            return value
        case Replace():
            return op(value)
        case Comparison():
            return spec(value)
        case dict():
            return {key: it if type(it) is str else plain(it) for key, it in value.items()}
        case list() | tuple():
            return [plain(it) for it in value]
        case Mapping():
            return plain(dict(value))
        case _:
            return value


def op(replace: Replace) -> list[Any]:
    """Return [first, last, texts, marks]; a mark is [row in texts, column, extmark options]."""
    lines = replace.lines
    marks = [[row, *_extmark(mark)] for row, line in enumerate(lines) for mark in line.marks]
    return [replace.first, replace.last, [line.text for line in lines], marks]


def _extmark(mark: Mark) -> tuple[int, dict[str, Any]]:
    if isinstance(mark, Highlight):  # by far the most: a pattern takes three times as long
        return mark.start, {"end_col": mark.end, "hl_group": mark.group}
    match mark:
        case Conceal(start, end, character, group):
            options = {"end_col": end, "conceal": character}
            return start, {**options, "hl_group": group} if group else options
        case VirtualText(column, chunks, "rows"):
            return 0, _rows(column, chunks)
        case VirtualText(column, chunks, position):
            return column, {
                "virt_text": [list(chunk) for chunk in chunks],
                "virt_text_pos": position,
            }
        case Margin(text, group, every_row):
            options = {"sign_text": text, "sign_hl_group": group}
            return 0, {**options, **_rows(-MARGIN, ((text, group),))} if every_row else options
        case LineHighlight(group, under=True):
            return 0, {"hl_group": group, "hl_eol": True, "priority": UNDER}
        case LineHighlight(group):
            return 0, {"line_hl_group": group}


def _rows(column: int, chunks: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    repeated = {"virt_text_win_col": column, "virt_text_repeat_linebreak": True}
    return {"virt_text": [list(chunk) for chunk in chunks], **repeated}


def bar(shown: Bar) -> list[dict[str, Any]]:
    """Return the parts of a chat's bar; which of them there is room for, the editor knows."""
    return [{k: v for k, v in asdict(part).items() if v != ""} for part in shown.parts]


def spec(comparison: Comparison) -> dict[str, Any]:
    """Return a `spec` of `acp.ui.compare.open`, without what is None."""
    sides = {"left": _given(comparison.left), "right": _given(comparison.right)}
    return _given(comparison) | sides


def _given(record: Struct) -> dict[str, Any]:
    return {name: value for name, value in asdict(record).items() if value is not None}
