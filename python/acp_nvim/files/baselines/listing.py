"""Which files a folder holds, and what the system says of each without opening it.

Where git answers, what it tracks or would track; else all files but those of version control, of
installed packages and of caches. Links are not followed, so each file has one path. All is
bounded: what lies beyond a limit is not listed, and the inventory says so.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from itertools import islice
from time import monotonic
from typing import TypeAlias

from anyio import to_thread
from msgspec import Struct, field

from acp_nvim.files import git
from acp_nvim.files.baselines.snapshot import (
    Fingerprint,
    fingerprint,
    is_recent,
    read_snapshot,
    stamped,
)
from acp_nvim.files.roots import inside

Names: TypeAlias = Callable[..., Awaitable[git.Names | None]]
"""`git.listing`, or a stand-in."""

LISTING_LIMIT = 16_000_000
"""Bytes of names that are read of git."""
AT_LEAST = 1_000
"""Entries of a folder that are walked over whatever time that takes, on a machine that is busy or
was asleep: where not all is listed nobody knows what is new, and what an agent makes could not be
undone."""
MOST_PARTS = 200
"""Repositories within a folder that are looked into."""
LEFT_OUT = {".git", ".hg", ".svn", ".jj", ".bzr", "node_modules", "__pycache__", ".cache"}
"""Folders that nobody edits by hand; a build folder may hold sources, so it is none of them."""
GIT = {".git"}
MARKS = {"pyvenv.cfg", "CACHEDIR.TAG"}
"""A folder with such a file in it is a virtual environment or a cache."""


ROOM = 1_000_000
"""Entries of one folder among which others are looked for."""


class Listing(Struct):
    """The plain files below a folder by path.

    `whole`: no limit was met. `parts`: the folder and the repositories within that were listed,
    each with whether git has listed it.
    """

    stamps: dict[str, Fingerprint] = field(default_factory=dict)
    whole: bool = True
    parts: dict[str, bool] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    """Where the links lead, which are no files."""
    linked: list[str] = field(default_factory=list)
    """Files that have other names, too, by which they may be changed."""

    def add(self, path: str, status: os.stat_result) -> None:
        """Add a plain file, or a link."""
        if stat.S_ISREG(status.st_mode):
            self.stamps[path] = stamped(status)
            self.linked += [path] if status.st_nlink > 1 else ()
        elif stat.S_ISLNK(status.st_mode):
            with suppress(OSError):  # it is gone
                self.links[path] = os.readlink(path)


class Listings:
    """Takes inventories, of so many files, in so many seconds where a folder has to be walked."""

    def __init__(
        self, *, most: int = 100_000, patience: float = 1.0, names: Names = git.listing
    ) -> None:
        self._most = most
        self._patience = patience
        self._names = names

    async def take(self, folder: str) -> Listing:
        """Return what is below that folder, whose path is resolved. Never raises `OSError`."""
        found, queue = Listing(), [folder]
        while queue and len(found.parts) < MOST_PARTS:
            part = queue.pop()
            if part not in found.parts:
                queue += await self._add(found, part)
        found.whole = found.whole and not queue
        return found

    async def _add(self, found: Listing, part: str) -> list[str]:
        """Add what that folder holds; return the repositories within."""
        room = self._most - len(found.stamps)
        names = await self._names(part, LISTING_LIMIT)
        found.parts[part] = names is not None and bool(names.names)
        if names is None or not names.names:  # nothing: git ignores this folder as a whole
            deadline = monotonic() + self._patience
            return await to_thread.run_sync(walk, found, part, room, deadline)
        found.whole = found.whole and names.whole and len(names.names) <= room
        return await to_thread.run_sync(_add_all, found, part, names.names[:room])

    async def covers(self, parts: Mapping[str, bool], paths: Iterable[str]) -> set[str]:
        """Return those of the files that an inventory with these parts, taken now, would have."""
        found: set[str] = set()
        by_part: dict[str, list[str]] = {}
        for path in paths:
            part = max((it for it in parts if path.startswith(inside(it))), key=len, default="")
            by_part.setdefault(part, []).append(path)
        for part, here in by_part.items():
            if part and not parts[part]:
                found |= await to_thread.run_sync(_walked_to, part, here)
            elif part:
                start = inside(part)
                names = [path.removeprefix(start) for path in here]
                listed = await self._names(part, LISTING_LIMIT, *names)
                found |= {start + name for name in (listed.names if listed else ())} & {*here}
        return found


def _add_all(found: Listing, folder: str, names: Iterable[str]) -> list[str]:
    """Add what git has listed of a folder; return the folders among it."""
    real = {folder: True}
    folders: list[str] = []
    for name in names:
        path = inside(folder) + name.rstrip("/")
        try:
            status = os.lstat(path)
        except (OSError, ValueError):
            continue
        if _is_real(path.rpartition("/")[0], real):
            found.add(path, status)
            folders += (path,) if stat.S_ISDIR(status.st_mode) else ()
    return folders


def _is_real(folder: str, known: dict[str, bool]) -> bool:
    """Return whether no link leads to that folder: git may list files of a folder that was one."""
    if folder not in known:
        above = _is_real(folder.rpartition("/")[0] or "/", known) if folder != "/" else True
        known[folder] = above and not os.path.islink(folder)
    return known[folder]


def walk(found: Listing, folder: str, room: int, deadline: float) -> list[str]:
    """Add what a folder holds that git does not know, so many files, the near ones first; return
    the repositories within."""
    within: list[str] = []
    queue, most, is_over, count = deque([folder]), len(found.stamps) + room, False, 0
    while queue and not is_over:
        here = queue.popleft()
        entries = _entries(here, room)
        names = {entry.name for entry in entries}
        if here != folder and names & {*MARKS, ".git"}:
            within += () if names & MARKS else (here,)
            continue
        for entry in entries:
            count += 1
            is_late = count > AT_LEAST and monotonic() >= deadline
            if is_over := is_late or len(found.stamps) > most:
                break
            if not entry.is_dir(follow_symlinks=False):
                with suppress(OSError):  # it is gone
                    found.add(entry.path, entry.stat(follow_symlinks=False))
            elif entry.name not in LEFT_OUT:
                queue.append(entry.path)
    found.whole = found.whole and not (queue or is_over) and len(found.stamps) <= most
    found.stamps = dict(islice(found.stamps.items(), most))
    return within


def _entries(folder: str, room: int) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(islice(entries, room + 1), key=lambda entry: entry.name)
    except OSError:
        return []


def folders_below(
    folder: str, parts: Mapping[str, bool], besides: set[str], most: int
) -> list[str]:
    """Return the folder and those below it in which a file could come that would be listed.

    `besides`: what git ignores, in repositories among the parts; caches are added. Of more folders
    than `most` some are returned.
    """
    found: list[str] = []
    queue = deque([(folder, False)])
    while queue and len(found) <= most:
        here, by_git = queue.popleft()
        by_git = parts.get(here, by_git)
        entries = _entries(here, ROOM)
        if here not in parts and not by_git and MARKS & {it.name for it in entries}:
            besides.add(here)
            continue
        found.append(here)
        left_out = GIT if by_git else LEFT_OUT
        queue += (
            (it.path, by_git)
            for it in entries
            if it.name not in left_out
            and it.is_dir(follow_symlinks=False)
            and it.path not in besides
        )
    return found


def _walked_to(folder: str, paths: Iterable[str]) -> set[str]:
    """Return the files to which a walk of the folder comes."""
    return {path for path in paths if _is_walked(folder, path.rpartition("/")[0])}


def _is_walked(folder: str, here: str) -> bool:
    while len(here) > len(folder):
        marked = any(os.path.lexists(f"{here}/{name}") for name in (*MARKS, ".git"))
        above, _, name = here.rpartition("/")
        if marked or name in LEFT_OUT:
            return False
        here = above
    return True


IGNORE_FILE = ".gitignore"
RULES_LIMIT = 1 << 20

Rules: TypeAlias = frozenset[str]
NO_RULES: Rules = frozenset()


class Scan(Struct, frozen=True):
    """When an inventory of a folder was begun (ns since 1970), what it reached, the rules then."""

    folder: str
    began: int
    whole: bool
    parts: Mapping[str, bool]
    rules: Mapping[str, Rules]
    links: Mapping[str, str] = field(default_factory=dict)

    def moved_links(self, later: Scan) -> list[str]:
        """Return the links that are gone, new, or lead elsewhere, as far as both are sure."""
        if not (self.whole and later.whole):
            return []
        return sorted(path for path, _ in self.links.items() ^ later.links.items())

    def is_since(self, at: Fingerprint) -> bool:
        """Return whether a file with that stamp may have come, or changed, after it."""
        return is_recent(at, self.began)

    def vouches(self, later: Scan) -> bool:
        """Return whether what only the later one has was not just hidden from this one."""
        lost = (part for part, by_git in self.parts.items() if by_git and not later.parts.get(part))
        if not self.whole or any(map(os.path.isdir, lost)):
            return False
        paths = self.rules.keys() | later.rules.keys()
        return not any(self._unhides(path, later.rules.get(path, NO_RULES)) for path in paths)

    def vouches_for(self, path: str) -> bool:
        """Return the same for one file that an inventory would have now."""
        return (
            self.whole
            and path not in self.links
            and not any(self._unhides(rules, _rules(rules)) for rules in self._rules_above(path))
        )

    def _unhides(self, path: str, now: Rules) -> bool:
        """Return whether files may appear because of how that file of rules has changed."""
        before = self.rules.get(path, NO_RULES)
        return bool(before - now) or any(rule.startswith("!") for rule in now - before)

    def _rules_above(self, path: str) -> Iterable[str]:
        above = path.rpartition("/")[0]
        while inside(above).startswith(inside(self.folder)):
            yield inside(above) + IGNORE_FILE
            above = above.rpartition("/")[0]


def scan(folder: str, inventory: Listing, began: int) -> Scan:
    """Return what is to be remembered of an inventory that has just been taken."""
    name = f"/{IGNORE_FILE}"
    rules = {path: _rules(path) for path in inventory.stamps if path.endswith(name)}
    return Scan(folder, began, inventory.whole, inventory.parts, rules, inventory.links)


def _rules(path: str) -> Rules:
    """Return the lines of a file of ignore rules; none if it cannot be read."""
    sight = read_snapshot(path, fingerprint(path), RULES_LIMIT)
    text = sight.text() if sight else None
    lines = (line.strip() for line in (text if isinstance(text, str) else "").splitlines())
    return frozenset(line for line in lines if line and not line.startswith("#"))
