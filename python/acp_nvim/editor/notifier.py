"""What is said to the user, and to scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol


class Notifier(Protocol):
    """Tells the user, and the user's scripts, what happened. Never waits, never raises."""

    def notice(self, text: str, *, warning: bool = False, passing: bool = False) -> None:
        """Show one line of text; `passing`: as long as the user's hands hold up an edit."""

    def attend(self, chat: int, text: str, *, warning: bool = False) -> None:
        """Show one line of text as `ui.notify` says, unless the user sees that chat."""

    def event(self, name: str, data: Mapping[str, Any], *, at_once: bool = False) -> None:
        """Fire `User` autocommand `name` (AcpTurnEnded, …) with plain data, after drawing.

        `at_once`: it waits for no frame.
        """

    def fault(self, error: BaseException) -> None:
        """Log our own mistake with its traceback, and show one line."""

    def redact(self, safe: Callable[[str], str]) -> None:
        """Pass what is said of our own mistakes through that: it may have secrets in it."""
