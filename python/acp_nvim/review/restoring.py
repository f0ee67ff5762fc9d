"""Restores a file on the disk that an agent has removed below the user's unsaved text.

That text stays in the buffer: the conflict of both knows what the disk held.
"""

from __future__ import annotations

from contextlib import suppress

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
        back: list[str] = []
        doubtful: list[str] = []
        failed: list[str] = []
        async with self._sync.exclusive():
            for conflict in filter(is_removal, gone):
                if conflict.author.how == "found" and not found:
                    doubtful.append(conflict.path)
                    continue
                try:
                    await self.restore(conflict, undone.batch)
                    back.append(conflict.path)
                except UserError as error:
                    failed.append(str(error))
        return replace(
            undone,
            paths=(*undone.paths, *back),
            unsaved=(*undone.unsaved, *back),
            found=(*undone.found, *doubtful),
            failed=(*undone.failed, *failed),
        )

    async def again(self, redone: Undone, batch: str) -> Undone:
        """Remove again what that undo has restored; return all that became of its redo."""
        away: list[str] = []
        failed: list[str] = []
        async with self._sync.exclusive():
            for conflict in self._log.restored_by(batch):
                try:
                    await self._remove(conflict)
                    away.append(conflict.path)
                except (UserError, FileProblem) as problem:
                    failed.append(str(problem))
        return replace(
            redone,
            paths=tuple(dict.fromkeys((*redone.paths, *away))),
            unsaved=tuple(dict.fromkeys((*redone.unsaved, *away))),
            failed=(*redone.failed, *failed),
        )

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


def _held(conflict: Conflict) -> str:
    """Return what the disk held. The base is what both started from, as far as that is known: not
    all that was there."""
    return conflict.base if conflict.before is None else conflict.before
