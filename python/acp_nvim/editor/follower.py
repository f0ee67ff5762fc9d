"""The window that goes where an agent is."""

from __future__ import annotations

from typing import Protocol


class Follower(Protocol):
    """Shows where the agent is, and moves one window along, never the current one."""

    async def start(self) -> None:
        """Have a window to move; open one if need be. By the user's command only."""

    async def show(self, path: str, line: int | None) -> bool:
        """Put the sign there and move the window; False if the editor refuses just now.

        A file that cannot be opened without a question is not opened.
        """

    async def window(self) -> int | None:
        """Return the window that is moved."""

    def clear(self) -> None:
        """Take the sign away."""

    def stop(self) -> None:
        """Take the sign away and let the window go."""
