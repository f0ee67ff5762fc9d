"""A work tree of git, in which something is done: no hook, filter or program of the project runs.

All goes by `files.git.run`. What a filter would make of a file (git LFS, for instance) stays as git
has it, and what such a filter should have made of a changed file is not taken: it is named.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import suppress
from tempfile import TemporaryDirectory
from typing import Final

from anyio import to_thread
from msgspec import Struct

from acp_nvim.errors import UserError
from acp_nvim.files import git
from acp_nvim.worktrees.records import is_same

LONG: Final = 600.0
"""Seconds that git may take to write a tree."""
MOST: Final = 1 << 29
"""Bytes that are read of what it prints."""
LARGEST: Final = 32 << 20
"""Bytes of a file that is not committed; a larger one is not copied into git's store."""
_ALONE: Final = (
    *("-c", "core.splitIndex=false", "-c", "core.untrackedCache=false"),
    *(
        "-c",
        "commit.gpgSign=false",
        "-c",
        "tag.gpgSign=false",
        "-c",
        "merge.verifySignatures=false",
    ),
    *("-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "submodule.recurse=false"),
    *("-c", "core.sshCommand=false", "-c", "rerere.enabled=false", "-c", "core.editor=false"),
)
_SELF: Final = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "acp.nvim"), ("EMAIL", "acp.nvim@localhost"))
}
LINK, MODULE = "120000", "160000"
"""Modes of what is no plain file."""
GONE: Final = "000000"


class CutOff(UserError):
    """git was killed, or has taken too long: nobody knows how far it came."""


class Snapshot(Struct, frozen=True):
    """A commit of what a work tree holds, and files that are not in it, each with the reason."""

    commit: str
    left: tuple[tuple[str, str], ...] = ()


class Entry(Struct, frozen=True):
    """A file that two commits have different, by modes and blobs: `GONE` for none."""

    name: str
    modes: tuple[str, str]
    blobs: tuple[str, str]


