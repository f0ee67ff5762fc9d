"""Files on disk: read as text, replaced as a whole or not at all.

Blocking work runs in a thread where it may take long. Failures become sentences: `FileProblem`.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from io import FileIO
from pathlib import Path

from anyio import to_thread

from acp_nvim.errors import FileProblem
from acp_nvim.files.encoding import exact_text, is_binary

IN_PLACE = (errno.EACCES, errno.EPERM, errno.EBUSY)
"""Why a file cannot be replaced though it may be written."""
UNBLOCKED = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
"""A pipe that has taken the place of a file blocks nobody, and a link leads nowhere."""
LONG = 1_000_000
"""Bytes from which on reading is left to a thread."""


LARGEST = 256 << 20
"""Bytes of a file that is read; it takes several times as many in memory."""


@dataclass(frozen=True, slots=True)
class DiskText:
    """The exact text of a file."""

    text: str


async def read(path: str, encoding: str = "") -> DiskText | None:
    """Return the text of a file, None if there is none; `encoding`: that of its buffer, "" without.
    Raises `FileProblem` if it is no text file or cannot be read.
    """
    with _sentences(path, "read"):
        try:
            if _found(path).st_size < LONG:
                return _read(path, encoding)
            return await to_thread.run_sync(_read, path, encoding)
        except FileNotFoundError:
            return None


def stamp(path: str) -> str:
    """Return what tells one state of the file from the next, "" if it is not there.

    The same as `lua/acp/files/stamps.lua` makes: time of change, size and inode.
    """
    try:
        status = os.lstat(path)
    except OSError:
        return ""
    seconds, rest = divmod(status.st_mtime_ns, 1_000_000_000)
    return f"{seconds}.{rest:09d}:{status.st_size}:{status.st_ino}"


def check_writable(path: str) -> None:
    """Raise `FileProblem` if there is something at that path that must not be overwritten.

    The mode counts even where the system would let us: it says what the user wants (C-236).
    """
    with _sentences(path, "written"):
        status = _status(path)
        if status is None:
            return
        writable = status.st_mode & 0o222 and os.access(path, os.W_OK)
        if not writable:
            raise PermissionError(errno.EACCES, "it is read-only")


def check_removable(path: str) -> None:
    """Raise `FileProblem` for what is no file, and in a folder that lets nothing go."""
    with _sentences(path, "removed"):
        _status(path)
        above = os.path.dirname(path)
        if os.path.lexists(path) and not os.access(above, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "its folder is read-only")


def make_folders(path: str) -> None:
    """Make the folders that the file is to be in. Raises `FileProblem`."""
    with _sentences(path, "written"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)


async def write(path: str, data: bytes, *, in_place: bool = False) -> None:
    """Make this the content of the file, whose folder exists; it changes at once or not at all.

    Mode, owner and extended attributes stay, a new file gets what the umask leaves. `in_place`: the
    file itself is written, and put back if that fails, so that its inode stays, too. Raises
    `FileProblem`.
    """
    with _sentences(path, "written"):
        await to_thread.run_sync(partial(_write, path, data, in_place=in_place))


def remove(path: str) -> None:
    """Remove the file, if it is there. Raises `FileProblem`."""
    with _sentences(path, "removed"), suppress(FileNotFoundError):
        if _status(path) is not None:
            os.unlink(path)


def _read(path: str, encoding: str) -> DiskText:
    with _opened(path, os.O_RDONLY) as file:
        data = file.read(LARGEST + 1) if os.fstat(file.fileno()).st_size <= LARGEST else None
    if data is None or len(data) > LARGEST:
        raise FileProblem(
            f"{path} is too large: files of more than {LARGEST >> 20} MiB are not read"
        )
    if is_binary(data, encoding):
        raise FileProblem(f"{path} is a binary file")
    return DiskText(exact_text(data, encoding))


def _opened(path: str, flags: int) -> FileIO:
    """Open a plain file. Raises `OSError`."""
    file = FileIO(os.open(path, flags | UNBLOCKED), "r+" if flags & os.O_RDWR else "r")
    try:
        _regular(os.fstat(file.fileno()))
    except OSError:
        file.close()
        raise
    return file


def _write(path: str, data: bytes, *, in_place: bool) -> None:
    status = _status(path)
    if status is None or (status.st_nlink == 1 and not in_place):
        try:
            return _replace(path, data, status)
        except OSError as error:
            # The folder takes no new file, or not with that owner, or the file is mounted there.
            if status is None or error.errno not in IN_PLACE:
                raise
    _overwrite(path, data)


def _overwrite(path: str, data: bytes) -> None:
    """Write into the file itself; when that fails, what it held is put back."""
    with _opened(path, os.O_RDWR) as file:
        old = file.read()
        try:
            _put(file.fileno(), data)
        except BaseException:
            _put(file.fileno(), old)
            raise


def _put(descriptor: int, data: bytes) -> None:
    """Make this the whole content of an open file."""
    done = 0
    while done < len(data):
        done += os.pwrite(descriptor, memoryview(data)[done:], done)
    os.ftruncate(descriptor, len(data))
    os.fsync(descriptor)


def _replace(path: str, data: bytes, status: os.stat_result | None) -> None:
    """Write a file beside it and put that in its place."""
    temporary = os.path.join(os.path.dirname(path), f".acp-{secrets.token_hex(8)}~")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with open(os.open(temporary, flags, 0o666), "wb") as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if status is not None:
                _dress(temporary, os.fstat(file.fileno()), status)
                _copy_attributes(path, temporary)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise


def _dress(path: str, now: os.stat_result, wanted: os.stat_result) -> None:
    """Give the file the owner and the mode that it is to have."""
    if (now.st_uid, now.st_gid) != (wanted.st_uid, wanted.st_gid):
        os.chown(path, wanted.st_uid, wanted.st_gid)
    os.chmod(path, stat.S_IMODE(wanted.st_mode))


def _copy_attributes(path: str, to: str) -> None:
    """Give a file the extended attributes of another, and no more; access lists are among them.

    Raises `PermissionError` where that cannot be: on macOS Python has no calls for it.
    """
    try:
        wanted, now = _attributes(path), _attributes(to)
        for name in now.keys() - wanted.keys():
            os.removexattr(to, name)
        for name, value in wanted.items():
            if now.get(name) != value:
                os.setxattr(to, name, value)
    except (OSError, AttributeError) as error:
        raise PermissionError(errno.EPERM, "its attributes cannot be copied") from error


def _attributes(path: str) -> dict[str, bytes]:
    try:
        return {name: os.getxattr(path, name) for name in os.listxattr(path)}
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return {}
        raise


def _status(path: str) -> os.stat_result | None:
    """Return what the system says of a plain file, None: there is none. Raises `OSError`."""
    try:
        return _found(path)
    except FileNotFoundError:
        return None


def _found(path: str) -> os.stat_result:
    """Return the same of a file that is there; links, also above it, lead to another one."""
    status = os.lstat(path)
    above = os.path.dirname(path)
    if os.path.realpath(above) != above:
        raise OSError(errno.ELOOP, "its folder is a symbolic link now")
    return _regular(status)


def _regular(status: os.stat_result) -> os.stat_result:
    """Return it if it is that of a plain file: a pipe or a device could block for ever."""
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "it is a symbolic link now")
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a directory")
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a plain file")
    return status


@contextmanager
def _sentences(path: str, done: str) -> Iterator[None]:
    """Turn the system's errors into sentences."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileProblem(f"{path} cannot be {done}: {reason}") from error
