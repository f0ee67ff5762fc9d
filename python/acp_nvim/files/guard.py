"""Which files an agent may not write unasked: those that the user's own tools would obey.

`.git/config`, hooks and attributes name programs that git runs, `.nvim.lua` is run by Neovim, and
so on: `fs.guard` of the configuration names them. git obeys more than the files of its own folder:
what links in that folder lead to, what its configuration includes, the folder of its hooks, the
programs that the configuration names. Nothing here runs what it finds.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import islice
from pathlib import Path, PurePosixPath

from anyio import to_thread
from msgspec import Struct

from acp_nvim.files import git
from acp_nvim.files.git import Setting
from acp_nvim.files.roots import inside
from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.content import Diff

_SETTINGS = frozenset({"head", "config", "config.worktree", "hooks", "info", "worktrees"})
"""What is obeyed in a folder that has all of a repository but its HEAD: of worktrees elsewhere."""
_NOT_OBEYED = frozenset({"objects", "refs", "logs", "lfs"})
MOST_OBEYED = 5_000
"""Files of a `.git` that are looked at."""
_WORD = lazy_pattern(r"[^\s'\"=;!&|()<>]+")
_COMMAND = lazy_pattern(
    r"alias\..*|pager\..*|(?:.*\.)?(?:fsmonitor|editor|pager|sshcommand|askpass|gitproxy|clean|smudge"
    r"|process|external|command|cmd|textconv|driver|path|program|helper|difffilter|tunnel|update"
    r"|uploadpack|receivepack|packobjectshook|\w*command|\w*cmd|\w*hook|\w*editor)",
    re.IGNORECASE,
)
"""Keys of the configuration whose value is a command, or may be."""
_ANYTHING = lazy_pattern(r"\$\{[^}]*\}|\$\w+|[`*?$]+")
_FEWEST = 3
"""Characters of a name with a pattern in it that are written out, if it is to mean a file."""


def holds(
    path: str, plain: Callable[[str], str] = str.casefold, coming: Collection[str] = ()
) -> bool:
    """Tell whether a file is in a repository, or would be once it is written: its name may be the
    last that a folder lacks to be one.

    A repository has HEAD, and `objects` and `refs`, or `commondir` that says where these are: there
    HEAD may be missing. `plain`: how names are compared; `coming`: plain paths that count as there.
    """
    folder, name = os.path.split(path)
    while folder != os.path.dirname(folder):
        if _is_repository(folder, name, plain, coming):
            return True
        folder, name = os.path.split(folder)
    return False


def _is_repository(
    folder: str, name: str, plain: Callable[[str], str], coming: Collection[str]
) -> bool:
    """Tell whether that folder is one once it has something of that name."""
    new = plain(name)
    there = {it for it in _PARTS.values() if os.path.lexists(os.path.join(folder, it))}
    if coming:
        there |= {it for low, it in _PARTS.items() if f"{plain(folder)}/{low}" in coming}
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
        if count > MOST_OBEYED:
            return


async def _set_among(paths: Sequence[str]) -> set[str]:
    """Return those of these resolved paths, not in git's folder, that a repository above obeys, or
    may obey: git does not say."""
    own = await to_thread.run_sync(git.of_user)
    found, below = own & {*paths}, defaultdict[str, list[str]](list)
    for path in paths:
        for folder in _repositories(path):
            below[folder].append(path)
    for folder, files in below.items():
        said = await git.settings(folder)
        if said is None:
            found |= {*files}
        else:
            found |= await to_thread.run_sync(_obeyed_among, folder, said, files)
    return found


def _repositories(path: str) -> list[str]:
    above = map(str, Path(path).parents)
    return [it for it in above if os.path.lexists(os.path.join(it, ".git"))]


def _obeyed_among(folder: str, said: Collection[Setting], paths: Iterable[str]) -> set[str]:
    """Return what it obeys by its settings, and where links in git's folder lead to: these files,
    or folders of the project that hold them."""
    targets = (os.path.realpath(it) for it in obeyed(folder) if os.path.islink(it))
    folders = [it for it in targets if not _is_in(folder, it)]
    folders += [_real(folder, it.value) for it in said if it.key == "core.hookspath" and it.value]
    named = {path for it in said for path in _named(folder, it)}
    commands = [it.value for it in said if _COMMAND.fullmatch(it.key)]
    return {
        path
        for path in paths
        if path in named
        or any(_is_in(path, it) for it in folders)
        or any(_may_run(it, path) for it in commands)
    }


def _named(folder: str, setting: Setting) -> Iterator[str]:
    """Yield the file of a setting, and what the words of its value lead to."""
    file = os.path.join(folder, setting.file)
    yield os.path.realpath(file)
    for place in (folder, os.path.dirname(file)):
        for word in (setting.value, *_WORD.findall(setting.value)):
            yield _real(place, word)


def _may_run(command: str, path: str) -> bool:
    """Tell whether a command may name that file: in what folder it will be run nobody knows."""
    goes = "cd" in _WORD.findall(command)
    for word in _WORD.findall(command):
        name = os.path.basename(word)
        is_open = _ANYTHING.search(name) is not None
        stem = _ANYTHING.sub("", name.rpartition(".")[0] or name)
        if len(stem) >= (_FEWEST if is_open else 1) and (goes or "/" in word or is_open):
            parts = map(re.escape, _ANYTHING.split(name))
            if re.fullmatch(".*".join(parts), os.path.basename(path), re.DOTALL):
                return True
    return False


def _real(folder: str, name: str) -> str:
    """Return what a name in the configuration leads to; "" if it is no path."""
    with suppress(OSError, ValueError):
        return os.path.realpath(os.path.join(folder, os.path.expanduser(name)))
    return ""


def _is_in(path: str, folder: str) -> bool:
    return inside(path).startswith(inside(folder))


_GIT = ".git/**"
_WITH_GIT = (
    *(_GIT, ".husky/**", ".lefthook/**", ".pre-commit-config.y*ml", ".overcommit.yml"),
    *(f"{dot}lefthook{local}.*" for dot in ("", ".") for local in ("", "-local")),
)
"""What the pattern for git means by name: hooks that lie in the project, and what those run that
are in git's folder where the project has one of the usual tools."""
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
        return _GIT in self.patterns and bool(await _set_among(paths[:1]))


