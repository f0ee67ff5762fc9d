"""What a worktree has that its project has not been given yet, file by file.

That is the difference between its last merged state, at first its base, and what it holds now. Who
merges tells what was taken; that is the merged state from then on, and does not come again.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import Final

from anyio import to_thread
from msgspec import Struct

from acp_nvim.errors import UserError
from acp_nvim.files.encoding import is_binary
from acp_nvim.worktrees.records import Worktree
from acp_nvim.worktrees.repository import (
    GONE,
    LINK,
    MODULE,
    Entry,
    Part,
    Repository,
    parts,
    repository,
)

_KINDS: Final = {LINK: "is a symbolic link", MODULE: "is another commit of a submodule"}


class Change(Struct, frozen=True):
    """A file that the worktree has changed: `path` in the project, `source` there; what it held,
    and holds now (None: no file). `mode`: that of a new file, else 0."""

    path: str
    source: str
    base: bytes | None
    theirs: bytes | None
    mode: int
    entry: Entry


class Left(Struct, frozen=True):
    """A file of the worktree that cannot be merged, and why."""

    source: str
    reason: str


class Pending(Struct, frozen=True):
    """What waits in one repository of a worktree: the whole, or a submodule."""

    there: Repository
    since: str
    now: str
    changes: tuple[Change, ...]
    left: tuple[Left, ...]


async def pending(worktree: Worktree, *, merged: bool = True) -> tuple[Pending, ...]:
    """Return what waits to be merged; without `merged`: what was merged already, too.

    Raises `UserError`.
    """
    if not is_there(worktree.folder):
        name = worktree.name
        raise UserError(f"the folder of {name} is gone: :Acp worktree remove {name}")
    own = await repository(worktree.home)
    return tuple(
        [
            await _of_part(worktree, part.own.folder, await own_place(part), merged=merged)
            async for part in parts(own, worktree.folder)
            if is_there(part.there)
        ]
    )


async def own_place(part: Part) -> Repository:
    """Return the work tree of a part. Raises `UserError` if what is there is of another repository,
    or the user's own: an agent may have led it there."""
    gone = f"{part.there} is not a worktree of {part.own.folder} any more"
    try:
        there = await repository(part.there)
    except UserError as error:
        raise UserError(f"{gone}: :Acp worktree remove removes it") from error
    asking = ("rev-parse", "--path-format=absolute")
    common = await part.own.line(*asking, "--git-common-dir")
    folder = await there.line(*asking, "--git-dir")
    is_ours = folder.startswith(f"{common}/worktrees/")
    if not (is_ours and await to_thread.run_sync(_is_of, folder, part.there)):
        raise UserError(gone)
    return there


def _is_of(folder: str, there: str) -> bool:
    """Tell whether that folder of git's is the worktree's at that place, not another one's."""
    try:
        with open(os.path.join(folder, "gitdir"), "rb") as file:
            said = os.fsdecode(file.read(1 << 16).strip())
    except OSError:
        return False
    place, name = os.path.split(os.path.join(folder, said))  # git 2.48 may say it from there
    return name == ".git" and os.path.realpath(place) == there  # no link leads elsewhere


def is_there(folder: str) -> bool:
    """Tell whether git has a work tree at that very folder."""
    return os.path.lexists(os.path.join(folder, ".git"))


async def _of_part(worktree: Worktree, home: str, there: Repository, *, merged: bool) -> Pending:
    since = await there.commit_of(worktree.ref("merged")) if merged else None
    since = since or await there.commit_of(worktree.ref("base"))
    if since is None:
        raise UserError(f"what {worktree.name} began from is not known any more: git branch has it")
    snapshot = await there.snapshot(f"acp: {worktree.name}")
    entries = await there.difference(since, snapshot.commit)
    plain = [it for it in entries if _why_not(it) is None]
    old, new = await there.contents(plain, 0), await there.contents(plain, 1)
    changes = tuple(_change(home, there.folder, it, old, new) for it in plain)
    taken = tuple(it for it in changes if it is not None)
    names = {it.entry.name for it in taken}
    why_not = [(it.name, _why_not(it) or "is binary") for it in entries if it.name not in names]
    left = [Left(os.path.join(there.folder, it), why) for it, why in (*snapshot.left, *why_not)]
    return Pending(there, since, snapshot.commit, taken, tuple(left))


def _change(
    home: str, folder: str, entry: Entry, old: Mapping[str, bytes], new: Mapping[str, bytes]
) -> Change | None:
    base, theirs = old.get(entry.name), new.get(entry.name)
    is_cut = (base is None) != (entry.modes[0] == GONE) or (theirs is None) != (
        entry.modes[1] == GONE
    )
    if is_cut or any(is_binary(it) for it in (base, theirs) if it):
        return None
    mode = int(entry.modes[1], 8) & 0o777 if entry.modes[0] == GONE else 0
    path, source = os.path.join(home, entry.name), os.path.join(folder, entry.name)
    return Change(path, source, base, theirs, mode if mode & 0o111 else 0, entry)


def _why_not(entry: Entry) -> str | None:
    if "\n" in entry.name:
        return "has a name of several lines"
    if entry.blobs[0] == entry.blobs[1]:
        return "has other permissions"
    return next((_KINDS[it] for it in entry.modes if it in _KINDS), None)


async def took(worktree: Worktree, of: Pending, names: Collection[str]) -> None:
    """Note that these files were merged as they are in `of`: they do not come again."""
    taken = [it.entry for it in of.changes if it.entry.name in names]
    if taken:
        merged = await of.there.with_files(of.since, taken, f"acp: {worktree.name} merged")
        await of.there.run("update-ref", worktree.ref("merged"), merged)
