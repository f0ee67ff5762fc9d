"""The boundary around each thing that is drawn: one that cannot be drawn is one row that says so.

All else is drawn. Nothing is hidden: whoever draws tells of the faults. It needs no other renderer,
for that may be the one that fails.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from acp_nvim.view.block import BLANK, Block, Highlight, Line, Margin

T = TypeVar("T")
WORDS = 100
"""Characters of what is said of an error."""
_GROUP = "AcpWarning"


class Boundary:
    """Keeps the faults of one drawing."""

    def __init__(self) -> None:
        self.faults: list[Exception] = []

    def draw(self, draw: Callable[[], T], instead: Callable[[Exception], T]) -> T:
        """Return what was drawn, else what is to be seen in its place."""
        try:
            return draw()
        except Exception as error:
            self.faults.append(error)
            return instead(error)


def sentence(error: Exception) -> str:
    """Return what stands in place of what cannot be drawn."""
    return f"this cannot be shown ({_said(error)})"


def fault_line(error: Exception) -> Line:
    """Return the row that says so."""
    text = sentence(error)
    return Line(text, (Highlight(0, len(text.encode()), _GROUP), Margin("!", _GROUP)))


def undrawn(key: str, error: Exception) -> Block:
    """Return the block of what cannot be drawn; who opens or closes it tries again."""
    return Block(key, (fault_line(error), BLANK), foldable=True)


def _said(error: Exception) -> str:
    try:
        said = f"{type(error).__name__}: {error}"[:WORDS]
    except Exception:  # it cannot even be told
        said = type(error).__name__
    return "".join(it if it.isprintable() else " " for it in said)
