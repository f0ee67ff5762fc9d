"""The sign where the agent is, and the window that goes along: `lua/acp/files/follow.lua`."""

from __future__ import annotations

from acp_nvim.nvim.call import Call


class NvimFollower:
    """Implements `editor.Follower`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    async def start(self) -> None:
        """See `editor.Follower`."""
        await self._call.lua("acp.files.follow.start")

    async def show(self, path: str, line: int | None) -> bool:
        """See `editor.Follower`."""
        return bool(
            await self._call.lua("acp.files.follow.show", path, line or 1, line is not None)
        )

    async def window(self) -> int | None:
        """See `editor.Follower`."""
        found = await self._call.lua("acp.files.follow.window")
        return None if found is None else int(found)

    def clear(self) -> None:
        """See `editor.Follower`."""
        self._call.post("acp.files.follow.clear")

    def stop(self) -> None:
        """See `editor.Follower`."""
        self._call.post("acp.files.follow.stop")
