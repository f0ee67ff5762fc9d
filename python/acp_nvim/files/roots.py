"""Which files an agent may touch: those below the folders of its session, links resolved (C-237).

A check of the path as it is written would be no check: `..` and symlinks lead out of it. So both
sides are resolved first, and whatever cannot be resolved is refused.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from acp_nvim.errors import OutsideRoots
from acp_nvim.paths import SAME, Paths

LONGEST: Final = 4_096
"""Characters of a path: no system opens a longer one, and to look for its links takes long."""
SHOWN: Final = 100
"""Characters of one that is too long, in what is said of it."""


class Roots(Struct, frozen=True):
    """The working folder of a session and its additional folders, as they were given.

    `real`: what each led to when the session was opened, "" for one that is not pinned.
    """

    cwd: str
    additional: tuple[str, ...] = ()
    real: tuple[str, ...] = ()
    paths: Paths = SAME
    """What the agent calls them."""

    def folders(self) -> tuple[str, ...]:
        """Return the folders, resolved; without those that were exchanged for something else."""
        given = (self.cwd, *self.additional)
        pinned = self.real or ("",) * len(given)
        now = (os.path.realpath(was or folder) for folder, was in zip(given, pinned, strict=True))
        return tuple(it for it, was in zip(now, pinned, strict=True) if was in ("", it))

    def has(self, real: str) -> bool:
        """Return whether that resolved path is below the folders."""
        return real.startswith(tuple(map(inside, self.folders())))

    def told(self, path: str) -> str:
        """Return what to call a file to the agent: by its name in the working folder, if there."""
        for folder in map(inside, (self.cwd, os.path.realpath(self.cwd))):
            if path.startswith(folder):
                return path.removeprefix(folder)
        return self.paths.shown_there(path)

    def resolve(self, path: str, folders: Sequence[str] = ()) -> str:
        """Return the path without symlinks and `..`; the file need not exist.

        `folders` are those of the roots, for who has many paths. Raises `OutsideRoots` if the path
        is relative or leads out of the folders.
        """
        real, folders = resolved(path), folders or self.folders()
        if not any(os.path.commonpath((real, folder)) == folder for folder in folders):
            these = ", ".join(folders) or "what they were has become something else"
            raise OutsideRoots(f"{path} is outside of this session's folders: {these}")
        return real


def resolved(path: str) -> str:
    """Return an absolute path without symlinks and `..`. Raises `OutsideRoots` if it is none."""
    if len(path) > LONGEST:
        raise OutsideRoots(f"{path[:SHOWN]!r}… is not a path: it has {len(path):,} characters")
    if not os.path.isabs(path):
        raise OutsideRoots(f"{path!r} is not an absolute path")
    try:
        return os.path.realpath(path)
    except (OSError, ValueError) as error:
        raise OutsideRoots(f"{path!r} is not a path: {error}") from error


def plain_file(folder: str, name: str) -> str | None:
    """Return the resolved path of the plain file that a name means there; None: it means none."""
    named = os.path.join(folder, os.path.expanduser(name))
    return os.path.realpath(named) if os.path.isfile(named) else None


def inside(folder: str) -> str:
    """Return what the paths below a folder begin with."""
    return folder if folder.endswith("/") else folder + "/"
