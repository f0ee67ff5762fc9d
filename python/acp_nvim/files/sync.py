"""When open buffers are brought up to the disk, and whose a change of it is.

After tool calls that name files, after turns, and before an agent writes or the user decides. One
at a time: whoever holds `exclusive` has all before it that was asked for until then.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import anyio

from acp_nvim.editor import Busy, Files, LiveBuffer
from acp_nvim.errors import AcpError, FileProblem
from acp_nvim.files import disk
from acp_nvim.files.baselines.baselines import Baselines, DiskChange
from acp_nvim.files.baselines.snapshot import UNKNOWN, Text, Unknown
from acp_nvim.files.encoding import clean
from acp_nvim.files.event import Conflicted, DiskChanged, Emit, Unrecoverable
from acp_nvim.files.hands import Hands
from acp_nvim.files.knowledge import Knowledge
from acp_nvim.files.live import LiveFile, encoding_of, load, with_buffer
from acp_nvim.files.roots import Roots
from acp_nvim.files.settle import Followed, carry_out, needs_disk, settle
from acp_nvim.ledger.conflict import Conflict
from acp_nvim.ledger.delta import Author

ATTEMPTS = 5
"""How often a buffer, or a file, that changes meanwhile is tried again."""


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


@dataclass(frozen=True, slots=True)
class Synced:
    """A file after it was brought up to the disk; what the disk was known to hold until then, and
    what it had new, if anything. `busy`: the buffer has not got that yet, for the user's hands are
    on it."""

    live: LiveFile
    known: Text = UNKNOWN
    change: DiskChange | None = None
    busy: Busy | None = None


class Moved(FileProblem):
    """The disk no longer holds what it was seen to hold: it is to be looked at again."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} keeps changing on disk")


