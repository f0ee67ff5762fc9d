"""What each host is at, for whoever comes after it: a file that is locked while the host lives.

Each line is all of it by then, and the last whole one counts. It is in the page cache, not synced:
it survives the process, not the machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

from msgspec import Struct

from acp_nvim.storage import limits, private

MOST_BYTES: Final = 1 << 20
"""Of a file; then it begins anew."""


class Gone(Struct, frozen=True):
    """The file of a host that is gone, and the last line in it; it is ours."""

    path: Path
    handle: int
    at: int
    """When the host was last known to live, in ns since 1970."""
    line: str

    def write(self, line: str) -> None:
        """Let it say that from now on; raises `OSError`."""
        _write(self.handle, line)


class HostFiles:
    """Those of one folder, which is asked at each use, for it is configured late; that of this host
    is there from its first line on."""

    def __init__(self, folder: Callable[[], Path], ending: str) -> None:
        self._folder = folder
        self._ending = ending
        self._handle: int | None = None
        self.name = uuid4().hex
        """This host's."""

    def path(self, name: str) -> Path:
        """Return where the file of that host is, or is to be."""
        return self._folder() / f"{name}{self._ending}"

    # --- this host's

    def open(self) -> None:
        """Show that this host lives; raises `OSError`."""
        path = self.path(self.name)
        if self._handle is None or not path.exists():
            self.let_go()
            private.make_folder(path.parent)
            # whoever looks must not find it before it is locked
            new = path.with_name(f"{private.NEW}{self.name}")
            private.remove(new)
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND
            self._handle = private.locked(new, flags)
            os.replace(new, path)

    def write(self, line: str) -> None:
        """Let it say that from now on; raises `OSError`."""
        self.open()
        if self._handle is not None:
            _write(self._handle, line)

    def beat(self) -> None:
        """Show that this host still lives, if it has a file; raises `OSError`."""
        if self._handle is not None:
            os.utime(self._handle)

    def let_go(self) -> None:
        """Leave it as it is: all that a kill does."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    # --- others'

    def gone(self, *, newest_first: bool = False) -> Iterator[Gone]:
        """Yield those of hosts that are gone; each is ours until the next."""
        for path in sorted(self._all(), key=private.modified, reverse=newest_first):
            handle = None
            with suppress(OSError):  # what somebody else has put there is none, and hides no other
                handle = private.locked(path, os.O_RDWR | os.O_APPEND)
            if handle is None:
                continue
            try:
                yield Gone(path, handle, os.fstat(handle).st_mtime_ns, _last_line(handle))
            finally:
                os.close(handle)

    def living(self) -> Iterator[str]:
        """Yield what other hosts that live say."""
        gone = {it.path for it in self.gone()}
        for path in self._all():
            if path != self.path(self.name) and path not in gone:
                with suppress(OSError), os.fdopen(private.opened(path)) as file:
                    yield _last_line(file.fileno())

    def drop_old(self, *, most: int, days: int) -> list[Path]:
        """Remove those of hosts that are gone for too long, or are too many; return which."""
        return limits.drop((it.path for it in self.gone()), most=most, days=days)

    def _all(self) -> list[Path]:
        return [*self._folder().glob(f"*{self._ending}")]


def _last_line(handle: int) -> str:
    *lines, _open_end = os.pread(handle, MOST_BYTES, 0).decode("utf-8", "replace").split("\n")
    return next((line for line in reversed(lines) if line), "")


def _write(handle: int, line: str) -> None:
    data = f"\n{line}\n".encode()  # a kill may have left the beginning of a line
    if os.fstat(handle).st_size + len(data) > MOST_BYTES:
        os.ftruncate(handle, 0)
    private.write(handle, data)
