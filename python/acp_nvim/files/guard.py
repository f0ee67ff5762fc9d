"""Which files an agent may not write unasked: those that the user's own tools would obey.

`.git/config`, hooks and attributes name programs that git runs, `.nvim.lua` is run by Neovim, and
so on: `fs.guard` of the configuration names them. What git takes for a repository, and what else it
obeys there, `git_folder` knows.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache, partial
from itertools import islice
from pathlib import Path

from anyio import to_thread
from msgspec import Struct

from acp_nvim.files import git_folder
from acp_nvim.session.content import Diff

_GIT = ".git/**"
_WITH_GIT = (_GIT, ".husky/**")
"""What the pattern for git means by name: the hooks of husky are scripts beside its own."""
MOST = 1_000
"""Files that are compared with one that has several names, for each pattern and folder."""
MOST_NAMES = 200_000
"""Files below the folders of a session that are compared with it."""


class Guard(Struct, frozen=True):
    """What is guarded, and who is asked: the user, with what a write would change."""

    patterns: tuple[str, ...]
    allow: Callable[[Diff], Awaitable[bool]]

    async def means(self, paths: Iterable[str], folders: Iterable[str] = ()) -> bool:
        """Tell what `is_guarded` tells, and whether the settings of a repository name the file."""
        paths = tuple(paths)
        work = partial(is_guarded, paths, self.patterns, tuple(folders))
        if await to_thread.run_sync(work):
            return True
        return _GIT in self.patterns and await git_folder.is_named(paths[0])


def is_guarded(
    paths: Iterable[str], patterns: tuple[str, ...], folders: Iterable[str] = ()
) -> bool:
    """Tell whether one of these absolute paths, all of one file, is what a pattern means.

    A pattern holds at any depth: `*` stands for a part of a name, `**` for folders. Upper and lower
    case are alike, and so is what some file systems leave out of names. With `.git/**` also `.git`
    itself, which is a file in worktrees and submodules, and git's folders of any other name. A hard
    link to what is meant is meant, too: in the folders above, and anywhere below `folders` or the
    nearest folder that has a `.git`.
    """
    paths = tuple(paths)
    if is_named(paths, patterns):
        return True
    return any(_is_other_name(path, patterns, tuple(folders)) for path in paths)


def is_named(paths: tuple[str, ...], patterns: tuple[str, ...]) -> bool:
    """Tell the same without a look for other names of the file."""
    with_git = _GIT in patterns
    found = [_plain(path) for path in paths]
    every = (*patterns, *_WITH_GIT) if with_git else patterns
    if any(_regex(pattern).search(path) for path in found for pattern in every):
        return True
    return with_git and any(git_folder.holds(path, _plain) for path in paths)


@cache
def _regex(pattern: str) -> re.Pattern[str]:
    words = {"**": ".*", "*": "[^/]*", "?": "[^/]"}
    whole = _plain(pattern).strip("/").removesuffix("/**").removeprefix("**/")
    parts = re.split(r"(\*\*|\*|\?)", whole)
    text = "".join(words.get(part, re.escape(part)) for part in parts)
    below = "(?:/|$)" if pattern.endswith("/**") else "$"
    return re.compile(f"/{text}{below}", re.DOTALL)


def _plain(path: str) -> str:
    """Return the path as a file system may have it that is not exact about names."""
    seen = "".join(it for it in path if unicodedata.category(it) != "Cf")
    parts = unicodedata.normalize("NFKC", seen).casefold().split("/")
    # Windows leaves these out, and knows .git by this name too
    return "/".join(_LONG.get(part.rstrip(" ."), part.rstrip(" .")) or part for part in parts)


_LONG = {"git~1": ".git"}


def _is_other_name(path: str, patterns: tuple[str, ...], folders: tuple[str, ...]) -> bool:
    """Tell whether the file has another name by which it is guarded, or one of its names may be."""
    with suppress(OSError, ValueError):
        status = os.lstat(path)
        if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
            if any(_is_file(it, status) for it in _guarded_above(path, patterns)):
                return True
            return any(_has_guarded_name(it, status, patterns) for it in _tops(path, folders))
    return False


def _guarded_above(path: str, patterns: tuple[str, ...]) -> Iterator[str]:
    """Yield what a guard would name in the folders above a file."""
    for folder in Path(path).parents:
        for pattern in patterns:
            if pattern == _GIT:
                yield from git_folder.obeyed(str(folder))
            else:
                name = pattern.removeprefix("**/").replace("**", "*").lstrip("/")
                yield from map(str, islice(folder.glob(name), MOST))


def _tops(path: str, folders: tuple[str, ...]) -> list[str]:
    """Return the folders below which all names are looked at, none within another."""
    above = map(str, Path(path).parents)
    nearest = next((it for it in above if os.path.lexists(os.path.join(it, ".git"))), None)
    tops = {os.path.realpath(it) for it in (*folders, nearest) if it is not None}
    return sorted(it for it in tops if not any(str(up) in tops for up in Path(it).parents))


def _has_guarded_name(top: str, status: os.stat_result, patterns: tuple[str, ...]) -> bool:
    """Tell whether a guarded name below a folder is one of that file's; also where there are more
    names than are looked at, for then it may be."""
    waiting, left = deque([top]), MOST_NAMES
    while waiting and left > 0:
        entries = _entries(waiting.popleft())
        left -= len(entries)
        waiting += (it.path for it in entries if it.is_dir(follow_symlinks=False))
        files = (it.path for it in entries if it.is_file(follow_symlinks=False))
        if any(_is_file(it, status) and is_named((it,), patterns) for it in files):
            return True
    return bool(waiting)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(folder) as entries:
        return list(entries)
    return []


def _is_file(path: str, status: os.stat_result) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.lstat(path), status)
    return False
