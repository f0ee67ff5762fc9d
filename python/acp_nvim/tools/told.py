"""What a language server has told, taken for no more than it is: any of it may be anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def table_of(value: Any) -> Mapping[str, Any]:
    """Return what is an object; of all else nothing."""
    return value if isinstance(value, dict) else {}


def rows_of(value: Any) -> Sequence[Mapping[str, Any]]:
    """Return the objects of a list, or the one that stands for a list."""
    if isinstance(value, dict):
        return [value]
    return [it for it in value if isinstance(it, dict)] if isinstance(value, list | tuple) else []


def words_of(value: Any) -> str:
    """Return what is a string; of all else nothing."""
    return value if isinstance(value, str) else ""


def range_of(*values: Any) -> Mapping[str, Any] | None:
    """Return the first of these that is a range, with whole numbers in it."""
    return next((it for it in map(_range, values) if it is not None), None)


def _range(value: Any) -> Mapping[str, Any] | None:
    ends = {name: table_of(table_of(value).get(name)) for name in ("start", "end")}
    numbers = [it.get(key) for it in ends.values() for key in _POSITION]
    if not all(type(it) in (int, float) and it >= 0 for it in numbers):  # type: ignore[operator]
        return None
    return {
        name: {key: int(min(it[key], LARGEST)) for key in _POSITION} for name, it in ends.items()
    }


_POSITION = ("line", "character")
LARGEST = (1 << 32) - 1
"""Number of a line or of a character; some servers say one that is larger for the end."""
