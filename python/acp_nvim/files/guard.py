"""Which files an agent may not write unasked: those that the user's own tools would obey.

`.git/config`, hooks and attributes name programs that git runs, `.nvim.lua` is run by Neovim, and
so on: `fs.guard` of the configuration names them. Pure but for looking at what a folder is.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

from acp_nvim.session.content import Diff

_GIT = ".git/**"
MOST = 1_000
"""Files that are compared with one that has several names, for each pattern and folder."""
_IN_GIT_FOLDER = ("HEAD", "objects", "refs")
"""What git takes for a repository, whatever its folder is called."""


@dataclass(frozen=True, slots=True)
class Guard:
    """What is guarded, and who is asked: the user, with what a write would change."""

    patterns: tuple[str, ...]
    allow: Callable[[Diff], Awaitable[bool]]

    def means(self, paths: Iterable[str]) -> bool:
        """See `is_guarded`."""
        return is_guarded(paths, self.patterns)


def is_guarded(paths: Iterable[str], patterns: tuple[str, ...]) -> bool:
    """Tell whether one of these absolute paths, all of one file, is what a pattern means.

    A pattern holds at any depth: `*` stands for a part of a name, `**` for folders. Upper and lower
    case are alike, and so is what some file systems leave out of names. With `.git/**` also `.git`
    itself, which is a file in worktrees and submodules, and git's folders of any other name. A hard
    link to what is meant in one of the folders above is meant, too.
    """
    paths = tuple(paths)
    found = [_plain(path) for path in paths]
    if any(_regex(pattern).search(path) for path in found for pattern in patterns):
        return True
    if _GIT in patterns and any(_is_in_repository(path) for path in paths):
        return True
    return any(_is_other_name(path, patterns) for path in paths)


@cache
def _regex(pattern: str) -> re.Pattern[str]:
    words = {"**": ".*", "*": "[^/]*", "?": "[^/]"}
    whole = _plain(pattern).strip("/").removesuffix("/**")
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


def _is_in_repository(path: str) -> bool:
    """Tell whether a file is in a repository, or would be once it is written: its name may be the
    last that a folder lacks to be one."""
    folder, name = os.path.split(path)
    while folder != os.path.dirname(folder):
        others = (it for it in _IN_GIT_FOLDER if it.casefold() != name.casefold())
        if all(os.path.exists(os.path.join(folder, it)) for it in others):
            return True
        folder, name = os.path.split(folder)
    return False


def _is_other_name(path: str, patterns: tuple[str, ...]) -> bool:
    """Tell whether the file has another name by which it is guarded, in a folder above it."""
    with suppress(OSError, ValueError):
        status = os.lstat(path)
        if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
            return any(_is_file(it, status) for it in _guarded_above(path, patterns))
    return False


def _guarded_above(path: str, patterns: tuple[str, ...]) -> Iterator[Path]:
    """Yield what a guard would name in the folders above a file: no folder below is searched."""
    for folder in Path(path).parents:
        for pattern in patterns:
            if pattern != _GIT:
                yield from islice(folder.glob(pattern.replace("**", "*").lstrip("/")), MOST)
            elif (folder / ".git").is_dir():
                yield from islice((folder / ".git").glob("*"), MOST)
                yield from islice((folder / ".git").glob("*/*"), MOST)


def _is_file(path: Path, status: os.stat_result) -> bool:
    with suppress(OSError):
        return os.path.samestat(path.lstat(), status)
    return False
