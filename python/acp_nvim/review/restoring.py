"""Restores on the disk what an agent has removed, or written over, below the user's unsaved text.

That text stays in the buffer: the conflict of both knows what the disk held.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial

from msgspec.structs import replace

from acp_nvim.editor import Busy
from acp_nvim.errors import FileProblem, UserError
from acp_nvim.files import disk
from acp_nvim.files.encoding import exact_bytes
from acp_nvim.files.event import FilePut, TakenBack
from acp_nvim.files.live import load
from acp_nvim.history.conflict import Conflict
from acp_nvim.review.acting import Acting
from acp_nvim.review.conflicts import held, is_removal, is_restorable
from acp_nvim.review.log import Turn
from acp_nvim.review.outcome import Undone

ATTEMPTS = 3
"""How often a buffer that changes meanwhile is told that its file is there again."""


class Restoring:
    """For what the user decides."""

    def __init__(self, acting: Acting) -> None:
        self._log, self._files = acting.log, acting.files
        self._sync, self._emit = acting.sync, acting.emit

    async def of_turn(self, undone: Undone, turn: Turn, *, found: bool) -> Undone:
        """Restore what that turn has left on the disk so; return all that became of its undo.

        Without `found` what the agent is only supposed to have done stays.
        """
        gone = [it for it in self._log.conflicts() if turn.author.has(it.author)]
        if not gone:
            return undone
        async with self._sync.exclusive():
            there = [it for it in gone if await self._left(it) is not None]
            doubtful = [it for it in there if it.author.how == "found" and not found]
            sure = [it for it in there if it not in doubtful]
            undone = await _each(undone, sure, partial(self.restore, batch=undone.batch))
        return replace(undone, found=(*undone.found, *(it.path for it in doubtful)))

    async def again(self, redone: Undone, batch: str) -> Undone:
        """Do again on the disk what that undo has restored; return all that became of its redo."""
        async with self._sync.exclusive():
            return await _each(redone, self._log.restored_by(batch), self._redo)

    async def _redo(self, conflict: Conflict) -> None:
        """Do with a file what its agent did: what follows from that is what did then."""
        path = conflict.path
        live = await load(self._files, path)
        if live.on_disk != held(conflict):
            raise UserError(f"{path} has changed since: it stays")
        if conflict.theirs:
            await self._write(path, conflict.theirs, 0, live.stamp)
        else:
            disk.remove(path)
        await self._sync.sync(path, conflict.author, sure=True)

    async def restore(self, conflict: Conflict, batch: str = "") -> bool:
        """Write the bytes that the disk had, by that undo; False if it has not what the agent has
        left by now. The caller holds `exclusive`.

        What has taken the file's place is removed if it is a link or an empty folder. Raises
        `UserError`, and then nothing has changed.
        """
        path, session = conflict.path, conflict.author.session_key
        seen = await self._left(conflict)
        if seen is None:
            return False
        text = held(conflict)
        try:
            await self._write(path, text, conflict.mode, seen)
        except FileProblem as problem:
            raise UserError(str(problem)) from problem
        self._sync.decided(path, text)
        with suppress(Busy):  # else Neovim asks when the user writes the buffer
            await self._settle(path)
        if batch and (conflict.theirs or not seen):
            self._log.restored(conflict, batch)
        self._log.settled(path)
        if not seen:
            self._emit(FilePut(path, None, text))
        self._emit(TakenBack(session, path, conflict.theirs if seen else None, text))
        return True

    async def _left(self, conflict: Conflict) -> str | None:
        """Return the stamp of what the agent has left, "" for no file, None: something else is
        there."""
        if is_removal(conflict):
            return ""
        live = await load(self._files, conflict.path)
        if live.disk != conflict.theirs or not live.unsaved:
            return None
        with suppress(OSError):  # it is gone by now
            if os.lstat(conflict.path).st_nlink == 1 and is_restorable(conflict):
                return live.stamp  # of several links another file would be written, too
        return None

    async def _write(self, path: str, text: str, mode: int, seen: str) -> None:
        data = exact_bytes(path, text)
        disk.make_folders(path)
        if not seen:
            disk.make_room(path)
        in_place = await self._files.in_place()
        if not await disk.write(path, data, in_place=in_place, mode=mode, seen=seen):
            raise FileProblem(f"{path} is another file by now: another program has made it")

    async def _settle(self, path: str) -> None:
        """Let Neovim know that the file is there again: the user may write the buffer to it."""
        for _ in range(ATTEMPTS):
            live = await load(self._files, path)
            if live.buffer is None:
                return
            if await self._files.edit(live.buffer, (), None, settled=True, stamp=live.stamp):
                return


async def _each(
    turned: Undone, conflicts: Iterable[Conflict], act: Callable[[Conflict], Awaitable[object]]
) -> Undone:
    """Act on each; return what became of these files, too."""
    paths, failed = [*turned.paths], [*turned.failed]
    for it in conflicts:
        try:
            await act(it)
            paths.append(it.path)
        except (UserError, FileProblem) as problem:
            failed.append(str(problem))
    new = paths[len(turned.paths) :]
    return replace(
        turned,
        paths=tuple(dict.fromkeys(paths)),
        unsaved=tuple(dict.fromkeys((*turned.unsaved, *new))),
        failed=tuple(failed),
    )
