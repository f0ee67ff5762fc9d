"""Values kept on disk: private files of JSON in one folder, one a value, replaced as a whole.

Why files and not sqlite: what a crash, another version or another Neovim does to a file costs that
file, with no lock or schema; and nobody waits for the difference (`bench/storage.py`).
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

import anyio
from msgspec import Struct

from acp_nvim.storage import limits, private
from acp_nvim.storage.in_order import InOrder, Report

PAUSE: Final = 0.3
"""Seconds in which several changes become one write."""
AGAIN: Final = 10.0
"""Seconds after which what could not be written is tried again."""
MOST_GROWN: Final = 8_000_000
"""Bytes of a file from which on it is replaced, not written on."""

T = TypeVar("T")
_Stamp: TypeAlias = tuple[int, int, int]


class Codec(Protocol[T]):
    """How a value is written and read."""

    def to_text(self, value: T, /) -> str:
        """Return the text of its file."""

    def from_text(self, text: str, /) -> T | None:
        """Return the value, None if it is none: another version wrote it, or a crash cut it off.

        Never raises.
        """


class JsonStore(Generic[T]):
    """Values by name; `folder` is asked at each use, for it is configured late.

    A disk that is full, read-only or the like costs what was to be kept, not the session: `report`
    is told once, and it is tried again, at the latest with the next note.
    """

    def __init__(
        self,
        folder: Callable[[], str],
        ending: str,
        codec: Codec[T],
        *,
        most: int = sys.maxsize,
        report: Report = lambda _error: None,
    ) -> None:
        """Make the store of the files with that ending.

        The `most` newest are kept.
        """
        self._folder = folder
        self._ending = ending
        self._codec = codec
        self._most = most
        self._noted: dict[str, _Noted[T]] = {}
        """What is to be written, by the file's name."""
        self._writing: dict[str, _Noted[T]] = {}
        self._something = anyio.Event()
        self._hurry = anyio.Event()
        self._disk = InOrder(report)
        self._failed: dict[str, OSError] = {}
        """Why a file is not as it was noted, by its name."""
        self._index: dict[str, _Head[T]] = {}
        """What the first lines of the files were, by their names."""
        self._restored = False
        self._restoring = anyio.Lock(fast_acquire=True)
        self._lock = threading.RLock()
        """Of `_noted` and `_writing`: threads write what the loop takes note of meanwhile."""

    def note(self, name: str, value: T | None, *, now: bool = False) -> None:
        """Keep this soon, or at once, under that name, None: keep it no longer. Never waits."""
        self._note(self._file_name(name), _Noted(value), now=now)

    def append(self, name: str, value: T, more: T, *, now: bool = False) -> None:
        """Do the same where all but `more` was noted before: only that is written, behind the rest.

        A file that has grown long is written anew.
        """
        file_name = self._file_name(name)
        with self._lock:
            noted = self._noted.get(file_name, _Noted(value, ()))
            added = None if noted.more is None else (*noted.more, more)
            self._note(file_name, _Noted(value, added), now=now)

    def _note(self, file_name: str, noted: _Noted[T], *, now: bool) -> None:
        with self._lock:
            self._noted[file_name] = noted
        self._something.set()
        if now:
            self._hurry.set()

    async def run(self) -> None:
        """Write what was noted a moment later, in a thread, for ever."""
        while True:
            with anyio.move_on_after(AGAIN if self._noted else None):
                await self._something.wait()
            with anyio.move_on_after(PAUSE):
                await self._hurry.wait()
            self._something, self._hurry = anyio.Event(), anyio.Event()
            await anyio.to_thread.run_sync(self.flush)
            self._disk.tell()

    def is_settled(self) -> bool:
        """Return whether all that was noted is on disk."""
        return not self._noted and not self._writing

    def flush(self) -> bool:
        """Write now what was noted, in any thread. False: something is not as it was noted."""
        self._disk.finish(self._write_all)
        return not self._failed

    def _write_all(self) -> bool:
        added = [self._write(name) for name in [*self._noted]]
        if not all(added):
            with suppress(OSError):  # another time, then
                limits.drop(self._files(), most=self._most)
        for error in self._failed.values():
            raise error
        return bool(added)

    def read(self, name: str) -> T | None:
        """Return the value of that name as it was noted last, or None."""
        noted, file_name = self._unwritten(), self._file_name(name)
        if file_name in noted:
            return noted[file_name].value
        return self._read(Path(self._folder(), file_name))

    def has(self, name: str) -> bool:
        """Return whether there is one of that name, as noted last or on disk. Blocking."""
        noted, file_name = self._unwritten(), self._file_name(name)
        if file_name in noted:
            return noted[file_name].value is not None
        return Path(self._folder(), file_name).exists()

    def read_all(self) -> list[T]:
        """Return what is on disk, the newest last; what was noted since is the caller's to know."""
        read = map(self._read, self._files())
        return [value for value in read if value is not None]

    async def restore(self) -> list[T]:
        """Return what an earlier host has kept, by the first call alone.

        Any call returns when it is read.
        """
        async with self._restoring:
            kept = [] if self._restored else await anyio.to_thread.run_sync(self.read_all)
            self._restored = True
        return kept

    def heads(self, head_of: Callable[[bytes], T | None]) -> list[T]:
        """Return what is kept, as noted last: of a file what `head_of` makes of its first line.

        A file is read once, and again when it is another: the rest is known from before.
        """
        folder = self._folder()
        self._index = {
            name: known
            if (known := self._index.get(name)) is not None and known.stamp == stamp
            else _Head(stamp, _first(f"{folder}/{name}", head_of))
            for name, stamp in self._stamps(folder)
        }
        on_disk = {name: it.value for name, it in self._index.items()}
        noted = {name: it.value for name, it in self._unwritten().items()}
        latest: Mapping[str, T | None] = {**on_disk, **noted}
        return [value for value in latest.values() if value is not None]

    def _stamps(self, folder: str) -> Iterator[tuple[str, _Stamp]]:
        """Yield the files, and what tells one state of each from the next."""
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(self._ending):
                    status = entry.stat(follow_symlinks=False)
                    yield entry.name, (status.st_ino, status.st_mtime_ns, status.st_size)

    def _unwritten(self) -> dict[str, _Noted[T]]:
        return {**self._writing, **self._noted}

    def _read(self, file: Path) -> T | None:
        try:
            with private.read(file) as lines:
                text = lines.read()
        except OSError:
            return None
        return self._codec.from_text(text)

    def _write(self, name: str) -> bool:
        """Write a file; return whether something was only written behind what it held."""
        with self._lock:
            noted = self._writing[name] = self._noted.pop(name)
            more = noted.more if self._failed.pop(name, None) is None else None
        is_added = False
        try:
            is_added = self._put(Path(self._folder(), name), noted.value, more)
        except OSError as error:
            self._failed[name] = error
        except Exception as error:  # a value that cannot be written keeps no other from being so
            self._failed[name] = OSError(repr(error))
        with self._lock:
            del self._writing[name]
            if name in self._failed:  # nobody knows what the file holds
                self._noted.setdefault(name, _Noted(noted.value))
        return is_added

    def _put(self, file: Path, value: T | None, more: tuple[T, ...] | None) -> bool:
        if value is None:
            private.remove(file)
        elif more is not None and _append(file, map(self._codec.to_text, more)):
            return True
        else:
            private.replace(file, self._codec.to_text(value))
        return False

    def _files(self) -> list[Path]:
        """Return the files, the oldest first."""
        return sorted(Path(self._folder()).glob(f"*{self._ending}"), key=private.modified)

    def _file_name(self, name: str) -> str:
        # a name may be anything, of any length
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return digest + self._ending


def _first(path: str, head_of: Callable[[bytes], T | None]) -> T | None:
    try:
        return head_of(private.first_line(path))
    except OSError:
        return None


class _Head(Struct, Generic[T], frozen=True):
    """What is known of a file by its first line; None: it is none of ours."""

    stamp: _Stamp
    value: T | None


class _Noted(Struct, Generic[T], frozen=True):
    """What is to be kept; None: there is to be no such file."""

    value: T | None
    more: tuple[T, ...] | None = None
    """What of it is not in the file yet, or being written there; None: that is not known."""


def _append(path: Path, texts: Iterable[str]) -> bool:
    """Write behind what a file holds; False: there is none, or it has grown long."""
    try:
        handle = private.opened(path, os.O_WRONLY | os.O_APPEND)
    except OSError:
        return False
    with os.fdopen(handle, "w", encoding="utf-8") as file, suppress(OSError):
        if os.fstat(handle).st_size > MOST_GROWN:
            return False
        # a kill may have left the beginning of a line
        file.write("\n" + "".join(texts))
        file.flush()
        return True
    return False
