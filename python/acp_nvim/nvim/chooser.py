"""Pickers, by `vim.ui.select`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio

from acp_nvim.editor import Choice, Chooser
from acp_nvim.nvim.call import Call


class Pickers(Chooser):
    """The choice comes back as a verb."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._chosen: dict[int, anyio.Event] = {}
        self._indexes: dict[int, int | None] = {}
        self._count = 0

    async def choose(self, title: str, kind: str, choices: Sequence[Choice]) -> Any | None:
        """See `editor.Chooser`."""
        self._count += 1
        number, event = self._count, anyio.Event()
        self._chosen[number] = event
        labels = [choice.label for choice in choices]
        try:
            await self._call.lua("acp.ui.choose.select", number, title, kind, labels)
            await event.wait()
        finally:
            del self._chosen[number]
        index = self._indexes.pop(number, None)
        return None if index is None else choices[index].value

    def chosen(self, number: int, index: int | None) -> None:
        """Take the user's choice: a 0-based row, or None."""
        if number in self._chosen:
            self._indexes[number] = index
            self._chosen[number].set()
