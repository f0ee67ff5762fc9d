"""A worktree is made of what the user's tree holds, and removed without a trace.

Its branch begins at HEAD. Its files are those of the user's tree, with what is saved and not
committed: that snapshot is its `base`. A submodule is a worktree of the user's submodule: nothing
is fetched. What goes wrong on the way is taken back; after a kill the record says that it is not
made, and `remove` takes away what is there.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from shutil import disk_usage
from tempfile import gettempdir

from anyio import to_thread
from msgspec.structs import replace

from acp_nvim.errors import UserError
from acp_nvim.patterns import lazy_pattern
from acp_nvim.worktrees.copying import copy
from acp_nvim.worktrees.records import Worktree, Worktrees
from acp_nvim.worktrees.repository import CutOff, Part, parts, repository


async def planned(records: Worktrees, home: str, agents: Sequence[str]) -> tuple[Worktree, ...]:
    """Return the worktrees that would be made for these agents. Raises `UserError` where there
    cannot be one."""
    own = await repository(home)
    if await own.commit_of("HEAD") is None:
        raise UserError(f"{home} has no commit yet: git commit, then :Acp worktree")
    refs = await own.run("for-each-ref", "--format=%(refname)", "refs/heads/acp", "refs/acp")
    names = [it.split("/") for it in os.fsdecode(refs.output).split()]
    if any(it == ["refs", "heads", "acp"] for it in names):
        raise UserError("a branch is called acp, so that none can be acp/NAME: git branch -m acp …")
    taken = {it[3] if it[1] == "heads" else it[2] for it in names}
    found: list[Worktree] = []
    for agent in agents:
        found.append(records.new(agent, home, taken))
        taken.add(found[-1].name)
    return tuple(found)


async def make(records: Worktrees, worktree: Worktree, copied: Sequence[str]) -> tuple[str, ...]:
    """Make it; return what has not come along, in sentences. `copied`: names of what does, though
    git does not track it.

    Raises `UserError`, and then nothing is left of it.
    """
    try:
        records.claim(worktree)
    except OSError as error:
        raise _not_made(worktree, error) from error
    try:
        await _claim(worktree)
    except CutOff as error:
        await remove(records, worktree)
        raise _not_made(worktree, error) from error
    except UserError as error:
        records.drop(worktree)
        raise _not_made(worktree, error) from error
    try:
        left = await _make(worktree)
        files, said = await copy(worktree, await repository(worktree.home), copied)
        records.note(replace(worktree, is_made=True))
    except (OSError, UserError) as error:
        await remove(records, worktree)
        raise _not_made(worktree, error) from error
    return (*(f"{name} {why}" for name, why in left.items() if name not in files), *said)


_FULL = lazy_pattern("(?i)no space|too large|quota|unable to write|couldn't write|write error")


def _not_made(worktree: Worktree, error: OSError | UserError) -> UserError:
    said = str(error.strerror if isinstance(error, OSError) else error)
    room = f": make room {_fullest(worktree)}" if _FULL.search(said) else ""
    return UserError(f"{worktree.name} is not made: {said}{room}")


def _fullest(worktree: Worktree) -> str:
    """Return where there is least room: git writes to its store, and to temporary files, too."""
    kept = os.path.dirname(worktree.folder)
    free = {f"for {worktree.folder}": disk_usage(kept).free if os.path.isdir(kept) else 0}
    # twice: of one disk the same is read some moments later
    free |= {f"in {it}": 2 * disk_usage(it).free for it in (worktree.home, gettempdir())}
    return min(free, key=lambda said: free[said])


async def _claim(worktree: Worktree) -> None:
    """Make the branch and the first commit of ours at once, or raise `UserError`: what has their
    names already is somebody else's."""
    own = await repository(worktree.home)
    if is_taken(worktree.folder):
        raise UserError(f"{worktree.folder} is there already")
    head = await own.line("rev-parse", "HEAD")
    refs = (f"refs/heads/{worktree.branch}", worktree.ref("base"))
    told = "".join(f"create {it} {head}\n" for it in refs)
    await own.run("update-ref", "--stdin", told=told.encode())


def is_taken(folder: str) -> bool:
    """Tell whether something has that name already."""
    return os.path.lexists(folder)


async def _make(worktree: Worktree) -> dict[str, str]:
    """Make it; return what is not in it as in the project, and why."""
    left: dict[str, str] = {}
    async for part in parts(await repository(worktree.home), worktree.folder):
        snapshot = await part.own.snapshot(f"acp: base of {worktree.name}")
        await part.own.run("update-ref", worktree.ref("base"), snapshot.commit)
        what = ("--detach", part.there, "HEAD") if part.name else (part.there, worktree.branch)
        await part.own.run("worktree", "add", "-q", "--no-checkout", *what)
        there = await repository(part.there)
        await there.run("read-tree", "--reset", "-u", snapshot.commit)
        await there.run("reset", "-q", "HEAD", allowed=(0, 1))
        left |= {os.path.join(part.name, it): why for it, why in snapshot.left}
    return left


async def remove(records: Worktrees, worktree: Worktree) -> None:
    """Remove folder, branch, commits of ours and at last the record, as far as they are there.

    Raises `UserError` that names what is left; the record is, too, then.
    """
    with suppress(OSError):
        records.note(replace(worktree, is_made=False))
    problems: list[str] = []
    if not await to_thread.run_sync(_remove_folder, worktree.folder):
        problems.append(f"{worktree.folder} cannot be removed as a whole: see its permissions")
    if is_taken(os.path.join(worktree.home, ".git")):  # else what git knew is gone, too
        try:
            own = await repository(worktree.home)
            found = [it async for it in parts(own, worktree.folder)]
            for part in reversed(found):
                problems += await _forget(part, worktree)
        except UserError as error:
            problems.append(str(error))
    if problems:
        raise UserError(f"the worktree {worktree.name} is not gone: {'; '.join(problems)}")
    records.drop(worktree)


def _remove_folder(folder: str) -> bool:
    if os.path.islink(folder):  # somebody has moved what is there
        with suppress(OSError):
            os.unlink(folder)
    shutil.rmtree(folder, ignore_errors=True)
    return not os.path.lexists(folder)


async def _forget(part: Part, worktree: Worktree) -> list[str]:
    """Remove what git knows of a part; return what it does not let go."""
    own = part.own
    listed = os.fsdecode((await own.run("worktree", "list", "--porcelain")).output)
    if f"worktree {part.there}" in listed.splitlines():
        await own.run("worktree", "remove", "-f", "-f", part.there, allowed=range(256))
    await to_thread.run_sync(_drop_half, await own.line("rev-parse", "--git-common-dir"), part)
    deeds: list[tuple[str, ...]] = [
        ("update-ref", "-d", worktree.ref(what)) for what in ("base", "merged")
    ]
    if not part.name and await own.commit_of(f"refs/heads/{worktree.branch}"):
        deeds.append(("branch", "-q", "-D", worktree.branch))
    problems: list[str] = []
    for deed in deeds:
        try:
            await own.run(*deed)
        except UserError as error:
            problems.append(str(error))
    return problems


def _drop_half(common: str, part: Part) -> None:
    """Remove what git has begun to note of a worktree when it was killed: it has no place yet."""
    folder = os.path.join(part.own.folder, common, "worktrees", os.path.basename(part.there))
    is_half = os.path.isdir(folder) and not os.path.lexists(os.path.join(folder, "gitdir"))
    if is_half and not part.name:
        shutil.rmtree(folder, ignore_errors=True)
