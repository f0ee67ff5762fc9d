"""Answers and process groups: `lua/acp/bridge.lua`."""

from __future__ import annotations

from typing import Any

from acp_nvim.editor import Bridge
from acp_nvim.nvim.call import Call
from acp_nvim.nvim.plain import plain


class NvimBridge(Bridge):
    """Speaks to the side that started the host."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def answer(self, call: int, error: str | None, result: Any) -> None:
        """See `Bridge`."""
        self._call.post("acp.bridge.answer", call, error, plain(result))

    def group(self, group: int, alive: bool) -> None:
        """See `Bridge`."""
        self._call.post("acp.bridge.group", group, alive)
