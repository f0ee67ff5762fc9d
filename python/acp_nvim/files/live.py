"""What a file holds at one moment: loaded once an act, and handed down.

Every question of the kind "what is in this file?" is answered here, so that there is one answer.
"""

from __future__ import annotations

from msgspec import Struct

from acp_nvim.editor import Files, LiveBuffer, OpenFile
from acp_nvim.errors import FileProblem
from acp_nvim.files import disk
from acp_nvim.files.encoding import clean, decoded
from acp_nvim.files.text import buffer_text
from acp_nvim.history.attributes import NO_FILE, FileAttributes
from acp_nvim.hunks import split_lines

ATTEMPTS = 3
"""How often a file that is written meanwhile is read."""


class LiveFile(Struct, frozen=True):
    """A resolved path, on disk and in the editor.

    `disk`: None where there is no file, or `problem` says why it cannot be read. `stamp` and
    `mode` are of the same moment, "" and None without a file. `opened`: the encoding of its buffer,
    where that is as its file and was not read.
    """

    path: str
    disk: str | None = None
    buffer: LiveBuffer | None = None
    problem: FileProblem | None = None
    stamp: str = ""
    mode: int | None = None
    opened: str = ""

    @property
    def on_disk(self) -> str | None:
        """What the disk holds, exactly; None: no file. Raises `FileProblem`."""
        if self.problem is not None:
            raise self.problem
        return self.disk

    @property
    def read_text(self) -> str:
        """The text that was read from the disk, to tell how much there is to do; "" for none."""
        return self.disk or ""

    @property
    def exact(self) -> str | None:
        """What the user has, exact to the byte; None: no file. Raises `FileProblem`.

        A buffer that is as its file was, and has no file any more, shows what is no more.
        """
        if self.buffer is None:
            return self.on_disk
        if self.buffer.modified:
            return buffer_text(self.buffer)
        # What Neovim made of the bytes as it read them may not be all of them.
        return self.held if self.mode is not None else None

    @property
    def read_at(self) -> str:
        """The stamp of the file that its buffer stands for; "" if there is none, or not known."""
        return "" if self.buffer is None else self.buffer.read_at

    @property
    def held(self) -> str:
        """What the unmodified buffer stands for: its file, of which Neovim may not have read all
        exactly, as long as that is as it was then; else its lines."""
        assert self.buffer is not None
        is_read = self.disk is not None and self.stamp and self.stamp == self.buffer.read_at
        return self.disk if self.disk is not None and is_read else buffer_text(self.buffer)

    @property
    def unsaved(self) -> bool:
        """Whether the editor has a text that the disk has not: one that was edited, or whose file
        went, or became unreadable, behind the user; of a new file there is none."""
        buffer = self.buffer
        if buffer is None or buffer.modified:
            return buffer is not None
        return self.disk is None and bool(buffer_text(buffer))

    @property
    def shown(self) -> str | None:
        """What the user would say that the file holds: the unsaved text, else the disk's, as it is
        read; None: no file. Raises `FileProblem`."""
        return self.read(self.newest)

    @property
    def newest(self) -> str | None:
        """The same as exact text. Raises `FileProblem`."""
        if self.buffer is not None and self.unsaved:
            return buffer_text(self.buffer)
        return self.on_disk

    def read(self, text: str | None) -> str | None:
        """Return how an exact text of this file is read."""
        return None if text is None else decoded(text, self.encoding)

    @property
    def for_agent(self) -> str | None:
        """The same as JSON can hold it. Raises `FileProblem`, also for what is no text."""
        text = self.newest
        if text is not None and self.unsaved and "\0" in text:
            raise FileProblem(f"{self.path} is a binary file")
        return None if text is None else clean(text, self.encoding)

    @property
    def encoding(self) -> str:
        """That of the buffer, by which its file is read and written; "" if it has none."""
        return encoding_of(self.buffer) or self.opened

    @property
    def attributes(self) -> FileAttributes:
        """How the file is on disk besides its text."""
        inode = int(self.stamp.rpartition(":")[2]) if self.stamp else NO_FILE
        return FileAttributes(self.mode or 0, inode=inode)

    @property
    def rows(self) -> int:
        """How many lines the editor shows, or would. Raises `FileProblem`."""
        if self.buffer is not None:
            return len(self.buffer.lines)
        return len(split_lines(self.exact or ""))


async def load(buffers: Files | None, path: str) -> LiveFile:
    """Return what that resolved path holds; None asks no editor. Never raises `FileProblem`."""
    buffer = None if buffers is None else await buffers.loaded(path)
    return await with_buffer(path, buffer)


async def load_surveyed(buffers: Files, path: str, file: OpenFile | None) -> LiveFile:
    """Return what that path holds for whoever changes nothing; `file`: as a survey has just found
    it open. Its buffer is read only if it has a text that the disk has not."""
    if file is None:
        return await load(None, path)
    if file.modified or disk.mode(path) is None:
        return await load(buffers, path)
    return await with_buffer(path, None, opened=file.encoding or "utf-8")


async def with_buffer(path: str, buffer: LiveBuffer | None, *, opened: str = "") -> LiveFile:
    """Return what that path holds, whose buffer is known; `opened`: only its encoding."""
    encoding = encoding_of(buffer) or opened
    found, problem = None, None
    for _ in range(ATTEMPTS):
        stamp, mode = disk.stamp(path), disk.mode(path)
        try:
            found, problem = await disk.read(path, encoding), None
        except FileProblem as error:
            problem = error
        if disk.stamp(path) == stamp:
            break
    return LiveFile(path, None if problem else found, buffer, problem, stamp, mode, opened)


def encoding_of(buffer: LiveBuffer | None) -> str:
    """Return the encoding by which the file of that buffer is read; "" without one."""
    return "" if buffer is None else buffer.encoding or "utf-8"
