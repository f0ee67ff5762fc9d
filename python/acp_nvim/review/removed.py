"""Gives the disk a file back that an agent has removed below the user's unsaved text.

That text is in the buffer and stays there: the conflict of both knows what the disk held.
"""

from __future__ import annotations

from contextlib import suppress

from acp_nvim.editor import Busy, Files
from acp_nvim.errors import FileProblem
from acp_nvim.files import disk
from acp_nvim.files.encoding import exact_bytes
from acp_nvim.files.live import load
from acp_nvim.files.sync import DiskSync
from acp_nvim.ledger.conflict import Conflict

ATTEMPTS = 3
"""How often a buffer that changes meanwhile is told that its file is there again."""


def is_removal(conflict: Conflict) -> bool:
    """Return whether the agent has removed the file, and no file is there by now."""
    is_gone = disk.mode(conflict.path) is None
    return is_gone and conflict.on_disk and bool(conflict.base) and not conflict.theirs


async def give_back(files: Files, sync: DiskSync, conflict: Conflict, mode: int) -> None:
    """Write the bytes that the disk had; the caller holds `exclusive`.

    What has taken the file's place is removed if it is a link or an empty folder. Raises
    `FileProblem`, and then nothing has changed.
    """
    path, data = conflict.path, exact_bytes(conflict.path, conflict.base)
    disk.make_folders(path)
    disk.make_room(path)
    if not await disk.write(path, data, mode=mode, seen=""):
        raise FileProblem(f"{path} is there again: another program has made it")
    sync.decided(path, conflict.base)
    with suppress(Busy):  # else Neovim asks when the user writes the buffer
        await _settle(files, path)


async def _settle(files: Files, path: str) -> None:
    """Let Neovim know that the file is there again: the user may write the buffer to it."""
    for _ in range(ATTEMPTS):
        live = await load(files, path)
        if live.buffer is None:
            return
        stamp = live.stamp
        if await files.edit(live.buffer, (), None, settled=True, stamp=stamp):
            return
