"""`fs/read_text_file` and `fs/write_text_file`, between live buffers and the disk.

The text that a session was last given, or wrote, is the base of its next write, else what the disk
held when last seen: what the user, or another program, has changed since then is merged with what
the agent changed, and where both changed the same place the write fails and says so. Nobody's text
is ever overwritten. Only `client` calls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from weakref import WeakValueDictionary

import anyio

from acp_nvim.editor import Files, LiveBuffer
from acp_nvim.errors import Code, RequestFailed
from acp_nvim.files import disk
from acp_nvim.files import write as writing
from acp_nvim.files.baselines.baselines import UNKNOWN, DiskChange
from acp_nvim.files.recorder import Recorder, Unrecorded
from acp_nvim.files.roots import Roots
from acp_nvim.files.sync import DiskSync
from acp_nvim.files.text import buffer_text, clean, window
from acp_nvim.files.write import WriteConflict, WriteRequest, WriteResult
from acp_nvim.ledger.conflict import Conflict
from acp_nvim.ledger.delta import Author
from acp_nvim.session.place import first_change
from acp_nvim.session.request import FileRead, FileWritten, ReadFileRequest, WriteFileRequest


def ignore(session_id: str, path: str) -> None:
    """Tell nobody of a file that was read or written."""


def nowhere(session_id: str, path: str, line: int | None) -> None:
    """Tell nobody where the agent is."""


def untold(session_id: str, path: str, text: str) -> None:
    """Tell nobody what the agent knows of a file."""


def nobody(session_id: str) -> Author | None:
    """Say of no session that a turn was in it."""
    return None


def silent(session_id: str, path: str, reason: str) -> None:
    """Tell no user of a write that failed."""


def unshown(error: BaseException) -> None:
    """Tell nobody of a fault."""


class FileService:
    """Serves one client's file asks; those for the same file one after the other, as they came.

    `on_read` and `on_written` are told the session and the resolved path after each success,
    `on_place` a line of it besides, where one is known: the first that was read, or changed;
    `on_text` the text that the agent takes the file for from then on; `on_refused` the session, the
    path as the agent has it, and why a write failed. `author` maps a session to its last turn, to
    which the `recorder` counts what is written. `watch` is the editor's one DiskSync.
    """

    def __init__(
        self,
        files: Files,
        *,
        on_read: Callable[[str, str], None] = ignore,
        on_written: Callable[[str, str], None] = ignore,
        on_place: Callable[[str, str, int | None], None] = nowhere,
        on_text: Callable[[str, str, str], None] = untold,
        on_refused: Callable[[str, str, str], None] = silent,
        author: Callable[[str], Author | None] = nobody,
        recorder: Recorder | None = None,
        watch: DiskSync | None = None,
    ) -> None:
        self._files = files
        self._on_refused = on_refused
        self._author = author
        self._recorder = recorder or Unrecorded()
        self._watch = watch or DiskSync(files, unshown)
        self._on_read = on_read
        self._on_written = on_written
        self._on_place = on_place
        self._on_text = on_text
        self._bases: dict[tuple[str, str], str] = {}
        self._locks: WeakValueDictionary[str, anyio.Lock] = WeakValueDictionary()

    async def read(
        self, ask: ReadFileRequest, roots: Roots, *, empty_for_missing: bool = False
    ) -> FileRead:
        """Return the text as the user sees it: of a modified buffer, else of the disk.

        `empty_for_missing` is for agents that take an error for the end of the world and mean to
        create the file. Raises `RequestFailed` (v1/file-system § Reading Files).
        """
        path = roots.resolve(ask.path)
        async with self._lock(path):
            try:
                text = await self._text(path)
            except RequestFailed as error:
                if not (empty_for_missing and error.code == Code.RESOURCE_NOT_FOUND):
                    raise
                text = ""
            self._remember(ask.session_id, path, text)
        self._on_read(ask.session_id, path)
        self._on_place(ask.session_id, path, ask.line)
        return FileRead(window(text, ask.line, ask.limit))

    async def write(self, ask: WriteFileRequest, roots: Roots) -> FileWritten:
        """Make the content that of the file, in its buffer and on disk, and keep the user's edits.

        Raises `RequestFailed`, and then nothing has changed (v1/file-system § Writing Files).
        """
        try:
            path = roots.resolve(ask.path)
            async with self._lock(path), self._watch.still():
                request = await self._write(ask.session_id, path, clean(ask.content))
        except RequestFailed as error:
            reason = error.told if isinstance(error, WriteConflict) else error.message
            self._on_refused(ask.session_id, ask.path, reason)
            raise
        self._on_written(ask.session_id, path)
        line = (
            first_change(request.base, request.content) if isinstance(request.base, str) else None
        )
        self._on_place(ask.session_id, path, line)
        return FileWritten()

    async def _write(self, session_id: str, path: str, content: str) -> WriteRequest:
        """Write, and say who did; the caller holds the file's lock, and `still`."""
        author = self._author(session_id)
        seen = await self._watch.seen(path)
        change = await self._watch.settle(path, author)
        if seen is UNKNOWN and change is not None:
            seen = change.before
        self._check(path)
        known = clean(seen) if isinstance(seen, str) else seen
        request = WriteRequest(path, self._bases.get((session_id, path), known), content)
        try:
            written = await writing.write(self._files, request)
        except WriteConflict as conflict:
            self._conflicted(request, conflict, author)
            raise
        if written.through:
            await self._watch.saw(path)
        else:
            change = DiskChange(path, written.before, written.after)
            followed = await self._watch.wrote(path, author, change)
            if followed is not None:
                written = replace(written, before=followed.before, after=followed.after or "")
                written = replace(written, taken=not followed.conflicts)
        # Not the merged text: what the user added is no news that the agent has had.
        self._remember(session_id, path, content)
        self._record(path, written, author)
        return request

    def _check(self, path: str) -> None:
        """Raise `RequestFailed` if the file must not be written now."""
        disk.check_writable(path)
        disk.make_folders(path)
        line = self._watch.disputed(path)
        if line is not None:
            raise RequestFailed(
                Code.INTERNAL_ERROR,
                f"{path} was changed on disk by another program, and by the user, at line "
                f"{line + 1}: it must be saved, or read again, in the editor first",
            )

    def _conflicted(
        self, request: WriteRequest, conflict: WriteConflict, author: Author | None
    ) -> None:
        if author is not None:
            self._recorder.conflicted(
                Conflict(
                    request.path,
                    author,
                    conflict.base,
                    request.content,
                    conflict.places,
                    on_disk=conflict.on_disk,
                )
            )

    def _record(self, path: str, written: WriteResult, author: Author | None) -> None:
        if author is not None:
            self._recorder.wrote(path, written.before, written.after, author)
        if written.taken:
            self._recorder.settled(path)

    def forget(self, session_id: str) -> None:
        """Drop what is remembered for a session that is over."""
        self._bases = {key: text for key, text in self._bases.items() if key[0] != session_id}

    def _remember(self, session_id: str, path: str, text: str) -> None:
        self._bases[session_id, path] = text
        self._on_text(session_id, path, text)

    def _lock(self, path: str) -> anyio.Lock:
        """Return the lock of that path; it lives as long as somebody holds or awaits it."""
        return self._locks.setdefault(path, anyio.Lock())

    async def _text(self, path: str) -> str:
        """Return what an agent may know of the file; the caller holds its lock."""
        buffer = await self._files.loaded(path)
        if buffer is not None and buffer.modified:
            buffer = await self._settled(path)
        if buffer is None:
            return clean((await disk.read(path)).text)
        if buffer.modified:
            return _shown(path, buffer)
        try:
            return clean((await disk.read(path, buffer.encoding or "utf-8")).text)
        except RequestFailed:
            # Deleted behind the buffer: the user still has the text; of a new file there is none.
            if buffer.empty:
                raise
            return _shown(path, buffer)

    async def _settled(self, path: str) -> LiveBuffer | None:
        """Return the buffer with what the disk has new: the agent may have written it itself."""
        async with self._watch.still():
            await self._watch.settle(path)
        return await self._files.loaded(path)


def _shown(path: str, buffer: LiveBuffer) -> str:
    """Return the text in the buffer. Raises `RequestFailed` if it is none."""
    text = buffer_text(buffer)
    if "\0" in text:
        raise RequestFailed(Code.INTERNAL_ERROR, f"{path} is a binary file")
    return clean(text)