class Repository:
    """The work tree at that folder, which is its top; made by `repository`."""

    def __init__(self, folder: str, off: Sequence[str]) -> None:
        self.folder = folder
        self._off = off
        """What turns its filters off."""

    @property
    def filters(self) -> set[str]:
        """The names of filters that the configuration has."""
        keys = (
            it.partition("=")[0].split(".", 1)[1] for it in self._off if it.startswith("filter.")
        )
        return {it.rpartition(".")[0] for it in keys}

    async def run(
        self,
        *arguments: str,
        told: bytes = b"",
        env: dict[str, str] | None = None,
        limit: int = MOST,
        allowed: Sequence[int] = (0,),
    ) -> git.Ran:
        """Run git there. Raises `UserError` with what it says where it fails."""
        command = (*_ALONE, *self._off, *arguments)
        env = {"LC_ALL": "C", "LANGUAGE": ""} | (env or {})
        try:
            ran = await git.run(
                self.folder, command, told=told, env=env, limit=limit, patience=LONG
            )
        except FileNotFoundError as error:
            raise UserError(git.NO_GIT) from error
        except TimeoutError as error:
            raise CutOff(f"git {arguments[0]}: it takes too long") from error
        except (OSError, ValueError) as error:
            raise UserError(f"git {arguments[0]}: {error}") from error
        if ran.code < 0:
            raise CutOff(f"git {arguments[0]}: it was killed")
        if ran.code not in allowed:
            said = ran.said or ran.output[:200].decode("utf-8", "replace") or "it fails"
            raise UserError(f"git {arguments[0]}: {said.splitlines()[-1].removeprefix('fatal: ')}")
        return ran

    async def line(self, *arguments: str, env: dict[str, str] | None = None) -> str:
        """Return the one line that git prints. Raises `UserError`."""
        return os.fsdecode((await self.run(*arguments, env=env)).output).strip()

    async def commit_of(self, ref: str) -> str | None:
        """Return the commit that a name means; None: it means none."""
        ran = await self.run(
            "rev-parse", "-q", "--verify", f"{ref}^{{commit}}", allowed=(0, 1, 128)
        )
        return ran.output.decode().strip() or None

    async def modules(self) -> tuple[str, ...]:
        """Return the names of the submodules that are there, with a repository of their own."""
        listed = os.fsdecode((await self.run("ls-files", "-z", "--stage")).output).split("\0")
        names = (it.partition("\t")[2] for it in listed if it.startswith(MODULE))
        return _with_repository(self.folder, names)

    async def snapshot(self, message: str) -> Snapshot:
        """Make a commit of HEAD and what is not committed, without touching index or branch."""
        head, index = await self.commit_of("HEAD"), await self._path("index")
        with TemporaryDirectory() as folder:
            own = os.path.join(folder, "index")
            env = {"GIT_INDEX_FILE": own}
            if not await to_thread.run_sync(_copied, index, own):
                await self.run("read-tree", "HEAD", env=env)
            changed, left = await self._changed()
            names = "".join(f"{it}\0" for it in changed)
            adding = ("update-index", "--add", "--remove", "--replace", "-z", "--stdin")
            await self.run(*adding, told=os.fsencode(names), env=env)
            tree = await self.line("write-tree", env=env)
        commit = await self.line(
            "commit-tree", tree, *(("-p", head) if head else ()), "-m", message, env=_SELF
        )
        return Snapshot(commit, left)

    async def _path(self, name: str) -> str:
        return os.path.join(self.folder, await self.line("rev-parse", "--git-path", name))

    async def _changed(self) -> tuple[list[str], tuple[tuple[str, str], ...]]:
        """Return the files that are not as in the index, and those that are not taken, and why."""
        listing = ("ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard")
        output = os.fsdecode((await self.run(*listing)).output)
        names = sorted({*filter(None, output.split("\0"))} - {*await self.modules()})
        filtered = await self.filtered(names)
        why = {it: f"goes through the filter {by}" for it, by in filtered.items()}
        why |= await to_thread.run_sync(_odd, self.folder, names)
        return [it for it in names if it not in why], tuple(why.items())

    async def filtered(self, names: Iterable[str]) -> dict[str, str]:
        """Return those of these files that a filter of the configuration would change, with it."""
        told = os.fsencode("".join(f"{it}\0" for it in names))
        if not (told and self.filters):
            return {}
        ran = await self.run("check-attr", "-z", "--stdin", "filter", told=told)
        said = os.fsdecode(ran.output).split("\0")
        found = zip(said[::3], said[2::3], strict=False)
        return {name: by for name, by in found if by in self.filters}

    async def difference(self, old: str, new: str) -> tuple[Entry, ...]:
        """Return the files that two commits have different; a rename is a removal and a new one."""
        listing = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old, new)
        words = os.fsdecode((await self.run(*listing)).output).split("\0")
        return tuple(_entry(*it) for it in zip(words[::2], words[1::2], strict=False))

    async def contents(self, entries: Sequence[Entry], side: int) -> dict[str, bytes]:
        """Return what these files hold on that side (0: old, 1: new), as they are on a disk; those
        behind the limit are left out."""
        wanted = [it for it in entries if it.modes[side] not in (GONE, MODULE)]
        ran = await self.run(
            "cat-file", "--batch", told="\n".join(it.blobs[side] for it in wanted).encode()
        )
        found = dict(_cut(wanted, ran.output))
        blobs = {it.name: it.blobs[side] for it in wanted}
        for it in await self._converted(found):
            filtering = ("cat-file", "--filters", f"--path={it}", blobs[it])
            found[it] = (await self.run(*filtering)).output
        return found

    async def _converted(self, names: Iterable[str]) -> set[str]:
        """Return those of these files of which the disk has other bytes than git."""
        attributes = ("text", "eol", "ident", "working-tree-encoding")
        told = os.fsencode("".join(f"{it}\0" for it in names))
        ran = await self.run("check-attr", "-z", "--stdin", *attributes, told=told)
        words = os.fsdecode(ran.output).split("\0")
        said = zip(words[::3], words[1::3], words[2::3], strict=False)
        is_dos = (await self.run("config", "core.autocrlf", allowed=(0, 1))).output == b"true\n"
        return {name for name, key, value in said if _converts(key, value, is_dos=is_dos)}

    async def with_files(self, base: str, entries: Iterable[Entry], message: str) -> str:
        """Return a commit that is `base` but for these files, which it has as they are anew."""
        lines = [
            f"{'0' if it.modes[1] == GONE else it.modes[1]} {it.blobs[1]}\t{it.name}"
            for it in entries
        ]
        told = os.fsencode("".join(f"{it}\0" for it in lines))
        with TemporaryDirectory() as folder:
            env = {"GIT_INDEX_FILE": os.path.join(folder, "index")}
            await self.run("read-tree", base, env=env)
            await self.run("update-index", "-z", "--index-info", told=told, env=env)
            tree = await self.line("write-tree", env=env)
        return await self.line("commit-tree", tree, "-p", base, "-m", message, env=_SELF)


