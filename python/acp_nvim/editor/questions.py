"""The floating window of the agents' questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from acp_nvim.view.question.menu import Menu


class QuestionWindow(Protocol):
    """One window for all questions that wait, of which it shows one; calls return at once."""

    def draw(
        self, source: Callable[[], Menu | None], opened: Callable[[], None] | None = None
    ) -> None:
        """Show soon what `source` returns then, without taking focus; None closes the window.

        However often it is asked for, it is drawn once a frame. Then `opened` is called.
        """

    def focus(self, question_id: str, *, calmly: bool = False) -> None:
        """Move the cursor into it if it shows that; `calmly`: not under the user's hands."""

    async def browse(self, url: str) -> str | None:
        """Let the system's browser open it; return why that failed, or None."""

    def place(self) -> tuple[int, int] | None:
        """Return its buffer and window (0 while the editor refuses); None while it is closed."""

    def moved(self, buffer: int, window: int) -> None:
        """The editor had to open the window anew."""

    async def settled(self) -> bool:
        """Return when all that was asked for so far is on screen; whether it was already."""
