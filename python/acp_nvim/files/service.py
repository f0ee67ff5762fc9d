"""`fs/read_text_file` and `fs/write_text_file`, between live buffers and the disk.

What the agent was last given, or wrote, is the base of its next write, else what the disk held when
last seen: what the user, or another program, has changed since then is merged with what the agent
changed, and where both changed the same place the write fails and says so. Nobody's text is ever
overwritten. Only `client` calls.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    contextmanager,
    nullcontext,
)
from functools import partial
from pathlib import Path
from weakref import WeakValueDictionary

import anyio
from msgspec.structs import replace

from acp_nvim.aside import aside_if_large
from acp_nvim.editor import Busy, Files
from acp_nvim.errors import Code, FileProblem, OutsideRoots, RequestFailed
from acp_nvim.files import disk, event
from acp_nvim.files.baselines.baselines import DiskChange
from acp_nvim.files.baselines.snapshot import UNKNOWN, Text
from acp_nvim.files.deferred import StillBusy
from acp_nvim.files.encoding import clean, is_misread
from acp_nvim.files.event import (
    Conflicted,
    ConflictSettled,
    Emit,
    WriteRefused,
)
from acp_nvim.files.guard import Guard, is_named
from acp_nvim.files.knowledge import Knowledge, Known
from acp_nvim.files.live import LiveFile, load
from acp_nvim.files.roots import LONGEST, Roots
from acp_nvim.files.sync import DiskSync, Synced
from acp_nvim.files.text import window
from acp_nvim.files.write import WriteConflict, WriteRequest, WriteResult, write
from acp_nvim.history.author import Author, SessionKey
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.versions import nearest
from acp_nvim.session.content import Diff
from acp_nvim.session.place import first_change
from acp_nvim.session.request import (
    FileRead,
    FileWritten,
    ReadFileRequest,
    WriteFileRequest,
)

MOST_REFUSED = 100
"""Writes that the user was told to be refused, and that may come again."""
MOST_TOLD = 10
"""Refused writes of one turn that the user is told by a message; the chat has more."""


class _Guarded(Exception):
    """The user must be asked before that file is written."""

    def __init__(self, guard: Guard) -> None:
        super().__init__()
        self.guard = guard


class FileService:
    """Serves one agent's file requests; those for the same file one after the other, as they came.

    `author` maps a session's id and a path to its last turn, to which is counted what is written.
    """

    def __init__(
        self,
        agent: str,
        files: Files,
        sync: DiskSync,
        knowledge: Knowledge,
        emit: Emit,
        author: Callable[[str, str], Author | None],
        noted: Callable[[], Awaitable[None]],
    ) -> None:
        self._agent = agent
        self._files = files
        self._sync = sync
        self._knowledge = knowledge
        self._emit = emit
        self._author = author
        self._noted = noted
        self._refused: dict[tuple[SessionKey, str], str] = {}
        self._told: dict[SessionKey, tuple[object, int]] = {}
        """The last turn of a session, and of how many of its refused writes the user was told."""
        self._locks: WeakValueDictionary[str, anyio.Lock] = WeakValueDictionary()

    async def read(
        self,
        request: ReadFileRequest,
        roots: Roots,
        room: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
        *,
        empty_for_missing: bool = False,
    ) -> FileRead:
        """Return the text as the user sees it: of a modified buffer, else of the disk.

        It is read within `room`, which waits as long as too many texts are on their way.
        `empty_for_missing` is for agents that take an error for the end of the world and mean to
        create the file. Raises `RequestFailed` (v1/file-system § Reading Files).
        """
        session = self._agent, request.session_id
        with _as_answer():
            path = roots.resolve(request.path)
            async with self._lock(path), room():
                live = await self._current(path)
                text = await aside_if_large(partial(getattr, live, "for_agent"), live.read_text)
                if text is None and not empty_for_missing:
                    uri = {"uri": Path(path).as_uri()}
                    said = f"{path} does not exist"
                    raise RequestFailed(Code.RESOURCE_NOT_FOUND, said, uri)
                text = text or ""
                learn = partial(self._knowledge.learn, session, path, text, "served")
                await aside_if_large(partial(learn, live.encoding), text)
        self._emit(event.FileRead(session, path, request.line))
        return FileRead(window(text, request.line, request.limit))

    async def write(
        self, request: WriteFileRequest, roots: Roots, guard: Guard | None = None
    ) -> FileWritten:
        """Make the content that of the file, in its buffer and on disk, and keep the user's edits.

        What `guard` means is written once the user has allowed it. Waits while the user is in the
        middle of a command there. Raises `RequestFailed`, and then nothing has changed
        (v1/file-system § Writing Files).
        """
        session = self._agent, request.session_id
        with _as_answer():
            try:
                # once: what it leads to while the user is asked is another file
                path, content = roots.resolve(request.path), clean(request.content)
                try:
                    await self._in_turn(request, path, content, roots, guard)
                except _Guarded as found:
                    await self._ask(found.guard, request, path, content)
                    await self._in_turn(request, path, content, roots, None)
            except FileProblem as problem:
                self._refuse(session, request.path, problem)
                raise
            self._refused.pop((session, request.path[:LONGEST]), None)
        return FileWritten()

    def _refuse(self, session: SessionKey, path: str, problem: FileProblem) -> None:
        """Tell the user why, by a message only once, though the agent tries again."""
        path = path[:LONGEST]  # as long as an agent likes, and kept
        reason = problem.told or _of_it(problem, path)
        author = self._author(session[1], "")
        turn = session if author is None else author.turn_key
        last, count = self._told.get(session, (turn, 0))
        count = count if last == turn else 0
        is_again = isinstance(problem, StillBusy) or self._refused.get((session, path)) == reason
        known = is_again or count >= MOST_TOLD
        if not known:
            self._told[session] = turn, count + 1
            self._refused[session, path] = reason
        if len(self._refused) > MOST_REFUSED:
            del self._refused[next(iter(self._refused))]
        self._emit(WriteRefused(session, path, reason, known))

    async def _ask(self, guard: Guard, request: WriteFileRequest, path: str, content: str) -> None:
        before = (await load(self._files, path)).shown
        if before != content and not await guard.allow(Diff(path, before, content)):
            said = f"the user does not let {request.path} be written: their tools would obey it"
            raise RequestFailed(Code.INTERNAL_ERROR, said)

    async def _in_turn(
        self,
        request: WriteFileRequest,
        path: str,
        content: str,
        roots: Roots,
        guard: Guard | None,
    ) -> None:
        """Write when it is the turn of this request, and the user's hands are off the file.

        Raises `_Guarded`: whoever is asked holds up no other request.
        """
        session = self._agent, request.session_id
        write = partial(self._attempt, session, path, content, guard)
        async with self._lock(path):
            if guard is not None and await guard.means((path, request.path), roots.folders()):
                raise _Guarded(guard)
            await self._sync.hands.patiently(session, path, write)

    async def _attempt(
        self, session: SessionKey, path: str, content: str, guard: Guard | None
    ) -> None:
        """Write, if the user's hands are off the file; the caller holds the file's lock."""
        author = self._author(session[1], path)
        async with AsyncExitStack() as held:
            await held.enter_async_context(self._sync.exclusive())
            if guard is not None and is_named(
                (path,), guard.patterns
            ):  # another write has come first
                raise _Guarded(guard)
            synced = await self._look(path, author)
            with anyio.CancelScope(shield=True):  # what is written is told, too: also to the agent
                await self._write(session, synced, content, author)
                await held.aclose()

    async def _look(self, path: str, author: Author | None) -> Synced:
        """Take what the disk has new before a write: it is only supposed to be the agent's, too.

        Raises `Busy`, or `FileProblem` if the buffer cannot have that.
        """
        synced = await self._sync.sync(path, author and replace(author, how="found"))
        if isinstance(synced.problem, Busy):
            raise synced.problem
        if synced.problem is not None:
            raise FileProblem(f"{path} stays as it is: {synced.problem}") from synced.problem
        return synced

    async def _write(
        self, session: SessionKey, synced: Synced, content: str, author: Author | None
    ) -> None:
        """Write, and say who did; the caller holds `exclusive`, too."""
        path = synced.live.path
        live = synced.live
        making = partial(self._request, session, synced, content, author)
        request = await aside_if_large(making, content)
        self._check(path)
        try:
            written = await write(self._files, live, request, partial(self._again, path, author))
        except FileProblem as problem:
            self._sync.deferred.refused(path)
            if isinstance(problem, WriteConflict) and author is not None:
                sides = path, author, problem.base, problem.content, problem.places
                self._emit(Conflicted(Conflict(*sides, on_disk=problem.on_disk)))
            raise
        try:
            if written.encoding is not None:
                await self._sync.refresh(path, written.encoding, written.left)
            else:
                written = await self._opened(path, author, written)
            learning = partial(self._knowledge.wrote, session, request, written.read(live), author)
            await aside_if_large(learning, content)
        finally:  # it is on the disk, whatever fails behind that
            line = first_change(request.base, content) if isinstance(request.base, str) else None
            fact = event.FileWritten(
                session,
                path,
                written.before,
                written.after,
                author,
                line,
                live.encoding,
                live.attributes,
            )
            await self._sync.tell(fact)
            self._sync.deferred.told(path)
        if written.taken:
            self._emit(ConflictSettled(path))
        if written.stamp and written.stamp != disk.stamp(path):
            # what a formatter has made of the file on disk is the agent's doing, too
            now = (await load(self._files, path)).buffer
            if now is not None and not now.modified:
                await self._sync.sync(path, author)

    def _request(
        self, session: SessionKey, synced: Synced, content: str, author: Author | None
    ) -> WriteRequest:
        """Return what is to be written, and upon what. Raises `FileProblem`."""
        live = synced.live
        known = self._knowledge.of(session, live.path)
        base = self._base(known, synced, content)
        self._check_reading(base, known.encoding, live)
        begun = partial(self._begun, live.path, author, live.encoding)
        # a second copy within the turn has no second effect
        has_changed = known.upon or known.writer is not None
        is_own = has_changed and not known.has_written(content, author)
        returned = known.untold(live.read(live.newest)) if is_own else UNKNOWN
        told = known.text if known.how == "told" else UNKNOWN
        return WriteRequest(live.path, base, content, returned, told, begun)

    async def _again(self, path: str, author: Author | None) -> LiveFile:
        """Return the file as it is now, with what the disk had new told."""
        return (await self._look(path, author)).live

    def _base(self, known: Known, synced: Synced, content: str) -> Text:
        """Return what an agent has made its text upon: what it has read or written last; if that is
        not known what the disk was seen to hold, without what only an agent's write has saved of
        the user's text."""
        live, seen = synced.live, synced.known
        if known.base is not UNKNOWN:
            return known.base_of(content)
        seen = clean(seen, live.encoding) if isinstance(seen, str) else seen
        is_there = content == live.read(live.newest)  # by a tool of its own, upon what was seen
        if live.buffer is not None and isinstance(seen, str) and not is_there:
            others = self._knowledge.on_disk(live.path, live.buffer.saved)
            if isinstance(others.base, str) and others.encoding == live.encoding:
                seen = nearest((others.base, seen), content)
        return replace(known, base=seen).base_of(content)

    def _check_reading(self, base: Text, encoding: str, live: LiveFile) -> None:
        """Raise `FileProblem` if the file is no more read as the agent has read it: its lines
        would be taken for others'."""
        if isinstance(base, str) and is_misread(base, live.newest or "", encoding, live.encoding):
            raise FileProblem(
                f"{live.path} is read in another encoding since you read it: "
                "read it again and repeat your edit",
                "its encoding is another one since the agent read it: the agent was told so",
            )

    async def _begun(
        self, path: str, author: Author | None, encoding: str, before: str | None, after: str
    ) -> None:
        self._check_undisputed(path, found=True)  # the disk would have it no more, nor would we
        fact = event.WriteBegun(path, before, after, author, encoding)
        self._sync.deferred.begins(fact)
        await self._sync.foresee(fact)
        self._emit(fact)
        await self._noted()

    def _check(self, path: str) -> None:
        """Raise `FileProblem` if the file must not be written now."""
        disk.check_writable(path)
        disk.make_folders(path)
        self._check_undisputed(path)

    def _check_undisputed(self, path: str, *, found: bool = False) -> None:
        line = self._sync.conflicts.line(path, found=found)
        if line is not None:
            raise FileProblem(
                f"{path} was changed on disk by another program, and by the user, at line "
                f"{line + 1}: it must be saved, or read again, in the editor first",
                f"you and another program have changed line {line + 1}: :write or :edit! first",
            )

    async def _opened(self, path: str, author: Author | None, written: WriteResult) -> WriteResult:
        """Return what was written to the disk, with what a buffer has that was opened meanwhile."""
        change = DiskChange(path, written.before, written.after)
        followed = await self._sync.opened(path, author, change)
        if followed is None:
            return written
        taken = not followed.conflicts
        return replace(written, before=followed.before, after=followed.after or "", taken=taken)

    def _lock(self, path: str) -> anyio.Lock:
        """Return the lock of that path; it lives as long as somebody holds or awaits it."""
        return self._locks.setdefault(path, anyio.Lock(fast_acquire=True))

    async def _current(self, path: str) -> LiveFile:
        """Return the file with what the disk has new, which may be the agent's own. The caller
        holds its lock."""
        live = await load(self._files, path)
        if live.buffer is not None and live.buffer.modified:
            is_new = not self._sync.is_in_step(path, live.buffer.synced)
        else:
            is_new = self._sync.is_behind(live)
        if not is_new:
            return live
        async with self._sync.exclusive():
            return (await self._sync.sync(path)).live


@contextmanager
def _as_answer() -> Iterator[None]:
    """Turn what is wrong with a file into what the agent is told."""
    try:
        yield
    except OutsideRoots as problem:
        raise RequestFailed(Code.INVALID_PARAMS, str(problem)) from problem
    except FileProblem as problem:
        raise RequestFailed(Code.INTERNAL_ERROR, str(problem)) from problem


def _of_it(problem: FileProblem, path: str) -> str:
    """Return the sentence for who knows the file, unless it is about folders."""
    text = str(problem)
    names = () if isinstance(problem, OutsideRoots) else (path, os.path.realpath(path))
    name = next((it for it in names if text.startswith(f"{it} ")), "")
    return f"it{text.removeprefix(name)}" if name else text
