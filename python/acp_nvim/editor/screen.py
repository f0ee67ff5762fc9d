"""Chats on screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from acp_nvim.view.block import Block
from acp_nvim.view.status import Bar


class Picture(Struct, frozen=True):
    """All that is to be seen of one chat at one moment."""

    blocks: Sequence[Block]
    status: Mapping[str, Any]
    """What `status()` returns; becomes `b:acp_status`."""
    winbar: Bar
    paused: bool = False
    """There is more to draw, as soon as others had their turn."""
    faults: tuple[Exception, ...] = ()
    """Why a part of it could not be drawn; a row in its place says so."""


class Screen(Protocol):
    """Draws chats, one small frame at a time."""

    def show(self, chat: int, source: Callable[[], Picture]) -> None:
        """Draw that chat buffer from now on; `source` is asked at each frame that needs it."""

    def touch(self, chat: int) -> None:
        """Say that the chat's picture has changed."""

    def forget(self, chat: int) -> None:
        """Stop drawing it."""

    async def settled(self) -> bool:
        """Return when all that was touched before is on the screen; whether it was already."""
