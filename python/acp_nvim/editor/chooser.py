"""Pickers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import Struct


class Choice(Struct, frozen=True):
    """One row of a picker."""

    label: str
    value: Any


class Chooser(Protocol):
    """Asks the user to pick; only ever as the direct result of a user's command."""

    async def choose(self, title: str, kind: str, choices: Sequence[Choice]) -> Any | None:
        """Return the value of the chosen row, or None."""

    def chosen(self, number: int, index: int | None) -> None:
        """Take the user's choice: the number of the picker, and a 0-based row of it, or None."""
