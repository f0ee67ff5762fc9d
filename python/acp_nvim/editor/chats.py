"""The windows of chats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from acp_nvim.view.block import Line


class ChatWindows(Protocol):
    """The chat and prompt windows; a chat is known by the number of its chat buffer."""

    async def name(self, chat: int, name: str) -> None:
        """Name the chat buffer; the editor makes a taken name another one."""

    async def open(self, agent: str) -> tuple[int, int] | None:
        """Open a chat with that agent; return its chat and its prompt buffer, None if it cannot."""

    async def show(self, chat: int) -> None:
        """Show that chat, with the cursor in its prompt; by the user's command only."""

    async def read(self, portions: Iterable[Sequence[Line]], name: str = "", cwd: str = "") -> None:
        """Show these lines in a buffer of their own, of that name if there is one.

        `cwd` is where what they name is.
        """

    def notes(self, chat: int, notes: Sequence[tuple[str, str, str]]) -> None:
        """Show in the prompt what goes along: key, label and size of each note. Never waits."""
