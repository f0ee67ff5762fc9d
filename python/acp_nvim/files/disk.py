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
from pathlib import Path

from anyio import to_thread

from acp_nvim.errors import FileProblem
from acp_nvim.files.encoding import exact_text, is_binary

IN_PLACE = (errno.EACCES, errno.EPERM, errno.EBUSY)
"""Why a file cannot be replaced though it may be written."""
LONG = 1_000_000
"""Bytes from which on reading is left to a thread."""


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
            if _regular(os.stat(path)).st_size < LONG:
                return _read(path, encoding)
            return await to_thread.run_sync(_read, path, encoding)
        except FileNotFoundError:
            return None


def stamp(path: str) -> str:
    """Return what tells one state of the file from the next, "" if it is not there.

    The same as `lua/acp/files/stamps.lua` makes: time of change, size and inode.
    """
    try:
        status = os.stat(path)
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
        writable = _regular(status).st_mode & 0o222 and os.access(path, os.W_OK)
        if not writable:
            raise PermissionError(errno.EACCES, "it is read-only")


def check_removable(path: str) -> None:
    """Raise `FileProblem` for something in a folder that lets nothing go."""
    with _sentences(path, "removed"):
        above = os.path.dirname(path)
        if os.path.lexists(path) and not os.access(above, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "its folder is read-only")


def make_folders(path: str) -> None:
    """Make the folders that the file is to be in. Raises `FileProblem`."""
    with _sentences(path, "written"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)


async def write(path: str, data: bytes) -> None:
    """Make this the content of the file, whose folder exists; it changes at once or not at all.

    Mode and owner stay, a new file gets what the umask leaves. Raises `FileProblem`.
    """
    with _sentences(path, "written"):
        await to_thread.run_sync(_write, path, data)


def remove(path: str) -> None:
    """Remove the file, if it is there. Raises `FileProblem`."""
    with _sentences(path, "removed"), suppress(FileNotFoundError):
        os.unlink(path)


def _read(path: str, encoding: str) -> DiskText:
    data = Path(path).read_bytes()
    if is_binary(data, encoding):
        raise FileProblem(f"{path} is a binary file")
    return DiskText(exact_text(data, encoding))


def _write(path: str, data: bytes) -> None:
    status = _status(path)
    if status is None or status.st_nlink == 1:
        try:
            return _replace(path, data, status)
        except OSError as error:
            # The folder takes no new file, or not with that owner, or the file is mounted there.
            if status is None or error.errno not in IN_PLACE:
                raise
    _overwrite(path, data)


def _overwrite(path: str, data: bytes) -> None:
    """Write into the file itself; when that fails, what it held is put back."""
    with open(path, "r+b", buffering=0) as file:
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
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise


def _dress(path: str, now: os.stat_result, wanted: os.stat_result) -> None:
    """Give the file the owner and the mode that it is to have."""
    if (now.st_uid, now.st_gid) != (wanted.st_uid, wanted.st_gid):
        os.chown(path, wanted.st_uid, wanted.st_gid)
    os.chmod(path, stat.S_IMODE(wanted.st_mode))


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _regular(status: os.stat_result) -> os.stat_result:
    """Return it if it is that of a plain file: a pipe or a device could block for ever."""
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
