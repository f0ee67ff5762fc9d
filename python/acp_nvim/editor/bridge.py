"""The way back to the side of the editor that asks and that guards."""

from __future__ import annotations

from typing import Any, Protocol


class Bridge(Protocol):
    """Answers verbs, and tells which processes must not outlive the host. Never waits."""

    def answer(self, call: int, error: str | None, result: Any) -> None:
        """Answer the verb that came with that number.

        The result is plain data, in which `Replace` and `Comparison` of the view may stand.
        """

    def group(self, group: int, alive: bool) -> None:
        """Say that a process group is there now, or that it is gone."""
