"""A worktree's branch merged by git: its state is committed there, then git merges it here.

As the user would do it, but for hooks, signatures and drivers: where one of those, or a filter,
would have a part in it, or the merge would not be clean, nothing is merged and it says why.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from acp_nvim.errors import UserError
from acp_nvim.worktrees.merging import Pending
from acp_nvim.worktrees.records import Worktree
from acp_nvim.worktrees.repository import Repository, repository

_IDENTITY: Final = tuple(
    f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL", "DATE")
)


class Merged(Struct, frozen=True):
    """What git has merged: how much, in words, and which files it has changed."""

    text: str
    paths: tuple[str, ...]


async def incoming(worktree: Worktree, waits: Sequence[Pending]) -> list[str]:
    """Return the files that a merge may change. Raises `UserError`."""
    own = await repository(worktree.home)
    return [os.path.join(own.folder, it) for it in await _names(own, waits[0].now)]


async def _names(own: Repository, head: str) -> list[str]:
    """Return what that commit has other than where its history and the user's part: there may be
    several such commits."""
    bases = (await own.run("merge-base", "--all", "HEAD", head, allowed=(0, 1))).output.split()
    listing = ("diff-tree", "-r", "-z", "--name-only", "--no-renames")
    ran = [await own.run(*listing, base.decode(), head) for base in bases]
    return sorted({*filter(None, os.fsdecode(b"".join(it.output for it in ran)).split("\0"))})


async def merge_branch(
    worktree: Worktree,
    waits: Sequence[Pending],
    title: str,
    unsaved: Iterable[str],
    known: Iterable[str],
) -> Merged:
    """Commit and merge. Raises `UserError` that says why not; nothing is merged then. `known`: the
    files that the user knows of, as of `incoming`."""
    whole, *modules = waits
    left = [f"{it.source} {it.reason}" for it in whole.left]
    left += [f"{it.there.folder} is a submodule with changes" for it in modules if it.changes]
    if left:
        raise UserError(f"{'; '.join(left[:3])}: commit that there yourself, then git merge")
    there, own = whole.there, await repository(worktree.home)
    await _commit(there, whole.now, title)
    head = await there.line("rev-parse", "HEAD")
    names = await _names(own, head)
    if not names:
        raise UserError(f"{worktree.branch} has nothing that your branch has not")
    if not {os.path.join(own.folder, it) for it in names} <= {*known}:
        raise UserError(f"{worktree.name} changes meanwhile: :Acp worktree merge! again")
    await _check(own, there, names, unsaved)
    before = await own.line("rev-parse", "HEAD")
    await _merge(own, head, worktree)
    await there.run("update-ref", worktree.ref("merged"), whole.now)
    text = await own.line("diff", "--shortstat", "--no-ext-diff", "--no-textconv", before, "HEAD")
    return Merged(text, tuple(os.path.join(own.folder, it) for it in names))


def _identity() -> dict[str, str]:
    return {it: os.environ[it] for it in _IDENTITY if it in os.environ}


async def _commit(there: Repository, now: str, title: str) -> None:
    """Commit the snapshot on the branch that the worktree is on, as the user."""
    if await there.line("rev-parse", "HEAD^{tree}") == await there.line(
        "rev-parse", f"{now}^{{tree}}"
    ):
        return
    branch = (await there.run("symbolic-ref", "-q", "HEAD", allowed=(0, 1))).output.decode().strip()
    listed = os.fsdecode((await there.run("worktree", "list", "--porcelain")).output).splitlines()
    if branch and listed.count(f"branch {branch}") > 1:
        name = branch.removeprefix("refs/heads/")
        raise UserError(f"{there.folder} is on your branch {name}: git switch there to another")
    await there.run("read-tree", now)
    await there.run("commit", "-q", "--no-verify", "-m", title, env=_identity())


async def _check(
    own: Repository, there: Repository, names: Sequence[str], unsaved: Iterable[str]
) -> None:
    """Raise `UserError` for what git would not merge as the user expects."""
    paths = {os.path.join(own.folder, it): it for it in names}
    if text := [paths[it] for it in unsaved if it in paths]:
        raise UserError(f"{', '.join(text[:3])} is not saved: :write it, then merge")
    # what says so may come with the merge
    if filtered := {**await there.filtered(names), **await own.filtered(names)}:
        name, by = next(iter(filtered.items()))
        raise UserError(f"{name} goes through the filter {by}: merge by hand, git merge")
    drivers = await own.run("config", "--get-regexp", r"^merge\..*\.driver$", allowed=(0, 1))
    if drivers.output:
        raise UserError("git's configuration names a merge driver, which is not run: git merge")


async def _merge(own: Repository, head: str, worktree: Worktree) -> None:
    # a strategy that the configuration names is a program
    merging = ("merge", "-q", "--no-edit", "--no-stat", "--no-verify", "-s", "recursive")
    message, env = f"Merge branch '{worktree.branch}'", _identity()
    branch = await own.line("branch", "--show-current")
    env |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_VALUE_0": ""}
    env |= {"GIT_CONFIG_KEY_0": f"branch.{branch or 'HEAD'}.mergeOptions"}
    ran = await own.run(*merging, "-m", message, head, env=env, allowed=range(256))
    if ran.code == 0:
        return
    if await own.commit_of("MERGE_HEAD") is None:
        said = (ran.said or ran.output.decode("utf-8", "replace")).splitlines()
        raise UserError(f"git merges nothing: {' '.join(it.strip() for it in said)[:300]}")
    listing = (
        "diff",
        "--name-only",
        "-z",
        "--diff-filter=U",
        "--no-ext-diff",
        "--ignore-submodules",
    )
    names = os.fsdecode((await own.run(*listing)).output).rstrip("\0").replace("\0", ", ")
    await own.run("merge", "--abort")
    raise UserError(
        f"conflicts in {names}, nothing is merged: :Acp worktree merge has them as hunks"
    )
