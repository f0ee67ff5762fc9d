"""Files by their names in folders that are held open: between a check and its use nothing changes.

A path that was resolved (`Roots.resolve`) has no links in it. So each folder is opened in the one
above it, from the root of all down, and a link in its place is an error: whoever exchanges a folder
for a link meanwhile leads us nowhere. What is opened is then what is read, written or removed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO

from msgspec import Struct

# A search of the folder is enough where the system has O_PATH; macOS has to be let read it.
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe that has taken the place of a file blocks nobody.
_FILE = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_BINARY", 0)


class Place(Struct, frozen=True):
    """A name in a folder, which is held open: for the `dir_fd` of what `os` does with names."""

    folder: int
    name: str

    def status(self) -> os.stat_result:
        """Return what the system says of the plain file there. Raises `OSError`."""
        return regular(os.stat(self.name, dir_fd=self.folder, follow_symlinks=False))

    def open(self, flags: int) -> FileIO:
        """Open the plain file there, to be read, or with `O_RDWR` to be written, too.

        Raises `OSError`.
        """
        self.status()  # to open a device may do something
        opened = os.open(self.name, flags | _FILE, dir_fd=self.folder)
        try:
            regular(os.fstat(opened))
            return FileIO(opened, "r+" if flags & os.O_RDWR else "r")
        except BaseException:
            os.close(opened)
            raise


@contextmanager
def place(path: str, *, make: bool = False) -> Iterator[Place]:
    """Hold the folder of that resolved path open; `make`: folders that are not there are made.

    Raises `OSError`, also where a link leads to the folder.
    """
    above, _, name = path.rpartition("/")
    with folder(above, make=make) as held:
        yield Place(held, name or ".")


@contextmanager
def folder(path: str, *, make: bool = False) -> Iterator[int]:
    """Hold the folder of that resolved path open; `make` as in `place`. Raises `OSError`."""
    held = os.open("/", _FOLDER)
    try:
        for name in filter(None, path.split("/")):
            above, held = held, _below(held, name, make=make)
            os.close(above)
        yield held
    finally:
        os.close(held)


def file(path: str) -> FileIO:
    """Open the plain file of that resolved path, to be read. Raises `OSError`."""
    with place(path) as found:
        return found.open(os.O_RDONLY)


def content(file: FileIO, size: int, most: int) -> bytes:
    """Return all bytes of a plain file, or more than `most` of them; `size`: what it may have.

    Raises `OSError`.
    """
    data = file.read(min(size, most) + 1) or b""
    while len(data) != size and len(data) <= most:
        more = file.read(most + 1 - len(data))
        if not more:
            break
        data += more
    return data


def regular(status: os.stat_result) -> os.stat_result:
    """Return it if it is that of a plain file: a pipe or a device could block for ever.

    Raises `OSError`.
    """
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "it is a symbolic link now")
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a directory")
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a plain file")
    return status


def _below(above: int, name: str, *, make: bool) -> int:
    """Open a folder that is in an open one."""
    if name == "..":
        raise OSError(errno.EINVAL, "its path is not resolved")
    try:
        return os.open(name, _FOLDER, dir_fd=above)
    except FileNotFoundError:
        if not make:
            raise
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP) and _is_link(above, name):
            raise OSError(errno.ELOOP, "its folder is a symbolic link now") from error
        raise
    with suppress(FileExistsError):  # somebody else may have made it meanwhile
        os.mkdir(name, dir_fd=above)
    return _below(above, name, make=False)


def _is_link(above: int, name: str) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode)
    except OSError:
        return False
