"""Two texts side by side in a tabpage of their own: `lua/acp/ui/compare.lua`."""

from __future__ import annotations

from acp_nvim.nvim.call import Call
from acp_nvim.nvim.plain import spec
from acp_nvim.view.question.comparison import Comparison


class NvimComparer:
    """Implements `editor.Comparer`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def open(self, key: str, comparison: Comparison) -> bool:
        """See `editor.Comparer`."""
        return bool(await self._call.lua("acp.ui.compare.open", key, spec(comparison)))

    async def close(self, key: str) -> None:
        """See `editor.Comparer`."""
        await self._call.lua("acp.ask.evidence.retire", key)
