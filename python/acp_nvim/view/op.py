"""A drawing op."""

from __future__ import annotations

from dataclasses import dataclass

from acp_nvim.view.block import Line


@dataclass(frozen=True, slots=True)
class Replace:
    """Put `lines` in place of the 0-based lines [first, last); positions are as of this op."""

    first: int
    last: int
    lines: tuple[Line, ...]
