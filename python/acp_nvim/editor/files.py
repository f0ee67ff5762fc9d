"""Live files of the editor: what they hold, and edits of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from acp_nvim.errors import FileProblem
from acp_nvim.hunks import Hunk
from acp_nvim.session.model import Selection


class Busy(FileProblem):
    """The user is in the middle of a command that an edit would lead astray; `doing` says of which,
    as in "visual mode". Nothing has changed, and it can be tried again when that is over."""

    def __init__(self, doing: str) -> None:
        self.doing = doing
        super().__init__(f"the user is in the middle of a command ({doing})")


class LiveBuffer(Struct, frozen=True):
    """A loaded buffer at one moment.

    `lines` are exact texts (`files.encoding`), without line ends: what each is on disk.
    `fileformat`: unix, dos or mac. `encoding`: 'fileencoding', "" means utf-8. `empty`: a buffer
    of zero bytes, which also has one line, "". `binary`: 'binary' is set, so that lines are written
    as they are, with "\n" between them; `fileformat` is unix then, and `bom` False.
    `saved`: the stamp (`files.disk.stamp`) of its file when the user last wrote it, "" if that
    was before the plugin looked; our own writes do not count. `synced`: of its file when both were
    last in step, "" if not known; `unchanged`: the text is still the one that it was then.
    `written`: the lines that Neovim has written to its file since then, of which no event has told
    (`:noautocmd write`); (): which they were is not known; None: it has not.
    """

    number: int
    changedtick: int
    lines: tuple[str, ...]
    modified: bool
    locked: str = ""
    """Why the user's options let nobody write it: "read-only" or "not modifiable"."""
    fileformat: str = "unix"
    encoding: str = "utf-8"
    bom: bool = False
    endofline: bool = True
    endoffile: bool = False
    empty: bool = False
    binary: bool = False
    saved: str = ""
    synced: str = ""
    written: tuple[str, ...] | None = None
    unchanged: bool = True

    @property
    def read_at(self) -> str:
        """The stamp of the file whose bytes these lines are, maybe with loss; "" if not known."""
        return self.synced if self.unchanged else ""


class BufferOptions(Struct, frozen=True):
    """How the text of a buffer is to be written, so that its bytes are exact."""

    fileformat: str = "unix"
    encoding: str = "utf-8"
    bom: bool = False
    endofline: bool = True
    endoffile: bool = False


class OpenFile(Struct, frozen=True):
    """A loaded file buffer without its text; all but the path as of `LiveBuffer`."""

    path: str
    encoding: str
    synced: str
    number: int
    changedtick: int
    modified: bool


class Files(Protocol):
    """Live buffers of the editor. Paths are absolute and resolved (no symlinks)."""

    async def loaded(self, path: str) -> LiveBuffer | None:
        """Return the loaded file buffer of that path, or None."""

    def known(self, path: str) -> LiveBuffer | None:
        """Return it as it was when it was read last, or as our own edit has left it since; None:
        nobody knows. Asks nobody."""
        return None

    async def survey(self, roots: Sequence[str]) -> Sequence[OpenFile]:
        """Return all loaded file buffers below the roots, in one call."""

    async def write(
        self,
        path: str,
        buffer: LiveBuffer,
        hunks: Sequence[Hunk],
        options: BufferOptions,
        *,
        quiet: bool = False,
        stamp: str | None = None,
    ) -> LiveBuffer | None:
        """Apply line hunks and save as that path, in one step; None when the buffer has changed, or
        the file has not that `stamp` any more, "" for none: what nobody has seen is not replaced.

        The hunks' positions are those of `buffer.lines`, and their lines as exact. One undo step of
        its own. No autocommand that could change the text runs before; BufWritePost does after,
        unless it is `quiet`, and what is returned is as that has left it. The file changes at once
        or not at all. Raises `FileProblem` when the editor cannot save, or its encoding has no such
        line, `Busy` when the user's hands are on the buffer; it is then as it was.
        """

    async def follow(
        self,
        buffer: LiveBuffer,
        hunks: Sequence[Hunk],
        options: BufferOptions,
        *,
        stamp: str = "",
    ) -> bool:
        """Apply line hunks so that the buffer equals the disk again, and settle it.

        `stamp`: that of the file whose text it equals then, which may be another by now; "": as it
        is now.

        As `write`, but nothing is written: the buffer is unmodified then, and Neovim forgets that
        the file changed (no W11, no W12). Where the file is gone, so is all knowledge of it.
        """

    async def edit(
        self,
        buffer: LiveBuffer,
        hunks: Sequence[Hunk],
        options: BufferOptions | None,
        *,
        settled: bool,
        stamp: str = "",
    ) -> bool:
        """Apply line hunks without saving: the buffer is modified afterwards.

        As `write` otherwise; without `options` they stay. `settled`: Neovim forgets that the file
        has changed on disk, and does so also where the user has locked the buffer. `stamp`: as for
        `follow`.
        """

    async def check(self, buffer: LiveBuffer, hunks: Sequence[Hunk]) -> None:
        """Raise `FileProblem` if the buffer cannot have the lines of these hunks, exact ones."""

    async def saved(self, path: str) -> str:
        """Return the stamp of the file as the user last wrote it here, "" if the user has not."""

    async def merged(self, path: str) -> str:
        """Return the stamp of the file whose text came into its buffer right before the user wrote
        it, by an edit that was refused (`Busy`); "" if none was made so."""

    async def in_place(self) -> bool:
        """Return whether the user wants files to be written into (global 'backupcopy')."""

    async def is_open_otherwise(self, path: str) -> bool:
        """Return whether another plugin reads and writes the file in a buffer of its form: who has
        written it is not known."""

    async def holder(self, path: str) -> str | None:
        """Return who else has the file open, as in "another Neovim (process 1234)", or None."""

    async def selection(self, selection: Selection) -> Selection:
        """Return it as it stands now and drop its mark; unchanged if its buffer is gone."""
