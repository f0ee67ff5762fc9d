"""The way back to the side of the editor that asks and that guards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Bridge(Protocol):
    """Answers verbs, tells which processes must not outlive the host, knows secrets."""

    def answer(self, call: int, error: str | None, result: Any) -> None:
        """Answer the verb that came with that number.

        The result is plain data, in which `Replace` and `Comparison` of the view may stand.
        """

    async def headers(self, agent: str) -> Mapping[str, str]:
        """Return the headers for a connection to that remote agent, as they are now: secrets.

        Raises `UserError` that names what is wrong with them, never their values.
        """

    def group(self, group: int, alive: bool) -> None:
        """Say that a process group is there now, or that it is gone."""