async def repository(folder: str) -> Repository:
    """Return the work tree at that folder. Raises `UserError` where there is none."""
    off = await git.without_filters(folder)
    if off is None:
        raise UserError(
            f"the filters and hooks in git's configuration of {folder} cannot be turned off"
        )
    found = Repository(folder, off)
    try:
        # older ones do not know that option
        top = await found.line("rev-parse", "--path-format=absolute", "--show-toplevel")
    except UserError as error:
        why = await git.reason(folder) or _why_none(folder, str(error))
        raise UserError(why) from error
    if not is_same(top, folder):
        raise UserError(f"{folder} is not the top of its work tree, which is {top}: :cd there")
    return found


class Part(Struct, frozen=True):
    """The repository of a worktree, or that of a submodule in it.

    `name`: where it is in the project, "" for the whole; `own`: the user's, `there`: the folder in
    the worktree.
    """

    name: str
    own: Repository
    there: str


async def parts(own: Repository, there: str, name: str = "") -> AsyncIterator[Part]:
    """Yield the repository and its submodules, the outer ones first."""
    yield Part(name, own, there)
    for module in await own.modules():
        place = os.path.join(own.folder, module)
        with suppress(UserError):  # a broken one is the user's to mend; its files are not there
            inner = await repository(place)
            async for it in parts(inner, os.path.join(there, module), os.path.join(name, module)):
                yield it


def _why_none(folder: str, said: str) -> str:
    """Return what to do where git has no work tree; `said`: by it."""
    if said == git.NO_GIT:
        return said
    if "bare" in said:
        return f"{folder} is bare, so that it has no work tree of git: :cd to one of its worktrees"
    return f"{folder} has no work tree of git: git init and git commit make one"


def _converts(key: str, value: str, *, is_dos: bool) -> bool:
    if key == "text":
        return is_dos and value != "unset"
    return value == "crlf" if key == "eol" else value not in ("unspecified", "unset")


def _with_repository(folder: str, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(it for it in names if os.path.lexists(os.path.join(folder, it, ".git")))


def _copied(path: str, copy: str) -> bool:
    try:
        shutil.copyfile(path, copy)
    except FileNotFoundError:
        return False
    return True


def _entry(said: str, name: str) -> Entry:
    old, new, one, other, _ = said.removeprefix(":").split()
    return Entry(name, (old, new), (one, other))


def _odd(folder: str, names: Iterable[str]) -> dict[str, str]:
    """Return those of the files that are not taken into a snapshot, and why."""
    found = ((it, _why_odd(os.path.join(folder, it))) for it in names)
    return {it: why for it, why in found if why}


def _why_odd(path: str) -> str:
    try:
        size = os.lstat(path).st_size
    except OSError:
        return ""
    if os.path.isdir(path) and not os.path.islink(path):
        return "is a repository of its own"
    return f"is larger than {LARGEST >> 20} MiB" if size > LARGEST else ""


def _cut(entries: Sequence[Entry], output: bytes) -> Iterator[tuple[str, bytes]]:
    at = 0
    for entry in entries:
        head, end, _ = output[at : at + 300].partition(b"\n")
        words = head.split()
        if not end or len(words) != 3 or not words[2].isdigit():  # cut off, or missing
            at += len(head) + 1
            continue
        start = at + len(head) + 1
        at = start + int(words[2]) + 1
        if at <= len(output):
            yield entry.name, output[start : at - 1]
