"""What the view is made of, in the plain form that the Lua side hands to Neovim.

A block that cannot be sent is one row that says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from acp_nvim.editor import Picture
from acp_nvim.view.block import Block, Conceal, Highlight, LineHighlight, Margin, Mark, VirtualText
from acp_nvim.view.chat.boundary import Boundary, undrawn
from acp_nvim.view.op import Replace
from acp_nvim.view.question.comparison import Comparison
from acp_nvim.view.status import Bar, faulty_bar

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


def packed(replace: Replace) -> list[Any]:
    """Return [first, last, texts, marks, kinds]: what a frame has of an op.

    Marks are numbers in a row, four each: row in texts, column, end or -1, and which of the kinds.
    A kind is extmark options without an end: there are few, and many marks of each.
    """
    known, kinds, marks = dict[object, int](), list[dict[str, Any]](), list[int]()
    for row, line in enumerate(replace.lines):
        for mark in line.marks:
            style, start, end = _placed(mark)
            if (number := known.get(style)) is None:
                options = _extmark(mark)[1]
                options.pop("end_col", None)
                kinds.append(options)
                number = known[style] = len(kinds)
            marks += (row, start, end, number)
    return [replace.first, replace.last, [line.text for line in replace.lines], marks, kinds]


def _placed(mark: Mark) -> tuple[object, int, int]:
    """Return what is the same of all marks of a kind, and where the mark begins and ends."""
    if isinstance(mark, Highlight):  # by far the most
        return mark.group, mark.start, mark.end
    if isinstance(mark, Conceal):
        return (mark.character, mark.group), mark.start, mark.end
    if isinstance(mark, VirtualText) and mark.position != "rows":
        return mark, mark.column, -1
    return mark, 0, -1


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


T = TypeVar("T")

Tried: TypeAlias = dict[int, tuple[Block, Block]]
"""By the id of a block that was tried: that, and what is sent in its place."""


def tried(picture: Picture, known: Tried) -> tuple[Picture, Tried]:
    """Return the picture as it can be sent, and its blocks as tried; those in `known` were."""
    boundary = Boundary()

    def sent(block: Block) -> Block:
        return boundary.draw(partial(_checked_block, block), partial(undrawn, block.key))

    blocks = {id(it): known.get(id(it)) or (it, sent(it)) for it in picture.blocks}
    status = boundary.draw(lambda: _checked(picture.status), lambda _error: {})
    shown = boundary.draw(lambda: _checked_bar(picture.winbar), partial(faulty_bar, ""))
    faults = (*picture.faults, *boundary.faults)
    lines = tuple(it for _, it in blocks.values())
    return replace(picture, blocks=lines, status=status, winbar=shown, faults=faults), blocks


def is_sendable(value: object) -> bool:
    """Tell whether a value can be sent."""
    try:
        check(value)
    except (UnicodeError, TypeError):
        return False
    return True


def check(value: Any) -> None:
    """Raise what sending the value would raise."""
    match value:
        case str():
            value.encode("utf-8", "surrogateescape")
        case bytes() | int() | float() | None:
            return
        case Mapping():
            for key, item in value.items():
                check(key)
                check(item)
        case list() | tuple():
            for item in value:
                check(item)
        case _:
            raise TypeError(f"a {type(value).__name__} cannot be sent")


def _checked(value: T) -> T:
    check(value)
    return value


def _checked_bar(shown: Bar) -> Bar:
    check(bar(shown))
    return shown


def _checked_block(block: Block) -> Block:
    check(op(Replace(0, 0, tuple(block.lines))))
    return block
