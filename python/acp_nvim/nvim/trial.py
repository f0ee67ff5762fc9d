"""What of a picture can be sent to Neovim: a block that cannot is one row that says so."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, TypeAlias, TypeVar

from msgspec.structs import replace

from acp_nvim.editor import Picture
from acp_nvim.nvim.plain import bar, op
from acp_nvim.view.block import Block
from acp_nvim.view.chat.boundary import Boundary, undrawn
from acp_nvim.view.op import Replace
from acp_nvim.view.status import Bar, faulty_bar

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
