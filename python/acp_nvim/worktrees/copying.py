"""Files that git does not track, named by the user, copied from the project into a worktree.

A name is a file, a folder, or a pattern, in which `*` stays within a folder and `**` does not. Git
lists what it means, and follows no link. What leads out of the project is not copied.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from anyio import to_thread
from msgspec import Struct

from acp_nvim.errors import FileProblem, UserError
from acp_nvim.files import rooted
from acp_nvim.files.roots import inside
from acp_nvim.view.styled import plural
from acp_nvim.worktrees.records import Worktree
from acp_nvim.worktrees.repository import Repository, parts

MOST_FILES: Final = 20_000
MOST_BYTES: Final = 1 << 29
"""What is copied into one worktree at most."""
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of a disk on which there is no room."""
_OUTSIDE: Final = "it is not in the project itself"
_WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK: Final = 1 << 20


class Named(Struct, frozen=True):
    """What a name means: files, by their names in the project; `refused`: why none is copied."""

    name: str
    files: tuple[str, ...] = ()
    refused: str = ""

    @property
    def text(self) -> str:
        """What is copied, in words."""
        if self.files == (self.name,):
            return self.name
        return f"{self.name} ({plural(len(self.files), 'file')})"


async def named(own: Repository, names: Sequence[str]) -> tuple[Named, ...]:
    """Return what these names mean, those that mean nothing left out."""
    found: list[Named] = []
    files = size = 0
    for name in dict.fromkeys(map(os.path.normpath, names)):
        try:
            listed = await _meant(own, name)
            lengths = await to_thread.run_sync(_sizes, own.folder, listed)
            if files + len(listed) > MOST_FILES or size + sum(lengths) > MOST_BYTES:
                most = f"{MOST_FILES} files or {MOST_BYTES >> 20} MiB"
                raise UserError(f"all that is named is more than {most}")  # noqa: TRY301
        except UserError as error:
            found.append(Named(name, (), f"{name} is not copied: {error}"))
            continue
        files, size = files + len(listed), size + sum(lengths)
        found += [Named(name, tuple(listed))] if listed else []
    return tuple(found)


async def _meant(own: Repository, name: str) -> list[str]:
    if os.path.isabs(name) or {"..", ".git", "."} & {*name.split("/")}:
        raise UserError(_OUTSIDE)
    found: list[str] = []
    async for part in parts(own, ""):
        start = f"{part.name}/" if part.name else ""
        if name.startswith((start, "**/")):
            listed = await _listed(part.own, name.removeprefix(start))
            found += (start + it for it in listed)
    path = os.path.join(own.folder, name)
    if not found and await to_thread.run_sync(os.path.realpath, path) != path:
        raise UserError(_OUTSIDE)  # a link is on the way
    return found


async def _listed(own: Repository, name: str) -> list[str]:
    is_pattern = any(it in name for it in "*?[")
    means = [f":(glob){name}", f":(glob){name}/**"] if is_pattern else [f":(literal){name}"]
    limit = MOST_FILES * 200
    ran = await own.run("ls-files", "-z", "--others", "--", *means, limit=limit)
    if len(ran.output) > limit:
        raise UserError(f"it is more than {MOST_FILES} files")
    return [*filter(None, os.fsdecode(ran.output).split("\0"))]


def _sizes(folder: str, names: Sequence[str]) -> list[int]:
    sizes: list[int] = []
    for it in names:
        with suppress(OSError):
            sizes.append(os.lstat(os.path.join(folder, it)).st_size)
    return sizes


async def copy(
    worktree: Worktree, own: Repository, names: Sequence[str]
) -> tuple[frozenset[str], tuple[str, ...]]:
    """Copy what the names mean; return the files, and why some of them are not copied.

    Raises `OSError` where there is no room.
    """
    found = await named(own, names)
    files = frozenset(it for of in found for it in of.files)
    said = await to_thread.run_sync(partial(_copied, worktree, sorted(files)))
    return files, (*(it.refused for it in found if it.refused), *said)


def _copied(worktree: Worktree, names: Sequence[str]) -> list[str]:
    said: list[str] = []
    for it in names:
        try:
            _copy(worktree, it)
        except FileExistsError:
            continue  # git has brought it
        except (OSError, FileProblem) as error:
            if isinstance(error, OSError) and error.errno in _FULL:
                raise
            said.append(f"{it} is not copied: {getattr(error, 'strerror', None) or error}")
    return said


def _copy(worktree: Worktree, name: str) -> None:
    if name.endswith("/"):
        raise OSError(errno.EINVAL, "it is a repository of its own")
    path, there = (os.path.join(it, name) for it in (worktree.home, worktree.folder))
    with rooted.place(path) as source, rooted.place(there, make=True) as target:
        status = os.stat(source.name, dir_fd=source.folder, follow_symlinks=False)
        if not stat.S_ISLNK(status.st_mode):
            return _copy_file(source, target, status)
        leads = os.readlink(source.name, dir_fd=source.folder)
        if _leads_out(name, leads) or not os.path.realpath(path).startswith(inside(worktree.home)):
            raise OSError(errno.EINVAL, _OUTSIDE)
        os.symlink(leads, target.name, dir_fd=target.folder)


def _copy_file(source: rooted.Place, target: rooted.Place, status: os.stat_result) -> None:
    left = status.st_size
    with (
        source.open(os.O_RDONLY) as file,
        os.fdopen(os.open(target.name, _WRITE, 0o600, dir_fd=target.folder), "wb", 0) as copied,
    ):
        while left > 0 and (data := file.read(min(left, _CHUNK))):
            view = memoryview(data)
            while view:
                view = view[copied.write(view) :]
            left -= len(data)
        os.fchmod(copied.fileno(), status.st_mode & 0o777)


def _leads_out(name: str, leads: str) -> bool:
    """Tell whether a link of that name leads out of its tree by what is written in it."""
    at = name.split("/")[:-1]
    for part in leads.split("/"):
        if part == ".." and not at:
            return True
        at = at[:-1] if part == ".." else [*at, part]
    return leads.startswith("/") or at[:1] == [".git"]
