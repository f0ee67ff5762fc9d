"""Files for the user alone: every file of ours that outlives the host is made and opened here.

Folders have mode 0700 and files 0600, whatever the umask. A link that lies where a file or a folder
of ours is to be is never followed, and what belongs to somebody else is neither read nor written.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

TOP: Final = "acp.nvim"
"""The name of the folder in Neovim's own below which everything is ours."""

CHUNK: Final = 1 << 14
"""Bytes in which a first line mostly ends."""
NEW: Final = ".new-"
"""The beginning of the name of a file that is about to get its own; `sweep` removes old ones."""
_OPEN = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def make_folder(path: Path) -> None:
    """Have that folder, and those above it that are ours too; raises `OSError`."""
    names = path.parts
    first = len(names) - names[::-1].index(TOP) if TOP in names else len(names)
    path.parents[len(names) - first].mkdir(parents=True, exist_ok=True)
    for count in range(first, len(names) + 1):
        _make(Path(*names[:count]))


def _make(path: Path) -> None:
    with suppress(FileExistsError):
        path.mkdir(0o700)
        path.chmod(0o700)  # a umask may take from its owner, too
    handle = os.open(path, _OPEN | os.O_DIRECTORY)
    try:
        _claim(handle, path, 0o700)
    finally:
        os.close(handle)


def sweep(folder: Path, before: float) -> None:
    """Remove what a kill has left in the middle of `replace`, older than that time."""
    for file in folder.glob(f"{NEW}*"):
        if 0 < modified(file) < before * 1e9:
            remove(file)


def replace(path: Path, text: str | bytes) -> None:
    """Write a file as a whole, in place of whatever is there; raises `OSError`."""
    make_folder(path.parent)
    handle, new = tempfile.mkstemp(dir=path.parent, prefix=NEW)
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(handle, 0o600)
            file.write(text if isinstance(text, bytes) else text.encode())
        os.replace(new, path)
    except Exception:  # also of a text that cannot be written: it is tried again and again
        remove(Path(new))
        raise


def create(path: Path) -> IO[str]:
    """Make a file that is written to from now on; raises `OSError` if anything is there."""
    make_folder(path.parent)
    handle = opened(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    return os.fdopen(handle, "w", encoding="utf-8", errors="replace")


def opened(path: Path | str, flags: int = os.O_RDONLY) -> int:
    """Open a file of ours; raises `OSError` also for what is no plain file, or somebody else's."""
    handle = os.open(path, flags | _OPEN, 0o600)
    try:
        _claim(handle, path, 0o600)
    except OSError:
        os.close(handle)
        raise
    return handle


def locked(path: Path, flags: int) -> int | None:
    """Open and lock it; None if somebody has it, or has just removed it. Raises `OSError`, also on
    a file system without locks."""
    handle = opened(path, flags)
    is_ours = False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_ours = os.path.samestat(os.fstat(handle), os.stat(path))
    except (BlockingIOError, FileNotFoundError):
        pass
    finally:
        if not is_ours:
            os.close(handle)
    return handle if is_ours else None


def read(path: Path) -> IO[str]:
    """Open a file of ours to read it; raises `OSError`."""
    return os.fdopen(opened(path), encoding="utf-8", errors="replace")


def first_line(path: str) -> bytes:
    """Return the first line of a file of ours; raises `OSError`."""
    handle = opened(path)
    try:
        text = os.read(handle, CHUNK)
        while b"\n" not in text and (more := os.read(handle, CHUNK)):
            text += more
    finally:
        os.close(handle)
    return text.partition(b"\n")[0]


def write(handle: int, data: bytes) -> None:
    """Write all of it; raises `OSError`, and then a part may be there."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def modified(path: Path) -> int:
    """Return when it was modified, in ns since 1970; 0 if it is not there."""
    try:
        return path.lstat().st_mtime_ns
    except OSError:
        return 0


def remove(path: Path) -> None:
    """Remove a file; nothing if it is not there, or the disk does not let it go."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def clear(folder: str) -> None:
    """Remove all files right in that folder; nothing if there is none."""
    path = Path(folder)
    if path.is_dir() and not path.is_symlink():
        for file in path.iterdir():
            if not file.is_dir() or file.is_symlink():
                remove(file)


def _claim(handle: int, path: Path | str, mode: int) -> None:
    """Make sure that it is the user's, and only theirs: an older version may have left it open."""
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise OSError(f"{path} is not a file")
    if status.st_uid != os.geteuid():
        raise PermissionError(f"{path} belongs to somebody else")
    if stat.S_IMODE(status.st_mode) != mode:
        os.fchmod(handle, mode)
