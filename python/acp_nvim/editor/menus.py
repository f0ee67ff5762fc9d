"""The floating menus of the agents' questions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from acp_nvim.view.question.menu import Menu


class Menus(Protocol):
    """Floating menus, one for each pending question; calls return at once and keep their order."""

    def open(
        self,
        view: Menu,
        announce: Callable[[], None],
        better: Callable[[], Awaitable[Menu]] | None = None,
    ) -> None:
        """Open the menu without taking focus or changing the mode, then call `announce`.

        `better` finds out what to show in place of `view`. It is waited for only briefly: the menu
        opens in any case, and is redrawn when it comes.
        """

    def redraw(self, view: Menu) -> None:
        """Show what an open one looks like now; the cursor stays in its row."""

    async def browse(self, url: str) -> str | None:
        """Let the system's browser open it; return why that failed, or None."""

    def close(self, question_id: str) -> None:
        """Close it; nothing if it is not open."""

    def focus(self, question_id: str, *, calmly: bool = False) -> None:
        """Move the cursor into it; `calmly`: not while the user types or selects."""

    def place(self, question_id: str) -> tuple[int, int] | None:
        """Return buffer and window of an open menu."""

    def moved(self, question_id: str, buffer: int, window: int) -> None:
        """The editor had to open the menu anew."""

    async def settled(self) -> None:
        """Return when all calls so far are carried out."""
