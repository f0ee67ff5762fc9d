"""The agents' terminals on screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class TerminalScreens(Protocol):
    """Terminal buffers of the editor; calls return at once and keep their order."""

    def open(
        self, name: str, *, typed: Callable[[bytes], None], resized: Callable[[int, int], None]
    ) -> int:
        """Make a hidden terminal buffer, and return the number that it has here.

        `typed` is told what the user types into it, `resized` its rows and columns.
        """

    def write(self, number: int, data: bytes) -> None:
        """Show output; when there is more than can be shown, its beginning is left out."""

    def forget(self, number: int) -> None:
        """Let it go: at once, or when it is in no window any more."""

    def buffer(self, number: int) -> int | None:
        """Return the buffer, None if it is not there yet, or the user has wiped it."""

    async def show(self, number: int) -> bool:
        """Open it in a window, with the cursor in it; False if it is gone."""

    def typed(self, number: int, data: bytes) -> None:
        """The user has typed into it."""

    def resized(self, number: int, rows: int, columns: int) -> None:
        """Its windows have another size."""

    async def settled(self) -> bool:
        """Return when each that was opened has its buffer, if not all output; whether it had."""
