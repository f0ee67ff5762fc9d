"""`fs/read_text_file` and `fs/write_text_file`, between live buffers and the disk.

The text that a session was last given, or wrote, is the base of its next write: what the user has
changed since then is merged with what the agent changed, and where both changed the same place
the write fails and says so. The user's text is never overwritten. Only `client` calls.
"""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakValueDictionary

import anyio

from acp_nvim.errors import AskFailed, Code
from acp_nvim.hunks import Conflict, diff
from acp_nvim.ports import Files, LiveBuffer
from acp_nvim.services import disk
from acp_nvim.services.roots import Roots
from acp_nvim.services.text import (
    buffer_form,
    buffer_text,
    clean,
    encode,
    merged,
    window,
)
from acp_nvim.session.ask import FileRead, FileWritten, ReadFileAsk, WriteFileAsk
from acp_nvim.session.place import first_change

ATTEMPTS = 5
"""How often a write begins anew because the user types meanwhile."""


def ignore(session_id: str, path: str) -> None:
    """Tell nobody of a file that was read or written."""


def nowhere(session_id: str, path: str, line: int | None) -> None:
    """Tell nobody where the agent is."""


class FileService:
    """Serves one client's file asks; those for the same file one after the other, as they came.

    `on_read` and `on_written` are told the session and the resolved path after each success,
    `on_place` a line of it besides, where one is known: the first that was read, or changed.
    """

    def __init__(
        self,
        files: Files,
        *,
        on_read: Callable[[str, str], None] = ignore,
        on_written: Callable[[str, str], None] = ignore,
        on_place: Callable[[str, str, int | None], None] = nowhere,
    ) -> None:
        self._files = files
        self._on_read = on_read
        self._on_written = on_written
        self._on_place = on_place
        self._bases: dict[tuple[str, str], str] = {}
        self._locks: WeakValueDictionary[str, anyio.Lock] = WeakValueDictionary()

    async def read(
        self, ask: ReadFileAsk, roots: Roots, *, empty_for_missing: bool = False
    ) -> FileRead:
        """Return the text as the user sees it: of a modified buffer, else of the disk.

        `empty_for_missing` is for agents that take an error for the end of the world and mean to
        create the file. Raises `AskFailed` (v1/file-system § Reading Files).
        """
        path = roots.resolve(ask.path)
        async with self._lock(path):
            try:
                text = await self._text(path)
            except AskFailed as error:
                if not (empty_for_missing and error.code == Code.RESOURCE_NOT_FOUND):
                    raise
                text = ""
            self._bases[ask.session_id, path] = text
        self._on_read(ask.session_id, path)
        self._on_place(ask.session_id, path, ask.line)
        return FileRead(window(text, ask.line, ask.limit))

    async def write(self, ask: WriteFileAsk, roots: Roots) -> FileWritten:
        """Make the content that of the file, in its buffer and on disk, and keep the user's edits.

        Raises `AskFailed`, and then nothing has changed (v1/file-system § Writing Files).
        """
        path = roots.resolve(ask.path)
        content = clean(ask.content)
        async with self._lock(path):
            disk.check_writable(path)
            disk.make_folders(path)
            base = self._bases.get((ask.session_id, path))
            for _ in range(ATTEMPTS):
                buffer = await self._files.loaded(path)
                if buffer is None:
                    done = await self._write_disk(path, base, content)
                else:
                    done = await self._write_buffer(path, buffer, base, content)
                if done:
                    break
            else:
                raise AskFailed(Code.INTERNAL_ERROR, f"{path} keeps changing: try again later")
            # Not the merged text: what the user added is no news that the agent has had.
            self._bases[ask.session_id, path] = content
        self._on_written(ask.session_id, path)
        line = None if base is None else first_change(base, content)
        self._on_place(ask.session_id, path, line)
        return FileWritten()

    def forget(self, session_id: str) -> None:
        """Drop what is remembered for a session that is over."""
        self._bases = {key: text for key, text in self._bases.items() if key[0] != session_id}

    def _lock(self, path: str) -> anyio.Lock:
        """Return the lock of that path; it lives as long as somebody holds or awaits it."""
        return self._locks.setdefault(path, anyio.Lock())

    async def _text(self, path: str) -> str:
        """Return what an agent may know of the file; the caller holds its lock."""
        buffer = await self._files.loaded(path)
        if buffer is None:
            return clean((await disk.read(path)).text)
        if buffer.modified:
            return _shown(path, buffer)
        try:
            return clean((await disk.read(path, buffer.encoding or "utf-8")).text)
        except AskFailed:
            # Deleted behind the buffer: the user still has the text; of a new file there is none.
            if buffer.empty:
                raise
            return _shown(path, buffer)

    async def _write_disk(self, path: str, base: str | None, content: str) -> bool:
        """Write a file that is not open; always True."""
        now = await disk.read_if_text(path)
        if now is None:
            await disk.write(path, content.encode())
            return True
        text = _merge(path, now.text if base is None else base, now.text, content)
        if text != now.text:
            await disk.write(path, encode(text, now.encoding))
        return True

    async def _write_buffer(
        self, path: str, buffer: LiveBuffer, base: str | None, content: str
    ) -> bool:
        """Write through the open buffer; False if it changed meanwhile."""
        if buffer.readonly or not buffer.modifiable:
            how = "read-only" if buffer.readonly else "not modifiable"
            raise AskFailed(Code.INTERNAL_ERROR, f"{path} is {how} in the user's editor")
        found = await disk.read_if_text(path, buffer.encoding or "utf-8")
        on_disk = None if found is None else clean(found.text)
        ours = on_disk
        if ours is None or buffer.modified:
            ours = clean(buffer_text(buffer))
        if base is None and buffer.modified and content == on_disk:
            # Some agents write the disk first and then tell us. What the user's edits were made
            # upon is not known any more, so a merge could take either side's back: leave both.
            return True
        if base is None:
            base = (on_disk or "") if buffer.modified else ours
        text = _merge(path, base, ours, content)
        lines, options = buffer_form(text, buffer)
        hunks = diff([clean(line) for line in buffer.lines], lines)
        saved = text == on_disk and not buffer.modified
        return await (self._files.follow if saved else self._files.write)(buffer, hunks, options)


def _shown(path: str, buffer: LiveBuffer) -> str:
    """Return the text in the buffer. Raises `AskFailed` if it is none."""
    text = buffer_text(buffer)
    if "\0" in text:
        raise AskFailed(Code.INTERNAL_ERROR, f"{path} is a binary file")
    return clean(text)


def _merge(path: str, base: str, ours: str, theirs: str) -> str:
    """Return the agent's text with what the user changed since `base`."""
    if base == ours:
        return theirs
    text = merged(base, ours, theirs)
    if isinstance(text, Conflict):
        raise AskFailed(
            Code.INTERNAL_ERROR,
            f"{path} was changed by the user since you read it, at line {text.first + 1}: "
            "read it again and repeat your edit",
        )
    return text
