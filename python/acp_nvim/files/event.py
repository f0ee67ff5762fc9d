"""What has happened to files: facts, in the past tense. `reactions/files.py` says what follows.

Each is emitted while `DiskSync.exclusive` is held wherever a file was changed, so that what is done
and what the log says of it are one step. Paths are resolved unless said otherwise; texts are exact
live texts: what the loaded buffer holds, else what the disk does, None: no file. `encoding` is that
of the buffer by which they are read, "" without one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from msgspec import Struct

from acp_nvim.history.attributes import FileAttributes
from acp_nvim.history.author import Author, SessionKey
from acp_nvim.history.conflict import Conflict


class FileRead(Struct, frozen=True):
    """An agent was served a file, from that 1-based line on (None: the whole of it)."""

    session: SessionKey
    path: str
    line: int | None = None


class WriteBegun(Struct, frozen=True):
    """An agent's write is settled on, and nothing is changed yet; `FileWritten` follows. Or it was
    met on the disk, and the editor cannot take it yet.

    `before` and `after` are what the file holds, and is to hold.
    """

    path: str
    before: str | None
    after: str | None
    author: Author | None
    encoding: str = ""
    """That of its buffer, "" without one."""


class FileWritten(Struct, frozen=True):
    """An agent has written a file through us; `line`: the first that it has changed, from 1.

    `author` is the turn that it is counted to, None if the session had none yet. `left`: how the
    file was on disk before.
    """

    session: SessionKey
    path: str
    before: str | None
    after: str
    author: Author | None
    line: int | None = None
    encoding: str = ""
    left: FileAttributes | None = None


class DiskChanged(Struct, frozen=True):
    """The disk has come to hold something else, and the live text with it.

    `author` is whose tool or command did so; None: it was nobody's. `left`: how the file was on
    disk before.
    """

    path: str
    before: str | None
    after: str | None
    author: Author | None
    left: FileAttributes | None = None
    encoding: str = ""


class WriteRefused(Struct, frozen=True):
    """An agent could not write `path`, as it has named it; `reason` is for the user.

    `known`: a message has told the user of it already.
    """

    session: SessionKey
    path: str
    reason: str
    known: bool = False


class EditWaits(Struct, frozen=True):
    """Edits of these files have waited a while already: the user is in the middle of something
    (`doing`, as in "visual mode"). `session` None: they are nobody's."""

    session: SessionKey | None
    paths: tuple[str, ...]
    doing: str


class EditsGoOn(Struct, frozen=True):
    """None of the edits of which that has told waits any more."""

    told: EditWaits


class Conflicted(Struct, frozen=True):
    """The user and an agent have changed the same place; the user's text stays.

    `tell`: nothing else tells the user, nor has of that turn.
    """

    conflict: Conflict
    tell: bool = False


class ConflictSettled(Struct, frozen=True):
    """The agent's text is in the live text now: an older conflict there is over."""

    path: str


class Unrecoverable(Struct, frozen=True):
    """An agent has changed these files, but nobody knows what they held before.

    `gone`: they are files and folders (with "/") that git ignores, and have been deleted.
    `reason`: why it is not known, as "too large".
    """

    paths: tuple[str, ...]
    author: Author
    gone: bool = False
    reason: str = ""


class NotFollowed(Struct, frozen=True):
    """The disk has changed, and the buffer cannot have that: Neovim warns of it as it does.

    `reason` goes on from the name of the file; `author` is whose the change is.
    """

    path: str
    reason: str
    author: Author | None


class TakenBack(Struct, frozen=True):
    """The user has rejected, or undone, something of the agent's; `theirs`: what it had left, and
    what is `left` now, as it is read; `because`: why, in the user's words."""

    session: SessionKey
    path: str
    theirs: str | None
    left: str | None = None
    because: str = ""


class FilePut(Struct, frozen=True):
    """A file is another text because the user has rejected, undone or redone something,
    or ended a conflict; both as they are read."""

    path: str
    before: str | None
    after: str | None
    is_saved: bool = True
    """Else only its buffer has it."""


FileEvent: TypeAlias = (
    FileRead
    | WriteBegun
    | FileWritten
    | DiskChanged
    | WriteRefused
    | EditWaits
    | EditsGoOn
    | Conflicted
    | ConflictSettled
    | Unrecoverable
    | NotFollowed
    | TakenBack
    | FilePut
)

Emit: TypeAlias = Callable[[FileEvent], None]
"""Takes a fact; never waits, never raises."""


class Books(Protocol):
    """What is written down of files, by this Neovim and by others."""

    async def foresee(self, fact: WriteBegun | FileWritten | DiskChanged, /) -> None:
        """Find out, in a thread, what that takes long for on large texts; it is told next."""

    async def met(self, path: str, before: str | None, after: str | None, /) -> str | None:
        """Return what the file held before a change, with what other Neovims have made of it."""
