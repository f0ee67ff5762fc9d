"""Files that git ignores: what is gone is told, and small texts beside the sources, as `.env`, are
kept, so that they can come back. Other changes are not told: builds and logs change all the time.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable
from time import monotonic
from typing import TypeAlias

from anyio import to_thread

from acp_nvim.files import git
from acp_nvim.files.baselines.comparison import DiskChange
from acp_nvim.files.baselines.listing import LEFT_OUT, LISTING_LIMIT, MARKS, Listing, walk
from acp_nvim.files.baselines.snapshot import Snapshot, fingerprint, read_snapshot
from acp_nvim.files.roots import inside
from acp_nvim.patterns import lazy_pattern

MOST = 2_000
"""Files that are watched of a repository."""
LARGEST = 64 << 10
"""Bytes of a file whose text is kept."""
BUDGET = 4 << 20
"""Bytes of all these texts of a repository, compressed."""
PATIENCE = 0.3
"""Seconds in which the ignored folders of a repository are listed."""
PASSING = lazy_pattern(r"(\.sw[a-p]|~|\.pyc|\.pid|\.lock|\.tmp)$")
"""Names of files that come and go by themselves."""

Seen: TypeAlias = dict[str, Snapshot | None]
"""By path, that of a folder ends in "/"; None: what it held is not known."""


class IgnoredFiles:
    """What was there when a turn began; what is gone is told once."""

    def __init__(self, names: Callable[[str, int], Awaitable[git.Names | None]]) -> None:
        self._names = names
        self._seen: dict[str, Seen] = {}
        self._touched: dict[str, str] = {}

    async def see(self, repositories: Iterable[str]) -> None:
        """See what there is now."""
        for folder in repositories:
            names = await self._names(folder, LISTING_LIMIT)
            found = () if names is None else names.names
            was = self._seen.get(folder, {})
            self._seen[folder] = await to_thread.run_sync(_see, folder, found, was)

    def touch(self, repositories: Iterable[str], paths: Iterable[str]) -> None:
        """These files have come or changed: `see_touched` sees them."""
        known = [it for it in repositories if it in self._seen]
        for path in paths:
            above = max((it for it in known if path.startswith(inside(it))), key=len, default="")
            if above and not PASSING.search(path):
                self._touched[path] = above

    async def see_touched(self) -> None:
        """See those as they are now."""
        touched, self._touched = self._touched, {}
        for path, repository in touched.items():
            seen = self._seen[repository]
            kept = sum(len(it.packed or b"") for it in seen.values() if it)
            if path in seen or len(seen) < MOST:
                was = seen.get(path)
                sight = await to_thread.run_sync(_sight, path, was) if kept < BUDGET else None
                seen[path] = sight

    def gone(self, repository: str) -> tuple[list[DiskChange], list[str]]:
        """Return the files that are gone, and those of which the text is not known. Blocking."""
        known: list[DiskChange] = []
        unknown: list[str] = []
        seen = self._seen.get(repository, {})
        for path, was in list(seen.items()):
            if os.path.lexists(path.rstrip("/")):
                continue
            del seen[path]
            text = None if was is None else was.text()
            if was is not None and isinstance(text, str):
                known.append(DiskChange(path, text, None, was.form()))
            elif not path.startswith(tuple(it for it in unknown if it.endswith("/"))):
                unknown.append(path)
        return known, unknown


def _see(folder: str, names: Iterable[str], was: Seen) -> Seen:
    seen: Seen = {}
    kept = 0
    deadline = monotonic() + PATIENCE
    for name in sorted(names, key=lambda name: (name.endswith("/"), name)):
        path = inside(folder) + name
        if len(seen) >= MOST:
            break
        if name.endswith("/"):
            seen[path] = None
            below = _below(path.rstrip("/"), MOST - len(seen), deadline)
            seen.update((it, None) for it in below if not PASSING.search(it))
        elif not PASSING.search(name):
            sight = _sight(path, was.get(path)) if kept < BUDGET else None
            kept += len(sight.packed or b"") if sight else 0
            seen[path] = sight
    return seen


def _below(folder: str, room: int, deadline: float) -> Iterable[str]:
    """Return the files in a folder that is ignored as a whole, if any of them is to be named."""
    name = folder.rpartition("/")[2]
    if name in LEFT_OUT or any(os.path.lexists(f"{folder}/{mark}") for mark in MARKS):
        return ()
    found = Listing()
    walk(found, folder, room, deadline)
    return found.stamps


def _sight(path: str, was: Snapshot | None) -> Snapshot | None:
    at = fingerprint(path)
    if at is None or at[2] > LARGEST:
        return None
    if was is not None and was.settled and was.fingerprint == at:
        return was
    return read_snapshot(path, at, LARGEST)
