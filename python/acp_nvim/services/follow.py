"""Keeps open buffers at what is on disk when an agent, or a command of its, changed a file.

In place, by the lines that differ, so that marks, cursor and undo stay; a buffer with unsaved
edits is left alone, and so is one whose file is gone. Called after tool calls and turns.
"""

from __future__ import annotations

from collections.abc import Iterable

from acp_nvim.errors import AskFailed
from acp_nvim.hunks import diff
from acp_nvim.ports import Files
from acp_nvim.services import disk
from acp_nvim.services.roots import Roots
from acp_nvim.services.text import buffer_form, buffer_text

ATTEMPTS = 5
"""How often a buffer that changes meanwhile is tried again."""


async def follow(files: Files, paths: Iterable[str]) -> list[str]:
    """Bring the buffers of these resolved paths up to the disk; return the paths that changed."""
    return [path for path in dict.fromkeys(paths) if await _follow(files, path)]


async def follow_all(files: Files, roots: Roots) -> list[str]:
    """Do so for every open file below the roots: a command may have changed any of them."""
    return await follow(files, await files.loaded_paths(roots.folders()))


async def _follow(files: Files, path: str) -> bool:
    for _ in range(ATTEMPTS):
        buffer = await files.loaded(path)
        if buffer is None or buffer.modified:
            return False
        found = await disk.read_if_text(path, buffer.encoding or "utf-8")
        if found is None or found.text == buffer_text(buffer):
            return False
        lines, options = buffer_form(found.text, buffer)
        try:
            if await files.follow(buffer, diff(buffer.lines, lines), options):
                return True
        except AskFailed:
            # The buffer stays as it was, and Neovim warns the user as it does without us.
            return False
    return False
