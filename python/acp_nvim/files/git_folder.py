"""What git takes for a repository, whatever the folder is called, and what it obeys there.

git obeys more than the files of its own folder: what links in that folder lead to, what its
configuration includes, the folder of its hooks, the programs that the configuration names. Each may
be an ordinary file of the project. Nothing here runs what it finds.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from anyio import to_thread

from acp_nvim.files import git
from acp_nvim.files.git import Setting
from acp_nvim.patterns import lazy_pattern

_SETTINGS = frozenset({"head", "config", "config.worktree", "hooks", "info", "worktrees"})
"""What is obeyed in a folder that has all of a repository but its HEAD: of worktrees elsewhere."""
_NOT_OBEYED = frozenset({"objects", "refs", "logs", "lfs"})
MOST = 5_000
"""Files of a `.git` that are looked at."""
_WORD = lazy_pattern(r"[^\s'\"=;!&|()<>]+")


def holds(path: str, plain: Callable[[str], str] = str.casefold) -> bool:
    """Tell whether a file is in a repository, or would be once it is written: its name may be the
    last that a folder lacks to be one.

    A repository has HEAD, and `objects` and `refs`, or `commondir` that says where these are: there
    HEAD may be missing. `plain`: how names are compared.
    """
    folder, name = os.path.split(path)
    while folder != os.path.dirname(folder):
        if _is_repository(folder, name, plain):
            return True
        folder, name = os.path.split(folder)
    return False


def _is_repository(folder: str, name: str, plain: Callable[[str], str]) -> bool:
    """Tell whether that folder is one once it has something of that name."""
    new = plain(name)
    there = {it for it in _PARTS.values() if os.path.lexists(os.path.join(folder, it))}
    has = {*there, _PARTS[new]} if new in _PARTS else there
    if {"objects", "refs"} <= has:
        return "HEAD" in has or new in _SETTINGS or not {"objects", "refs"} <= there
    return {"HEAD", "commondir"} <= has


_PARTS = {"head": "HEAD", "objects": "objects", "refs": "refs", "commondir": "commondir"}


def obeyed(folder: str) -> Iterator[str]:
    """Yield the paths of what git obeys in the `.git` of a folder: also of its submodules and
    worktrees there. Nothing where it has none, or where that is a file."""
    count = 0
    for path, folders, files in os.walk(os.path.join(folder, ".git")):
        # where there is too much, the hooks are seen
        folders[:] = sorted(set(folders) - _NOT_OBEYED, key=lambda it: it not in _SETTINGS)
        for name in (*folders, *files):
            count += 1
            yield os.path.join(path, name)
        if count > MOST:
            return


async def is_named(path: str) -> bool:
    """Tell whether a repository above obeys that resolved path, which is not in git's folder."""
    for folder in _repositories(path):
        said = await git.settings(folder)
        if await to_thread.run_sync(_obeys, folder, said, path):
            return True
    return False


def _repositories(path: str) -> list[str]:
    above = map(str, Path(path).parents)
    return [it for it in above if os.path.lexists(os.path.join(it, ".git"))]


def _obeys(folder: str, said: Iterable[Setting], path: str) -> bool:
    return _is_linked(path, folder) or any(_is_setting(path, folder, it) for it in said)


def _is_linked(path: str, folder: str) -> bool:
    """Tell whether a link in git's folder leads to the path, or to a folder of the project that
    holds it."""
    targets = (os.path.realpath(it) for it in obeyed(folder) if os.path.islink(it))
    return any(_is_in(path, it) and not _is_in(folder, it) for it in targets)


def _is_setting(path: str, folder: str, setting: Setting) -> bool:
    """Tell whether the configuration is in the path, includes it, has its hooks there, or names it
    in what may be a command."""
    file = os.path.join(folder, setting.file)
    if path == os.path.realpath(file):
        return True
    if setting.key == "core.hookspath" and setting.value:
        return _is_in(path, _real(folder, setting.value))
    words = (setting.value, *_WORD.findall(setting.value))
    places = (folder, os.path.dirname(file))
    return any(path == _real(place, word) for place in places for word in words)


def _real(folder: str, name: str) -> str:
    """Return what a name in the configuration leads to; "" if it is no path."""
    with suppress(OSError, ValueError):
        return os.path.realpath(os.path.join(folder, os.path.expanduser(name)))
    return ""


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
