"""Answers and process groups: `lua/acp/host/bridge.lua`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acp_nvim.editor import Bridge
from acp_nvim.errors import UserError
from acp_nvim.nvim.call import Call
from acp_nvim.nvim.plain import plain


class NvimBridge(Bridge):
    """Speaks to the side that started the host."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def answer(self, call: int, error: str | None, result: Any) -> None:
        """See `Bridge`."""
        self._call.post("acp.host.bridge.answer", call, error, plain(result))

    async def headers(self, agent: str) -> Mapping[str, str]:
        """See `Bridge`."""
        found = await self._call.lua("acp.host.options.headers", agent)
        if problem := found.get("problem"):
            raise UserError(problem)
        return dict(found.get("headers") or {})

    def group(self, group: int, alive: bool) -> None:
        """See `Bridge`."""
        self._call.post("acp.host.bridge.group", group, alive)
