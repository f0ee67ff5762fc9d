"""The editor's live files, by `lua/acp/buffer.lua`: implements `editor.Files`.

Lines may hold lone surrogates, for bytes that are no UTF-8; they go back as they came.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from acp_nvim.editor import BufferOptions, Busy, Files, LiveBuffer
from acp_nvim.errors import FileProblem
from acp_nvim.hunks import Hunk, apply
from acp_nvim.session.model import Selection

REMEMBERED = 64
"""So many buffers' lines are kept, for those that are asked for again and again."""


class NvimFiles(Files):
    """Calls Lua by name, as `await lua("acp.files.live.read", path)`."""

    def __init__(self, lua: Callable[..., Awaitable[Any]]) -> None:
        self._lua = lua
        self._last: dict[str, LiveBuffer] = {}

    async def loaded(self, path: str) -> LiveBuffer | None:
        """Return the loaded file buffer of that resolved path, or None.

        The lines of those asked for last come from here as long as they are as they were.
        """
        last = self._last.pop(path, None)
        known = () if last is None else (last.number, last.changedtick)
        found = await self._lua("acp.files.live.read", path, *known)
        if not found:
            return None
        if last is not None and "lines" not in found:
            buffer = replace(last, **found)
        else:
            buffer = LiveBuffer(**(found | {"lines": tuple(found["lines"])}))
        self._last[path] = buffer
        if len(self._last) > REMEMBERED:
            del self._last[next(iter(self._last))]
        return buffer

    async def loaded_paths(self, roots: Sequence[str]) -> Sequence[str]:
        """Return the resolved paths of all loaded file buffers below the resolved roots."""
        return tuple(await self._lua("acp.files.live.paths", list(roots)))

    async def write(
        self, buffer: LiveBuffer, hunks: Sequence[Hunk], options: BufferOptions
    ) -> LiveBuffer | None:
        """Edit and save in one step; None if the buffer has changed. Raises `FileProblem`."""
        outcome = await self._change("acp.files.live.write", buffer, hunks, options)
        if "ok" not in outcome:
            return None
        if (live := outcome.get("live")) is not None:
            return LiveBuffer(**(live | {"lines": tuple(live["lines"])}))
        lines = tuple(apply(buffer.lines, hunks))
        empty = not lines or (buffer.empty and not hunks)
        now = replace(buffer, lines=lines, empty=empty, modified=False, **asdict(options))
        return replace(now, changedtick=outcome.get("tick", 0), synced=outcome.get("synced", ""))

    async def follow(
        self, buffer: LiveBuffer, hunks: Sequence[Hunk], options: BufferOptions
    ) -> bool:
        """Make the buffer equal the disk; False if it has changed. Raises `FileProblem`."""
        return "ok" in await self._change("acp.files.live.follow", buffer, hunks, options)

    async def edit(
        self,
        buffer: LiveBuffer,
        hunks: Sequence[Hunk],
        options: BufferOptions | None,
        *,
        settled: bool,
    ) -> bool:
        """Edit without saving; False if the buffer has changed. Raises `FileProblem`."""
        outcome = await self._change("acp.files.live.edit", buffer, hunks, options, settled)
        return "ok" in outcome

    async def saved(self, path: str) -> str:
        """Return the stamp of the file as the user last wrote it here."""
        return str(await self._lua("acp.files.live.saved", path))

    async def in_place(self) -> bool:
        """Return whether the user wants files to be written into."""
        return bool(await self._lua("acp.files.live.in_place"))

    async def holder(self, path: str) -> str | None:
        """Return who else has the file open, or None."""
        found: str | None = await self._lua("acp.files.live.holder", path)
        return found

    async def selection(self, selection: Selection) -> Selection:
        """Return it as it stands now and drop its mark; unchanged if its buffer is gone."""
        now = await self._lua("acp.files.live.selection", selection.buffer, selection.mark)
        if not now:
            return selection
        lines = tuple(now["lines"])
        return replace(selection, first=now["first"], last=now["last"], lines=lines)

    async def _change(
        self,
        function: str,
        buffer: LiveBuffer,
        hunks: Sequence[Hunk],
        options: BufferOptions | None,
        *more: object,
    ) -> dict[str, Any]:
        plain = [[hunk.first, hunk.last, list(hunk.lines)] for hunk in hunks]
        settings = options and _plain_options(options)
        outcome: dict[str, Any] = await self._lua(
            function, buffer.number, buffer.changedtick, plain, settings, *more
        )
        if doing := outcome.get("busy"):
            raise Busy(doing)
        if reason := outcome.get("error"):
            raise FileProblem(f"The user's editor refuses: {reason}")
        if "tick" in outcome:
            self._edited(buffer, hunks, outcome["tick"])
        return outcome

    def _edited(self, buffer: LiveBuffer, hunks: Sequence[Hunk], tick: int) -> None:
        """Know the lines after our own edit, too, without reading them again."""
        lines = tuple(apply(buffer.lines, hunks))
        for path, last in self._last.items():
            if last.number == buffer.number and any(lines):
                self._last[path] = replace(last, lines=lines, changedtick=tick, empty=False)


def _plain_options(options: BufferOptions) -> dict[str, Any]:
    """Return Neovim's names and values."""
    return {
        "fileformat": options.fileformat,
        "fileencoding": options.encoding,
        "bomb": options.bom,
        "endofline": options.endofline,
    }