class DiskSync:
    """Collects what may have changed; `look` and `sweep` return at once, `run` does the work.

    Whose a change is, a turn of an agent or nobody (None), is found out in this order:

    1. for whom that path was to be looked at, however late the look is;
    2. who the caller says;
    3. for whom a folder that it is in was to be swept;
    4. whose turn runs there now, as `author` says.
    """

    def __init__(
        self,
        files: Files,
        emit: Emit,
        fault: Callable[[BaseException], None],
        *,
        knowledge: Knowledge,
        author: Callable[[str], Author | None],
        baselines: Baselines | None = None,
    ) -> None:
        self._files = files
        self._emit = emit
        self._fault = fault
        self._knowledge = knowledge
        self._author = author
        self._baselines = baselines or Baselines()
        self._paths: dict[str, Author | None] = {}
        self._roots: dict[Roots, Author | None] = {}
        self.hands = Hands(emit)
        self._late: dict[str, Late] = {}
        self._busy: dict[str, Busy] = {}
        self._disputes: dict[str, Dispute] = {}
        self._wake = anyio.Event()
        self._lock = anyio.Lock()

    def look(self, author: Author | None, roots: Roots, paths: Iterable[str]) -> None:
        """A tool call names these files; those outside of the roots are none of ours."""
        for path in paths:
            try:
                real = roots.resolve(path)
            except FileProblem:
                continue
            self._paths[real] = author or self._paths.get(real)
            self._wake.set()

    def sweep(self, author: Author | None, roots: Roots) -> None:
        """Anything below the roots may have changed."""
        self._roots[roots] = author or self._roots.get(roots)
        self._wake.set()

    def free(self) -> None:
        """A command of the user's is over: what waits for that is done."""
        self.hands.free()
        if self._busy:
            self._wake.set()

    async def run(self) -> None:
        """Follow the disk for ever; the caller's task group ends it."""
        while True:
            with anyio.move_on_after(self.hands.patience.silent if self._busy else None):
                await self._wake.wait()
            self._wake = anyio.Event()
            for path in self._busy:
                self._paths.setdefault(path, None)
            await self.drain()
            self.hands.tell()

    async def drain(self) -> None:
        """Return when all that was asked for is done."""
        async with self.exclusive():
            pass

    async def prepare(self, roots: Roots) -> None:
        """A turn begins, or a session: what has changed until now is none of its."""
        async with self.exclusive():
            await self._sweep(None, roots, refresh=True)

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[None]:
        """Do all that was asked for, then hold off all passes: what is written to the disk herein
        is not taken for another's."""
        async with self._lock:
            try:
                # what is looked at once is not looked at again
                with anyio.CancelScope(shield=True):
                    await self._catch_up()
            except AcpError as error:
                self._fault(error)
            yield
            await self._baselines.keep()

    async def _catch_up(self) -> None:
        paths, everywhere = self._paths, self._roots
        self._paths, self._roots = {}, {}
        for path, author in paths.items():
            await self.sync(path, author)
        for roots, author in everywhere.items():
            await self._sweep(author, roots)

    # --- for who holds `exclusive`

    async def sync(self, path: str, author: Author | None = None) -> Synced:
        """Take what the disk has new at that resolved path; return the file as it is then."""
        buffer = await self._files.loaded(path)  # may take as long as Neovim waits for a key
        with anyio.CancelScope(shield=True):  # what was seen is taken, or kept for later
            synced = await self._take(path, author, buffer)
        return synced

    async def _take(self, path: str, author: Author | None, buffer: LiveBuffer | None) -> Synced:
        told: DiskChange | None = None
        before: Text = UNKNOWN
        for attempt in range(ATTEMPTS):
            if attempt:
                buffer = await self._files.loaded(path)
            encoding = encoding_of(buffer)
            known = self._baselines.text(path, encoding)
            before = before if attempt else self._seen(path, known)
            change = await self._baselines.look(path, encoding)
            told = told if change is None else _joined(told, change)
            same = change is None and isinstance(known, str) and path not in self._disputes
            live = await with_buffer(path, buffer)
            found = await self._follow(live, self._whose(path, author), change, same=same)
            if found is not None:
                live = found
                break
        if before is UNKNOWN and told is not None:
            before = told.before
        return Synced(live, before, told, self._busy.get(path))

    async def refresh(self, path: str, encoding: str) -> None:
        """See the file as it is now: it was we who wrote it, through a buffer in that encoding."""
        await self._baselines.look(path, encoding, at_once=True)
        self._late.pop(path, None)
        self._disputes.pop(path, None)
        self._waits(path)

    async def opened(self, path: str, author: Author | None, change: DiskChange) -> Followed | None:
        """Bring in a buffer of a file that was written because it had none: there may be one now.

        Returns what became of the live text, None if there is nothing to tell.
        """
        live = await load(self._files, path)
        try:
            live, followed = await self._settle(live, change, kept=author is not None)
        except FileProblem as problem:
            self._late[path] = Late(change, author)
            self._waits(path, problem, author, tell=True)
            return None
        await self.refresh(path, live.encoding)
        if followed is not None:
            self._dispute(path, author, followed)
        return followed

    def disputed(self, path: str) -> int | None:
        """Return the 0-based line where the user's text stands against another program's on disk.

        An agent's own text on disk does not count: that conflict is kept by the log.
        """
        dispute = self._disputes.get(path)
        if dispute is None or dispute.author is not None or dispute.stamp != disk.stamp(path):
            return None
        return dispute.line

    async def _sweep(self, author: Author | None, roots: Roots, *, refresh: bool = False) -> None:
        paths = await self._files.loaded_paths(roots.folders())
        opened = {path: encoding_of(await self._files.loaded(path)) for path in paths}
        find = self._baselines.refresh if refresh else self._baselines.changes
        found = await find(roots, opened)
        self._miss(found.unknown, author)
        self._miss(found.gone, author, gone=True)
        done: set[str] = set()
        for change in found.known:
            whose = self._whose(change.path, author)
            if change.path in opened or change.path in self._late:
                live = await load(self._files, change.path)
                if await self._follow(live, whose, change) is not None:
                    done.add(change.path)
                continue
            live = LiveFile(change.path, stamp=disk.stamp(change.path))
            if (followed := (await self._settle(live, change))[1]) is not None:
                self._took(live, whose, followed, change)
        for path in dict.fromkeys((*opened, *self._late)):
            if path not in done:
                await self.sync(path, author)

    def _seen(self, path: str, known: Text) -> Text:
        """Return what the disk held when last seen; what the editor did not take does not count."""
        late = self._late.get(path)
        return known if late is None else late.change.before

    def _miss(self, paths: Iterable[str], author: Author | None, *, gone: bool = False) -> None:
        missed: dict[Author, list[str]] = {}
        for path in paths:
            if whose := self._whose(path, author):
                missed.setdefault(whose, []).append(path)
        for whose, theirs in missed.items():
            self._emit(Unrecoverable(tuple(theirs), whose, gone))

    def _whose(self, path: str, author: Author | None) -> Author | None:
        """Return who changed that path just now; `author`: who is said to."""
        asked = (it for roots, it in self._roots.items() if roots.has(path))
        known = (it for it in (self._paths.get(path), author, *asked) if it is not None)
        return next(known, None) or self._author(path)

    async def _follow(
        self,
        live: LiveFile,
        author: Author | None,
        change: DiskChange | None,
        *,
        same: bool = False,
    ) -> LiveFile | None:
        """Bring the buffer up to the disk, and say what became of it; return the file as it is
        then, None if it is to be looked at again at once."""
        late = self._late.pop(live.path, None)
        if late is not None:
            author = late.author or (author if change else None)
            change = _joined(late.change, change) if change else late.change
        held = self._baselines.text(live.path, live.encoding)
        try:
            kept = author is not None
            live, followed = await self._settle(live, change, kept=kept, same=same, held=held)
        except FileProblem as problem:
            # The buffer stays as it was, and Neovim warns the user as it does without us.
            if change is not None:
                self._late[live.path] = Late(change, author)
            self._waits(live.path, problem, author, tell=change is not None)
            return None if isinstance(problem, Moved) else live
        self._waits(live.path)
        if followed is not None:
            self._took(live, author, followed, change)
        elif live.path in self._disputes and self._disputes[live.path].stamp != live.stamp:
            # The agent's text is kept by the log until the user has decided on it.
            del self._disputes[live.path]
        return live

    def _waits(
        self,
        path: str,
        problem: FileProblem | None = None,
        author: Author | None = None,
        *,
        tell: bool = False,
    ) -> None:
        """Take note whether the file is to be tried again when the user's hands are off it."""
        waited = self._busy.pop(path, None)
        self.hands.stays(path, problem, author)
        if isinstance(problem, Busy):
            self._busy[path] = problem
            if tell:
                self.hands.waits(path, author.turn_key[:2] if author else None, problem)
            if waited is None:
                self._wake.set()  # `run` looks at the clock from now on
        elif waited is not None:
            self.hands.over(path)

    async def _settle(
        self,
        live: LiveFile,
        change: DiskChange | None,
        *,
        kept: bool = False,
        same: bool = False,
        held: Text = UNKNOWN,
    ) -> tuple[LiveFile, Followed | None]:
        """Bring the buffer up to the disk; return the file then, and what became of it.

        `held`: what the disk was seen to hold. Raises `FileProblem`, `Moved` if it holds something
        else by now; nothing has changed then. See `settle` for the others.
        """
        for _ in range(ATTEMPTS):
            saved = await self._saved(live, change)
            if held is not UNKNOWN and needs_disk(live, change, saved) and live.on_disk != held:
                raise Moved(live.path)
            in_step = change is None and self._baselines.held(live.path, live.read_at)
            step = settle(live, change, saved=saved, kept=kept, same=same, in_step=in_step)
            if await carry_out(self._files, live.buffer, step.edit):
                now = live if step.edit is None else await load(self._files, live.path)
                return now, step.followed
            live = await load(self._files, live.path)
        raise FileProblem(f"{live.path} keeps changing")

    async def _saved(self, live: LiveFile, change: DiskChange | None) -> str:
        """Return the stamp of the file as the user has last written it, "" if that is no matter."""
        if live.buffer is not None:
            return live.buffer.saved
        return "" if change is None or not live.stamp else await self._files.saved(live.path)

    def _took(
        self, live: LiveFile, author: Author | None, followed: Followed, change: DiskChange | None
    ) -> None:
        path, encoding = live.path, live.encoding
        left = None if change is None or change.after is not None else change.form
        if followed.before != followed.after or left is not None:
            self._learn(live, author, followed)
            self._emit(DiskChanged(path, followed.before, followed.after, author, left, encoding))
        self._dispute(path, author, followed)

    def _learn(self, live: LiveFile, author: Author | None, followed: Followed) -> None:
        """What an agent has made on disk it knows."""
        text = self._baselines.text(live.path, live.encoding)
        if author is None or followed.before == followed.after or isinstance(text, Unknown):
            return
        read = None if text is None else clean(text, live.encoding)
        self._knowledge.learn((author.agent, author.session), live.path, read, "left")

    def _dispute(self, path: str, author: Author | None, followed: Followed) -> None:
        if not followed.conflicts:
            return
        line = followed.conflicts[0].first
        self._disputes[path] = Dispute(disk.stamp(path), line, author)
        if author is not None:
            places = tuple((place.first, place.last) for place in followed.conflicts)
            conflict = Conflict(path, author, followed.base, followed.theirs, places, on_disk=True)
            self._emit(Conflicted(conflict))


def _joined(first: DiskChange | None, second: DiskChange) -> DiskChange:
    """Return two changes, one after the other, as one."""
    return second if first is None else replace(second, before=first.before, stamps=first.stamps)
