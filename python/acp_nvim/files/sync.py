"""When open buffers are brought up to the disk, and who is told of what changed there.

After tool calls that name files, after turns, and before an agent writes or the user decides. One
at a time: whoever holds `still` has all before it that was asked for until then.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import anyio

from acp_nvim.editor import Files
from acp_nvim.errors import AcpError, RequestFailed
from acp_nvim.files import disk
from acp_nvim.files.baselines.baselines import Baselines, DiskChange, Unknown
from acp_nvim.files.recorder import Recorder, Unrecorded
from acp_nvim.files.roots import Roots
from acp_nvim.files.settle import ATTEMPTS, Followed, Moved, closed, follow
from acp_nvim.ledger.conflict import Conflict
from acp_nvim.ledger.delta import Author


@dataclass(frozen=True, slots=True)
class Late:
    """A change of the disk that the editor could not take yet."""

    change: DiskChange
    author: Author | None


@dataclass(frozen=True, slots=True)
class Dispute:
    """The disk, as it was then, and the user differ at a line; `author` is whose the disk is."""

    stamp: str
    line: int
    author: Author | None


def nobody(path: str) -> Author | None:
    """Say of no file that an agent's turn runs that may change it."""
    return None


class DiskSync:
    """Collects what may have changed; `look` and `sweep` return at once, `run` does the work.

    A change is counted to an author, a turn of an agent; None: it is nobody's. It is the one for
    whom that path was to be looked at, however late the look is; else who the caller says; else
    for whom its folder is to be; else whom `author` names: the turn that runs there now.
    """

    def __init__(
        self,
        files: Files,
        fault: Callable[[BaseException], None],
        *,
        baselines: Baselines | None = None,
        recorder: Recorder | None = None,
        author: Callable[[str], Author | None] = nobody,
    ) -> None:
        self._files = files
        self._fault = fault
        self._baselines = baselines or Baselines()
        self._recorder = recorder or Unrecorded()
        self._author = author
        self._paths: dict[str, Author | None] = {}
        self._roots: dict[Roots, Author | None] = {}
        self._late: dict[str, Late] = {}
        self._disputes: dict[str, Dispute] = {}
        self._wake = anyio.Event()
        self._lock = anyio.Lock()

    def look(self, author: Author | None, roots: Roots, paths: Iterable[str]) -> None:
        """A tool call names these files; those outside of the roots are none of ours."""
        for path in paths:
            try:
                real = roots.resolve(path)
            except RequestFailed:
                continue
            self._paths[real] = author or self._paths.get(real)
            self._wake.set()

    def sweep(self, author: Author | None, roots: Roots) -> None:
        """Anything below the roots may have changed."""
        self._roots[roots] = author or self._roots.get(roots)
        self._wake.set()

    async def run(self) -> None:
        """Follow the disk for ever; the caller's task group ends it."""
        while True:
            await self._wake.wait()
            self._wake = anyio.Event()
            await self.caught_up()

    async def caught_up(self) -> None:
        """Return when all that was asked for is done."""
        async with self.still():
            pass

    async def prepare(self, roots: Roots) -> None:
        """A turn begins, or a session: what has changed until now is none of its."""
        async with self.still():
            await self._sweep(None, roots, refresh=True)

    @asynccontextmanager
    async def still(self) -> AsyncIterator[None]:
        """Do all that was asked for, then hold off all passes: what is written to the disk herein
        is not taken for another's."""
        async with self._lock:
            try:
                await self._catch_up()
            except AcpError as error:
                self._fault(error)
            yield

    async def _catch_up(self) -> None:
        paths, everywhere = self._paths, self._roots
        self._paths, self._roots = {}, {}
        for path, author in paths.items():
            await self.settle(path, author)
        for roots, author in everywhere.items():
            await self._sweep(author, roots)

    # --- for who holds `still`

    async def settle(self, path: str, author: Author | None = None) -> DiskChange | None:
        """Take what the disk has new at that resolved path, and return it."""
        told: DiskChange | None = None
        for _ in range(ATTEMPTS):
            encoding = await self._encoding(path)
            known = self._baselines.text(path, encoding)
            change = await self._baselines.look(path, encoding)
            same = change is None and isinstance(known, str) and path not in self._disputes
            told = told if change is None else _joined(told, change)
            whose = self._whose(path, author)
            if await self._follow(path, encoding, whose, change, same=same):
                break
        return told

    async def saw(self, path: str) -> None:
        """See the file as it is now: it was we who wrote it."""
        await self._baselines.look(path, await self._encoding(path), at_once=True)
        self._late.pop(path, None)
        self._disputes.pop(path, None)

    async def wrote(self, path: str, author: Author | None, change: DiskChange) -> Followed | None:
        """Bring in a buffer of a file that was written because it had none: there may be one now.

        Returns what became of the live text, None if there is nothing to tell.
        """
        try:
            followed = await follow(self._files, path, change, kept=author is not None)
        except RequestFailed:
            self._late[path] = Late(change, author)
            return None
        await self.saw(path)
        if followed is not None:
            self._dispute(path, author, followed)
        return followed

    async def seen(self, path: str) -> str | Unknown | None:
        """Return what the disk held when last seen, as the encoding of its buffer has it."""
        late = self._late.get(path)
        if late is not None:
            return late.change.before
        return self._baselines.text(path, await self._encoding(path))

    def disputed(self, path: str) -> int | None:
        """Return the 0-based line where the user's text stands against another program's on disk.

        An agent's own text on disk does not count: that is kept by the recorder.
        """
        dispute = self._disputes.get(path)
        if dispute is None or dispute.author is not None or dispute.stamp != disk.stamp(path):
            return None
        return dispute.line

    async def _sweep(self, author: Author | None, roots: Roots, *, refresh: bool = False) -> None:
        opened = await self._files.loaded_paths(roots.folders())
        encodings = {path: await self._encoding(path) for path in opened}
        find = self._baselines.refresh if refresh else self._baselines.changes
        found = await find(roots, encodings)
        self._miss(found.unknown, author)
        done: set[str] = set()
        for change in found.known:
            whose = self._whose(change.path, author)
            if change.path in encodings or change.path in self._late:
                encoding = encodings.get(change.path, "")
                is_done = await self._follow(change.path, encoding, whose, change)
                done.update((change.path,) if is_done else ())
                continue
            self._leave(change)
            if (followed := await closed(self._files, change)) is not None:
                self._took(change.path, whose, followed)
        for path in dict.fromkeys((*opened, *self._late)):
            if path not in done:
                await self.settle(path, author)

    def _miss(self, paths: Iterable[str], author: Author | None) -> None:
        missed: dict[Author, list[str]] = {}
        for path in paths:
            if whose := self._whose(path, author):
                missed.setdefault(whose, []).append(path)
        for whose, theirs in missed.items():
            self._recorder.missed(theirs, whose)

    def _whose(self, path: str, author: Author | None) -> Author | None:
        """Return who changed that path just now; `author`: who is said to."""
        asked = (it for roots, it in self._roots.items() if roots.has(path))
        known = (it for it in (self._paths.get(path), author, *asked) if it is not None)
        return next(known, None) or self._author(path)

    async def _encoding(self, path: str) -> str:
        """Return that of the file's buffer, "" if it has none."""
        buffer = await self._files.loaded(path)
        return "" if buffer is None else buffer.encoding or "utf-8"

    async def _follow(
        self,
        path: str,
        encoding: str,
        author: Author | None,
        change: DiskChange | None,
        *,
        same: bool = False,
    ) -> bool:
        """Bring the buffer up to the disk, which was looked at with that encoding; False if it is
        to be looked at again at once."""
        late = self._late.pop(path, None)
        if late is not None:
            change = _joined(late.change, change) if change else late.change
            author = late.author or author
        held = self._baselines.text(path, encoding)
        try:
            kept = author is not None
            followed = await follow(self._files, path, change, kept=kept, same=same, held=held)
        except RequestFailed as error:
            # The buffer stays as it was, and Neovim warns the user as it does without us.
            if change is not None:
                self._late[path] = Late(change, author)
            return not isinstance(error, Moved)
        if followed is not None:
            self._leave(change)
            self._took(path, author, followed)
        elif path in self._disputes and self._disputes[path].stamp != disk.stamp(path):
            # The agent's text is kept by the recorder until the user has decided on it.
            del self._disputes[path]
        return True

    def _leave(self, change: DiskChange | None) -> None:
        if change is not None and change.after is None:
            self._recorder.left(change.path, change.form)

    def _took(self, path: str, author: Author | None, followed: Followed) -> None:
        if author is not None and followed.before != followed.after:
            self._recorder.wrote(path, followed.before, followed.after, author)
        self._dispute(path, author, followed)

    def _dispute(self, path: str, author: Author | None, followed: Followed) -> None:
        if not followed.conflicts:
            return
        line = followed.conflicts[0].first
        self._disputes[path] = Dispute(disk.stamp(path), line, author)
        if author is not None:
            places = tuple((place.first, place.last) for place in followed.conflicts)
            self._recorder.conflicted(
                Conflict(path, author, followed.base, followed.theirs, places, on_disk=True)
            )


def _joined(first: DiskChange | None, second: DiskChange) -> DiskChange:
    """Return two changes, one after the other, as one."""
    return second if first is None else replace(second, before=first.before)
