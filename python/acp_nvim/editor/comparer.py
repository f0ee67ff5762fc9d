"""Two texts side by side."""

from __future__ import annotations

from typing import Protocol

from acp_nvim.view.question.comparison import Comparison


class Comparer(Protocol):
    """Shows comparisons, each in a tabpage of its own; only ever by the user's command."""

    async def open(self, key: str, comparison: Comparison) -> bool:
        """Open it in place of that of the same key; False if the editor refuses just now."""

    async def close(self, key: str) -> None:
        """Close it; nothing if the user has done so. All other windows are as before."""
