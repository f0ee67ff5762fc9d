"""What would be lost with a worktree, besides what waits to be merged: named before it is removed.

Nothing is lost of which the user has the same: a file in the project, a commit on a branch.
"""

from __future__ import annotations

import filecmp
import os
import re
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from anyio import to_thread
from msgspec import Struct

from acp_nvim.files import git
from acp_nvim.worktrees.merging import is_there, own_place
from acp_nvim.worktrees.records import Worktree
from acp_nvim.worktrees.repository import LARGEST, Part, Repository, parts, repository

_IGNORED: Final = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard")
_OTHERS: Final = ("--branches", "--tags", "--remotes")


class Ignored(Struct, frozen=True):
    """Files that git ignores: how many, and names of them and of folders that have no others."""

    count: int
    names: tuple[str, ...]


async def own_commits(worktree: Worktree) -> int:
    """Return how many commits of the worktree are on no other branch, tag or remote's branch."""
    return sum([await _own_commits(worktree, it) for it in await _parts(worktree)])


async def _parts(worktree: Worktree) -> list[Part]:
    own = await repository(worktree.home)
    return [it async for it in parts(own, worktree.folder) if is_there(it.there)]


async def _own_commits(worktree: Worktree, part: Part) -> int:
    there = await own_place(part)
    branch = None if part.name else await there.commit_of(f"refs/heads/{worktree.branch}")
    mine = [it for it in (await there.commit_of("HEAD"), branch) if it]
    users = [it for it in [await part.own.commit_of("HEAD")] if it]
    listing = ("rev-list", "--count", *mine, "--not", *users)
    return int(await there.line(*listing, f"--exclude={worktree.branch}", *_OTHERS)) if mine else 0


async def ignored(worktree: Worktree) -> Ignored:
    """Return what git ignores there; what the user has just so in the project is left out."""
    count = 0
    names: list[str] = []
    for part in await _parts(worktree):
        there = await own_place(part)
        files = await _listed(there)
        owned = partial(_others, there.folder, part.own.folder, files)
        lost = await to_thread.run_sync(owned)
        count += len(lost)
        folders = await _listed(there, "--directory")
        names += (os.path.join(part.name, it) for it in folders if _is_in(it, lost))
    return Ignored(count, tuple(names))


async def _listed(there: Repository, *more: str) -> list[str]:
    ran = await there.run(*_IGNORED, *more, limit=git.LISTING_LIMIT)
    return os.fsdecode(ran.output).split("\0")[:-1]


def _others(there: str, own: str, names: Sequence[str]) -> list[str]:
    return sorted(
        it for it in names if not _has_same(os.path.join(there, it), os.path.join(own, it))
    )


def _has_same(path: str, own: str) -> bool:
    with suppress(OSError):
        if os.path.islink(path):
            return os.readlink(path) == os.readlink(own)
        if os.path.getsize(path) > LARGEST:
            return False
        return not os.path.islink(own) and filecmp.cmp(path, own, shallow=False)
    return False


def _is_in(name: str, files: Sequence[str]) -> bool:
    """Tell whether these sorted files have that one, or one in a folder, which ends in "/"."""
    at = bisect_left(files, name)
    found = next(iter(files[at : at + 1]), "")
    return found == name or (name.endswith("/") and found.startswith(name))


async def stashes(worktree: Worktree) -> dict[str, str]:
    """Return what was stashed on the branch of the worktree: commits, and what they are called."""
    own = await repository(worktree.home)
    if await own.commit_of("refs/stash") is None:
        return {}
    listing = ("log", "-g", "-s", "--no-show-signature", "--format=%H %gs", "refs/stash")
    lines = (await own.run(*listing)).output.decode("utf-8", "replace").splitlines()
    is_ours = re.compile(rf"(WIP o|O)n {re.escape(worktree.branch)}: ")
    found = (it.partition(" ") for it in lines)
    return {commit: said for commit, _, said in found if is_ours.match(said)}


async def drop(worktree: Worktree, commits: Sequence[str]) -> None:
    """Drop these stashes. Raises `UserError`."""
    own = await repository(worktree.home)
    for commit in commits:
        listed = (await own.line("rev-list", "-g", "refs/stash")).split()
        if commit in listed:
            await own.run("stash", "drop", "-q", f"stash@{{{listed.index(commit)}}}")
