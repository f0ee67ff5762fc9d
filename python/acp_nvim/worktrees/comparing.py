"""What several worktrees have made of the same files, and one hunk of one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

import anyio
from msgspec import Struct

from acp_nvim.files.encoding import clean, exact_bytes, exact_text
from acp_nvim.history.form import Even
from acp_nvim.hunks import Hunk, apply, diff
from acp_nvim.worktrees.merging import Change, Pending
from acp_nvim.worktrees.records import Worktree


class Version(Struct, frozen=True):
    """What one worktree has changed since it was made, by the paths in the user's project."""

    worktree: Worktree
    changes: Mapping[str, Change]


class Versions(Struct, frozen=True):
    """A comparison of worktrees: the versions, and the paths that any of them has changed.

    `began`: when, in seconds since 1970; all that is taken in it is one turn.
    """

    versions: tuple[Version, ...]
    paths: tuple[str, ...]
    began: float


def version(worktree: Worktree, found: Sequence[Pending]) -> Version:
    """Return the version of a worktree of what waits in it."""
    return Version(worktree, {it.path: it for of in found for it in of.changes})


def versions(found: Sequence[Version], began: float) -> Versions:
    """Return the comparison of these, first what most of them have changed."""
    counts = Counter(path for it in found for path in it.changes)
    paths = sorted(counts, key=lambda it: (-counts[it], it))
    return Versions(tuple(found), tuple(paths), began)


def sides(change: Change) -> tuple[str, str]:
    """Return the exact texts before and after; "" for no file."""
    return exact_text(change.base or b""), exact_text(change.theirs or b"")


def count(change: Change) -> tuple[int, int]:
    """Return how many lines were added and removed."""
    found = hunks(change)
    return sum(len(it.lines) for it in found), sum(it.last - it.first for it in found)


async def together(works: Sequence[Callable[[], Coroutine[Any, Any, None]]]) -> None:
    """Do all of these at once; return when they are over."""
    async with anyio.create_task_group() as tasks:
        for it in works:
            tasks.start_soon(it)


def hunks(change: Change) -> tuple[Hunk, ...]:
    """Return what makes the new lines of the old ones."""
    old, new = Even(*sides(change)).lines
    return tuple(diff(old, new))


def lines(change: Change) -> tuple[str, ...]:
    """Return the lines of a version as they are read."""
    text = clean(sides(change)[1], "")
    return tuple(text.replace("\r\n", "\n").removesuffix("\n").split("\n")) if text else ()


def first_line(change: Change) -> int:
    """Return the 1-based line of the version at which it first differs."""
    found = hunks(change)
    return found[0].first + 1 if found else 1


def only(change: Change, row: int) -> bytes | None:
    """Return the old content with the one hunk that the 0-based row of the version is in, or that
    has taken lines away there; None: no hunk is there."""
    even = Even(*sides(change))
    shift = 0
    for it in diff(even.lines[0], even.lines[1]):
        first = it.first + shift
        if first <= row < first + len(it.lines) or (not it.lines and row in (first - 1, first)):
            text = even.like(1, apply(even.lines[0], (it,)))
            return exact_bytes(change.path, text)
        shift += len(it.lines) - (it.last - it.first)
    return None
