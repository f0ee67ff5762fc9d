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
    """Return the first of these that is a range."""
    return next((it for it in values if _is_range(it)), None)


def _is_range(value: Any) -> bool:
    ends = table_of(value).get("start"), table_of(value).get("end")
    return all(isinstance(table_of(it).get(key), int) for it in ends for key in _POSITION)


_POSITION = ("line", "character")
