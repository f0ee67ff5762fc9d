"""Restores a file on the disk that an agent has removed below the user's unsaved text.

That text stays in the buffer: the conflict of both knows what the disk held.
"""

from __future__ import annotations

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
from acp_nvim.review.conflicts import is_removal
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
        """Restore what that turn has removed; return all that became of its undo.

        Without `found` what the agent is only supposed to have removed stays away.
        """
        gone = [it for it in self._log.conflicts() if turn.author.has(it.author)]
        if not gone:
            return undone
        async with self._sync.exclusive():
            removed = [*filter(is_removal, gone)]
            doubtful = [it for it in removed if it.author.how == "found" and not found]
            sure = [it for it in removed if it not in doubtful]
            undone = await _each(undone, sure, partial(self.restore, batch=undone.batch))
        return replace(undone, found=(*undone.found, *(it.path for it in doubtful)))

    async def again(self, redone: Undone, batch: str) -> Undone:
        """Remove again what that undo has restored; return all that became of its redo."""
        async with self._sync.exclusive():
            return await _each(redone, self._log.restored_by(batch), self._remove)

    async def _remove(self, conflict: Conflict) -> None:
        """Remove a file as its agent did: what follows from that is what did then."""
        path = conflict.path
        if (await load(self._files, path)).on_disk != _held(conflict):
            raise UserError(f"{path} has changed since: it stays")
        disk.remove(path)
        await self._sync.sync(path, conflict.author, sure=True)

    async def restore(self, conflict: Conflict, batch: str = "") -> None:
        """Write the bytes that the disk had, by that undo; the caller holds `exclusive`.

        What has taken the file's place is removed if it is a link or an empty folder. Raises
        `UserError`, and then nothing has changed.
        """
        path, session = conflict.path, conflict.author.session_key
        held = _held(conflict)
        try:
            await self._write(path, held, conflict.mode)
        except FileProblem as problem:
            raise UserError(str(problem)) from problem
        self._sync.decided(path, held)
        with suppress(Busy):  # else Neovim asks when the user writes the buffer
            await self._settle(path)
        if batch:
            self._log.restored(conflict, batch)
        self._log.settled(path)
        self._emit(FilePut(path, None, held))
        self._emit(TakenBack(session, path, None, held))

    async def _write(self, path: str, text: str, mode: int) -> None:
        data = exact_bytes(path, text)
        disk.make_folders(path)
        disk.make_room(path)
        if not await disk.write(path, data, mode=mode, seen=""):
            raise FileProblem(f"{path} is there again: another program has made it")

    async def _settle(self, path: str) -> None:
        """Let Neovim know that the file is there again: the user may write the buffer to it."""
        for _ in range(ATTEMPTS):
            live = await load(self._files, path)
            if live.buffer is None:
                return
            if await self._files.edit(live.buffer, (), None, settled=True, stamp=live.stamp):
                return


async def _each(
    turned: Undone, conflicts: Iterable[Conflict], act: Callable[[Conflict], Awaitable[None]]
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


def _held(conflict: Conflict) -> str:
    """Return what the disk held. The base is what both started from, as far as that is known: not
    all that was there."""
    return conflict.base if conflict.before is None else conflict.before
