"""Values as JSON: an object in which a mark tells what it is, and of which version."""

from __future__ import annotations

import json
from typing import Any, Final, Generic, TypeAlias, TypeVar

import msgspec

T = TypeVar("T")
Value: TypeAlias = Any
"""A JSON value."""


PORTION: Final = 1 << 16
"""Characters that are written at a time: more would hold the interpreter, and so the loop."""

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), default=sorted)  # sets as lists


def dumped(value: Value) -> str:
    """Return the value as one line; ASCII, so that a lone surrogate survives."""
    return _ENCODER.encode(value)


def dumped_text(text: str) -> str:
    """Return a long text as JSON, of which a portion is made at a time."""
    portions = (text[first : first + PORTION] for first in range(0, len(text), PORTION))
    return f'"{"".join(dumped(it)[1:-1] for it in portions)}"'


def loaded(text: str) -> Value:
    """Return the value that the text is, None if it is none."""
    # not msgspec's reader, which refuses a lone surrogate
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class Record(Generic[T]):
    """How the values of a record are written and read; a `json_store.Codec`."""

    def __init__(self, kind: type[T], mark: str, version: int) -> None:
        self._kind = kind
        self._mark = {mark: version}

    def to_text(self, value: T) -> str:
        """Return the value as one line."""
        whole = self._mark | msgspec.to_builtins(value)
        texts = {key: it for key, it in whole.items() if isinstance(it, str) and len(it) > PORTION}
        rest = dumped({key: it for key, it in whole.items() if key not in texts})
        long = (f",{dumped(key)}:{dumped_text(it)}" for key, it in texts.items())
        return "".join((rest.removesuffix("}"), *long, "}\n"))

    def from_text(self, text: str) -> T | None:
        """Return the value that the text holds, None if it holds none."""
        value = loaded(text)
        if not isinstance(value, dict) or not self._mark.items() <= value.items():
            return None
        try:
            return msgspec.convert(value, self._kind)
        except msgspec.ValidationError:
            return None
