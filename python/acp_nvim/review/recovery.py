"""What was done right before a host was killed: found out when the next one starts.

What it had begun and not ended is held against the file; and what differs from what the files held
at last is counted to the turn that ran, unless it was changed after the host's death.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable

import anyio
from anyio import to_thread

from acp_nvim.editor import Files
from acp_nvim.errors import FileProblem
from acp_nvim.files import disk
from acp_nvim.files.baselines.memory import Remembered, recollect
from acp_nvim.files.baselines.snapshot import UNKNOWN, Text, Unknown
from acp_nvim.files.live import LiveFile, load
from acp_nvim.files.roots import Roots, inside
from acp_nvim.files.sync import DiskSync
from acp_nvim.files.write import dress
from acp_nvim.history.author import Author
from acp_nvim.history.file import File
from acp_nvim.history.switch import mode_after
from acp_nvim.history.versions import nearest
from acp_nvim.review.conflicts import held
from acp_nvim.review.log import EditLog
from acp_nvim.session.origin import Stretch
from acp_nvim.storage import private
from acp_nvim.storage.edits import EditStore
from acp_nvim.storage.entries import Begun, digest
from acp_nvim.storage.journal import Killed, Running
from acp_nvim.view.styled import plural

CUT = "{} of the review lost: cut off in the middle, as by a loss of power"
GRACE = 1_000_000_000
"""Nanoseconds after a host's last sign of life in which a change may be its agent's."""


class Recovery:
    """Goes through the journals of hosts that are gone; `tell` is given what the user must know,
    `is_here` tells whether a folder is that of a project in which the user is."""

    def __init__(
        self,
        store: EditStore,
        log: EditLog,
        sync: DiskSync,
        files: Files,
        tell: Callable[[str], None],
        is_here: Callable[[str], bool],
    ) -> None:
        self._store = store
        self._log = log
        self._sync = sync
        self._files = files
        self._tell = tell
        self._is_here = is_here
        self._is_done = False
        self._running = anyio.Lock(fast_acquire=True)

    async def run(self) -> None:
        """Take up the histories, and all that is not in them; only the first call does anything.

        Any call returns when that is done. Until then nobody looks at a file: what an agent has
        done that the log does not have yet would be taken for the user's.
        """
        async with self._running:
            if self._is_done:
                await self._log.read_all_on()
            else:
                self._is_done = True
                async with self._sync.exclusive():
                    await self._log.restore()
                    if cut := await to_thread.run_sync(self._store.histories.set_aside):
                        self._tell(CUT.format(plural(cut, "record")))
                    await self._run()

    async def _run(self) -> None:
        journal = self._store.journal
        await self._settle_restored()
        for host in self._log.hosts():
            if not journal.has(host):
                await self._safely(self._end_all(host))
        for killed in journal.killed():
            is_there = all(map(os.path.isdir, _folders(killed.turns)))
            is_done = is_there and await self._safely(self._take_up(killed))
            if is_done and await to_thread.run_sync(self._store.write):
                killed.over()

    async def _safely(self, deed: Awaitable[object]) -> bool:
        """Do it; if it fails, what other hosts have left is taken up all the same."""
        try:
            await deed
        except Exception as error:
            self._sync.fault(error)
            return False
        return True

    async def _take_up(self, killed: Killed) -> None:
        known = await self._end_all(killed.path.stem)
        since = await self._recall(killed, known)
        for turn in filter(lambda it: it.folders, killed.turns):
            self._sync.sweep(turn.author, Roots(turn.folders[0], turn.folders[1:]))
            await self._sync.catch_up()
            self._say(turn.author, turn.folders[0], since)
            since = ()

    async def _end_all(self, host: str) -> set[str]:
        """End what a host had begun; return the files in which what is there is nobody's."""
        begun = self._log.begun_by(host)
        return {path for path, it in begun.items() if await self._end(path, it)}

    async def _end(self, path: str, begun: Begun) -> bool:
        """See whether what was begun was done; tell whether what is there is nobody's."""
        text = await self._read(path, lambda live: live.exact)
        now = None if isinstance(text, Unknown) else digest(text)
        before, is_done = self._log.file(path) or File(), now == begun.after
        if begun.is_decision and isinstance(text, str) and now not in (begun.before, begun.after):
            # somebody has gone on since
            made = self._log.made(path, begun)
            is_done = made == nearest([it for it in (before.text, made) if it is not None], text)
        self._log.end(path, begun, done=is_done)
        after = self._log.file(path)
        if is_done and begun.is_decision and after is not None:
            # a file gets its mode after its text
            mode = disk.mode(path) if begun.before else None
            dress(path, mode_after(before, after, mode))
        return begun.is_decision and now != begun.before

    async def _settle_restored(self) -> None:
        """End the conflicts in which an undo had given the disk its text back right before."""
        for it in self._log.conflicts():
            text = await self._read(it.path, lambda live: live.disk)
            if it.on_disk and text == held(it) != it.theirs:
                self._log.settled(it.path)

    async def _recall(self, killed: Killed, known: set[str]) -> tuple[str, ...]:
        """See the files of the turns as the killed host did, but for what the log has."""
        folders = set(_folders(killed.turns))
        if not folders:
            return ()
        remembered = await to_thread.run_sync(_remembered, killed, folders)
        known |= {path for path, stamp in killed.saved.items() if disk.stamp(path) == stamp}
        below = tuple(map(inside, folders))
        for path in filter(lambda it: it.startswith(below), self._log.paths()):
            # what a buffer follows: with the user's lines in it, it tells nothing of that
            now = await self._read(path, lambda live: live.on_disk)
            if now in self._told(path):
                known.add(path)
        return await self._sync.recall(remembered, killed.at + GRACE, known)

    def _told(self, path: str) -> list[str | None]:
        """Return the texts of a file that the log has: what was made of it, and what stands on
        the disk against the user's text."""
        file, conflict = self._log.file(path), self._log.conflict(path)
        texts = [] if file is None else [file.text]
        return [*texts, conflict.theirs] if conflict and conflict.on_disk else texts

    async def _read(self, path: str, what: Callable[[LiveFile], str | None]) -> Text:
        try:
            return what(await load(self._files, path))
        except FileProblem:
            return UNKNOWN

    def _say(self, author: Author, folder: str, since: tuple[str, ...]) -> None:
        turns = self._log.turns(Stretch(author.session_key))
        paths = next((it.paths for it in turns if it.key == author.turn_key), ())
        told = []
        if paths:
            files = f"{plural(len(paths), 'file')} {'has' if len(paths) == 1 else 'have'}"
            where = "" if self._is_here(folder) else f" in {folder}"
            told.append(f"{author.agent}'s turn was cut off, {files} changed{where}: :Acp review")
        if since:
            told.append(f"changed after {author.agent} was cut off, so not its: {_names(since)}")
        if told:
            self._tell("; ".join(told))


def _names(paths: tuple[str, ...]) -> str:
    names = ", ".join(map(os.path.basename, paths[:3]))
    return f"{names} and {len(paths) - 3} more" if len(paths) > 3 else names


def _folders(turns: Iterable[Running]) -> list[str]:
    return [os.path.realpath(folder) for turn in turns for folder in turn.folders]


def _remembered(killed: Killed, folders: set[str]) -> Remembered:
    try:
        with os.fdopen(private.opened(killed.sights), "rb") as file:
            found = recollect(file)
    except OSError:
        return Remembered()
    found.scans = {folder: it for folder, it in found.scans.items() if folder in folders}
    return found
