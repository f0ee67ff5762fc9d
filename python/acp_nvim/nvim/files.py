"""The editor's live files, by `lua/acp/buffer.lua`: implements `ports.Files`.

Lines may hold lone surrogates, for bytes that are no UTF-8; they go back as they came.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from acp_nvim.errors import AskFailed, Code
from acp_nvim.hunks import Hunk
from acp_nvim.ports import BufferOptions, Files, LiveBuffer
from acp_nvim.session.noun import Selection


class NvimFiles(Files):
    """Calls Lua by name, as `await lua("acp.buffer.read", path)`."""

    def __init__(self, lua: Callable[..., Awaitable[Any]]) -> None:
        self._lua = lua

    async def loaded(self, path: str) -> LiveBuffer | None:
        """Return the loaded file buffer of that resolved path, or None."""
        found = await self._lua("acp.buffer.read", path)
        return LiveBuffer(**(found | {"lines": tuple(found["lines"])})) if found else None

    async def loaded_paths(self, roots: Sequence[str]) -> Sequence[str]:
        """Return the resolved paths of all loaded file buffers below the resolved roots."""
        return tuple(await self._lua("acp.buffer.paths", list(roots)))

    async def write(
        self, buffer: LiveBuffer, hunks: Sequence[Hunk], options: BufferOptions
    ) -> bool:
        """Edit and save in one step; False if the buffer has changed. Raises `AskFailed`."""
        return await self._change("acp.buffer.write", buffer, hunks, options)

    async def follow(
        self, buffer: LiveBuffer, hunks: Sequence[Hunk], options: BufferOptions
    ) -> bool:
        """Edit so that the buffer equals the disk; False if it has changed. Raises `AskFailed`."""
        return await self._change("acp.buffer.follow", buffer, hunks, options)

    async def selection(self, selection: Selection) -> Selection:
        """Return it as it stands now and drop its mark; unchanged if its buffer is gone."""
        now = await self._lua("acp.buffer.selection", selection.buffer, selection.mark)
        if not now:
            return selection
        lines = tuple(now["lines"])
        return replace(selection, first=now["first"], last=now["last"], lines=lines)

    async def _change(
        self, function: str, buffer: LiveBuffer, hunks: Sequence[Hunk], options: BufferOptions
    ) -> bool:
        plain = [[hunk.first, hunk.last, list(hunk.lines)] for hunk in hunks]
        outcome = await self._lua(
            function, buffer.number, buffer.changedtick, plain, _plain_options(options)
        )
        if reason := outcome.get("error"):
            raise AskFailed(Code.INTERNAL_ERROR, f"The user's editor cannot save: {reason}")
        return "ok" in outcome


def _plain_options(options: BufferOptions) -> dict[str, Any]:
    """Return Neovim's names and values."""
    return {
        "fileformat": options.fileformat,
        "fileencoding": options.encoding,
        "bomb": options.bom,
        "endofline": options.endofline,
    }
