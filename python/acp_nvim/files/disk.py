"""Files on disk: read as text, replaced as a whole or not at all.

Paths are resolved; each is gone to through open folders (`rooted`), and no link is followed.
Blocking work runs in a thread where it may take long. Failures become sentences: `FileProblem`.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
from io import FileIO
from tempfile import mkstemp

from anyio import to_thread

from acp_nvim.errors import FileProblem
from acp_nvim.files import rooted
from acp_nvim.files.encoding import exact_text, is_binary
from acp_nvim.files.rooted import Place

IN_PLACE = (errno.EACCES, errno.EPERM, errno.EBUSY)
"""Why a file cannot be replaced though it may be written."""
GONE = (FileNotFoundError, NotADirectoryError)
"""There is no such file; where its folder was there may be a file."""
LONG = 1_000_000
"""Bytes from which on reading is left to a thread."""
LARGEST = 256 << 20
"""Bytes of a file that is read; it takes several times as many in memory."""


async def read(path: str, encoding: str = "") -> str | None:
    """Return the exact text of a file, None for none; `encoding`: that of its buffer, "" without.
    Raises `FileProblem` if it is no text file or cannot be read.
    """
    with _sentences(path, "read"):
        try:
            file = rooted.file(path)
        except GONE:
            return None
        with file:
            if os.fstat(file.fileno()).st_size < LONG:
                return _read(file, path, encoding)
            return await to_thread.run_sync(_read, file, path, encoding)


async def read_bytes(path: str) -> bytes:
    """Return what the file holds, whatever that is. Raises `FileProblem`."""
    with _sentences(path, "read"), rooted.file(path) as file:
        return await to_thread.run_sync(_content, file, path)


def size(path: str) -> int:
    """Return the size of a plain file in bytes; 0 for anything else, and for what is not there."""
    try:
        with rooted.place(path) as place:
            return place.status().st_size
    except OSError:
        return 0


def stamp(path: str) -> str:
    """Return what tells one state of the file from the next, "" if it is not there.

    The same as `lua/acp/files/stamps.lua` makes: time of change, size and inode.
    """
    try:
        status = os.lstat(path)
    except OSError:
        return ""
    seconds, rest = divmod(status.st_mtime_ns, 1_000_000_000)
    return f"{seconds}.{rest:09d}:{status.st_size}:{_inode(status)}"


def _inode(status: os.stat_result) -> int:
    """Return the number of the file as Lua has it, which rounds long ones."""
    return int(float(status.st_ino))


def mode(path: str) -> int | None:
    """Return the permission bits of a plain file; None for anything else, and where nothing is."""
    try:
        return stat.S_IMODE(rooted.regular(os.lstat(path)).st_mode)
    except OSError:
        return None


def check_writable(path: str) -> None:
    """Raise `FileProblem` if there is something at that path that must not be overwritten.

    The mode counts even where the system would let us: it says what the user wants (C-236).
    """
    with _sentences(path, "written"), suppress(FileNotFoundError), rooted.place(path) as place:
        writable = place.status().st_mode & 0o222
        if not (writable and os.access(place.name, os.W_OK, dir_fd=place.folder)):
            raise PermissionError(errno.EACCES, "it is read-only")


def check_removable(path: str) -> None:
    """Raise `FileProblem` for what is no file, and in a folder that lets nothing go."""
    with _sentences(path, "removed"), suppress(*GONE), rooted.place(path) as place:
        place.status()
        if not os.access(".", os.W_OK | os.X_OK, dir_fd=place.folder):
            raise PermissionError(errno.EACCES, "its folder is read-only")


def make_folders(path: str) -> None:
    """Make the folders that the file is to be in. Raises `FileProblem`."""
    with _sentences(path, "written"), rooted.place(path, make=True):
        pass


def make_own(path: str, inode: int) -> None:
    """Make the name that of a file of its own, which holds the same, if it has become one of many
    of another file than that: what is written would be in all. Raises `FileProblem`."""
    with _sentences(path, "written"), suppress(*GONE), rooted.place(path) as place:
        status = place.status()
        if inode and inode != _inode(status) and status.st_nlink > 1:
            with place.open(os.O_RDONLY) as file:
                data = file.readall()
            _replace(place, data, status)


def set_mode(path: str, mode: int) -> None:
    """Give the file that mode. Raises `FileProblem`."""
    with _sentences(path, "written"), rooted.file(path) as file:
        os.fchmod(file.fileno(), mode)


async def write(
    path: str, data: bytes, *, in_place: bool = False, mode: int = 0, seen: str | None = None
) -> bool:
    """Make this the content of the file, whose folder exists; it changes at once or not at all.

    Owner and extended attributes stay, and the mode unless there is another, a new file gets what
    the umask leaves. `in_place`: the file itself is written, and put back if that fails, so that
    its inode stays, too. `seen`: the stamp of what may be replaced, "" for no file; False if it is
    another by then. Raises `FileProblem`.
    """

    def is_seen() -> bool:
        return seen is None or stamp(path) == seen

    with _sentences(path, "written"):
        writing = partial(_write, path, data, in_place=in_place, mode=mode, is_seen=is_seen)
        return await to_thread.run_sync(writing)


@asynccontextmanager
async def beside(path: str, data: bytes) -> AsyncIterator[tuple[str, str]]:
    """Hold a file with this content, for the editor to put it in the place of the other: in the
    same folder and like that, or elsewhere if it can only be written into. The other is reached by
    its folder, which is held open, too, where the system has paths of that: whoever exchanges the
    folder for a link leads nowhere. Raises `FileProblem`."""

    def make() -> tuple[str, str]:
        status, held = _status(place), f"/proc/{os.getpid()}/fd/{place.folder}"
        held = held if os.path.exists(held) else os.path.dirname(path)
        other = os.path.join(held, place.name)
        try:
            return os.path.join(held, _made(place, data, status)), other
        except OSError as error:
            if status is None or error.errno not in IN_PLACE:
                raise
        opened, elsewhere = mkstemp(prefix="acp-")
        with open(opened, "wb") as file:
            file.write(data)
        return elsewhere, other

    with ExitStack() as stack:
        with _sentences(path, "written"):
            place = stack.enter_context(rooted.place(path))
            made, other = await to_thread.run_sync(make)
        try:
            yield made, other
        finally:
            with suppress(OSError):
                os.unlink(made)


async def create(path: str, data: bytes) -> str:
    """Make a new file; return where it is, for its folder may be a link. What has that name is
    neither written nor followed, a dangling link either. Raises `FileProblem`."""

    def make() -> str:
        folder, name = os.path.split(path)
        real = os.path.join(os.path.realpath(folder), name)
        with rooted.place(real) as place:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            with open(os.open(place.name, flags, 0o666, dir_fd=place.folder), "wb") as file:
                try:
                    file.write(data)
                    file.flush()
                except BaseException:
                    os.unlink(place.name, dir_fd=place.folder)
                    raise
        return real

    with _sentences(path, "written"):
        try:
            return await to_thread.run_sync(make)
        except FileExistsError:
            raise FileProblem(f"{path} is there already: name another file") from None


def make_room(path: str) -> None:
    """Remove the link, or the empty folder, that has taken the place of a file. Raises
    `FileProblem`."""
    with _sentences(path, "written"), suppress(FileNotFoundError), rooted.place(path) as place:
        mode = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            os.unlink(place.name, dir_fd=place.folder)
        elif stat.S_ISDIR(mode):
            os.rmdir(place.name, dir_fd=place.folder)


def remove(path: str) -> None:
    """Remove the file, if it is there. Raises `FileProblem`."""
    with _sentences(path, "removed"), suppress(*GONE), rooted.place(path) as place:
        place.status()
        os.unlink(place.name, dir_fd=place.folder)


def _read(file: FileIO, path: str, encoding: str) -> str:
    data = _content(file, path)
    if is_binary(data, encoding):
        raise FileProblem(f"{path} is a binary file")
    return exact_text(data, encoding)


def _content(file: FileIO, path: str) -> bytes:
    size = os.fstat(file.fileno()).st_size
    data = rooted.content(file, size, LARGEST) if size <= LARGEST else b""
    if max(size, len(data)) > LARGEST:
        raise FileProblem(
            f"{path} is too large: files of more than {LARGEST >> 20} MiB are not read"
        )
    return data


def _write(
    path: str, data: bytes, *, in_place: bool, mode: int, is_seen: Callable[[], bool]
) -> bool:
    with rooted.place(path) as place:
        status = _status(place)
        if status is None or (status.st_nlink == 1 and not in_place):
            try:
                return _replace(place, data, status, mode, is_seen)
            except OSError as error:
                # The folder takes no new file, or not with that owner; the file is mounted there.
                if status is None or error.errno not in IN_PLACE:
                    raise
        if is_seen():
            _overwrite(place, data, mode)
            return True
        return False


def _overwrite(place: Place, data: bytes, mode: int) -> None:
    """Write into the file itself; when that fails, what it held is put back."""
    with place.open(os.O_RDWR) as file:
        old = file.readall()
        try:
            _put(file.fileno(), data)
        except BaseException:
            _put(file.fileno(), old)
            raise
        _give(file.fileno(), mode)


def _put(descriptor: int, data: bytes) -> None:
    """Make this the whole content of an open file."""
    done = 0
    while done < len(data):
        done += os.pwrite(descriptor, memoryview(data)[done:], done)
    os.ftruncate(descriptor, len(data))
    os.fsync(descriptor)


def _replace(
    place: Place,
    data: bytes,
    status: os.stat_result | None,
    mode: int = 0,
    is_seen: Callable[[], bool] = lambda: True,
) -> bool:
    """Write a file beside it and put that in its place; return whether what is there was seen."""
    temporary = _made(place, data, status, mode)
    try:
        if may_replace := is_seen():
            os.replace(temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=place.folder)
    return may_replace


def _made(place: Place, data: bytes, status: os.stat_result | None, mode: int = 0) -> str:
    """Write a file beside another, like it but for its content; return its name."""
    name, folder = f".acp-{secrets.token_hex(8)}~", place.folder
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | getattr(os, "O_BINARY", 0)
    with open(os.open(name, flags, 0o666, dir_fd=folder), "wb") as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if status is not None:
                _dress(file.fileno(), status)
                _copy_attributes(place, file.fileno())
            _give(file.fileno(), mode)
        except BaseException:
            os.unlink(name, dir_fd=folder)
            raise
    return name


def _give(file: int, mode: int) -> None:
    """Give an open file that mode, if any; without it the text is there all the same."""
    if mode:
        with suppress(OSError):
            os.fchmod(file, mode)


def _dress(file: int, wanted: os.stat_result) -> None:
    """Give an open file the owner and the mode that it is to have."""
    now = os.fstat(file)
    if (now.st_uid, now.st_gid) != (wanted.st_uid, wanted.st_gid):
        os.fchown(file, wanted.st_uid, wanted.st_gid)
    os.fchmod(file, stat.S_IMODE(wanted.st_mode))


def _copy_attributes(place: Place, to: int) -> None:
    """Give an open file the extended attributes of another, and no more; access lists are among
    them.

    Raises `PermissionError` where that cannot be: on macOS Python has no calls for it.
    """
    try:
        with place.open(os.O_RDONLY) as file:
            wanted, now = _attributes(file.fileno()), _attributes(to)
        for name in now.keys() - wanted.keys():
            os.removexattr(to, name)
        for name, value in wanted.items():
            if now.get(name) != value:
                os.setxattr(to, name, value)
    except (OSError, AttributeError) as error:
        raise PermissionError(errno.EPERM, "its attributes cannot be copied") from error


def _attributes(file: int) -> dict[str, bytes]:
    try:
        return {name: os.getxattr(file, name) for name in os.listxattr(file)}
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return {}
        raise


def _status(place: Place) -> os.stat_result | None:
    """Return what the system says of a plain file, None: there is none. Raises `OSError`."""
    try:
        return place.status()
    except FileNotFoundError:
        return None


@contextmanager
def _sentences(path: str, done: str) -> Iterator[None]:
    """Turn the system's errors into sentences."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileProblem(f"{path} cannot be {done}: {reason}", reason) from error