async def meant(paths: Sequence[str], patterns: tuple[str, ...], folder: str) -> list[str]:
    """Return those of these resolved paths in a folder that a guard means once all are written."""
    found = await to_thread.run_sync(_guarded_among, paths, patterns, folder)
    found |= await _set_among(paths) if _GIT in patterns else set()
    return [it for it in paths if it in found]


def _guarded_among(paths: Sequence[str], patterns: tuple[str, ...], folder: str) -> set[str]:
    plain = map(_plain, paths)
    coming = {above for it in plain for above in (it, *map(str, PurePosixPath(it).parents))}
    return {it for it in paths if is_guarded((it,), patterns, (folder,), coming)}


def is_guarded(
    paths: Iterable[str],
    patterns: tuple[str, ...],
    folders: Iterable[str] = (),
    coming: Collection[str] = (),
) -> bool:
    """Tell whether one of these absolute paths, all of one file, is what a pattern means.

    A pattern holds at any depth: `*` stands for a part of a name, `**` for folders. Upper and lower
    case are alike, and so is what some file systems leave out of names. With `.git/**` also `.git`
    itself, which is a file in worktrees and submodules, and git's folders of any other name. A hard
    link to what is meant is meant, too: in the folders above, and anywhere below `folders` or the
    nearest folder that has a `.git`. `coming`: as in `holds`.
    """
    paths = tuple(paths)
    if is_named(paths, patterns, coming):
        return True
    return any(_is_other_name(path, patterns, tuple(folders)) for path in paths)


def is_named(
    paths: tuple[str, ...], patterns: tuple[str, ...], coming: Collection[str] = ()
) -> bool:
    """Tell the same without a look for other names of the file."""
    with_git = _GIT in patterns
    found = [_plain(path) for path in paths]
    every = (*patterns, *_WITH_GIT) if with_git else patterns
    if any(_regex(pattern).search(path) for path in found for pattern in every):
        return True
    return with_git and any(holds(path, _plain, coming) for path in paths)


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
    named = unicodedata.normalize("NFKC", seen).casefold().split("/")
    # Windows leaves these out, what is behind a colon too, and knows .git by this name
    parts = (part.partition(":")[0] or part for part in named)
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
                yield from obeyed(str(folder))
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
