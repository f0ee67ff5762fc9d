"""What the decoders of tool calls share: places in files, and raw input and output as text."""

from __future__ import annotations

from typing import Any

from acp_nvim.paths import named
from acp_nvim.protocol.base import compact
from acp_nvim.session.model import Location

KINDS = frozenset(
    {"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode"}
)


def kind_of(kind: str) -> str:
    """Return the kind; all that are unknown are others."""
    return kind if kind in KINDS else "other"


def location_of(told: Any) -> Location:
    """Return the place; what has told it has its fields, whoever has decoded them."""
    path, named_line = named(told.path)
    line = told.line
    return Location(path, line if line is not None and line > 0 else named_line)


def json_text(value: object) -> str:
    """Return a text as it is, and all else as JSON."""
    return value if isinstance(value, str) else compact(value)
