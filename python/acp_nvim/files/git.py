"""What git knows of a folder: its files, and what has changed in it.

Only reads; each call has a limit of bytes and of time. For mentions and for baselines.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from subprocess import DEVNULL

import anyio
from anyio import to_thread
from anyio.abc import Process

from acp_nvim.errors import UserError

MOST_NAMES = 20_000
"""File names that completion offers at most."""
MOST_FOLDERS = 5_000
"""Folders that are looked into where there is no repository."""
LISTING_LIMIT = 4_000_000
"""Bytes of names that are read at most."""
PATIENCE = 10.0
"""Seconds that git may take."""

_QUIET = ("-c", "core.fsmonitor=false", "-c", "core.quotepath=false")
_DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--no-color")
_IGNORED = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
_LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")


@dataclass(frozen=True, slots=True)
class Names:
    """Names of files relative to a folder; `whole`: these are all.

    What is no text in a name is a lone surrogate (`os.fsdecode`). A name that ends in "/" is that
    of another repository within.
    """

    names: tuple[str, ...]
    whole: bool


async def diff(folder: str, limit: int) -> str:
    """Return what is not committed, staged or not; cut after so many bytes.

    Raises `UserError` where there is no repository.
    """
    for arguments in ((*_DIFF, "HEAD"), _DIFF):  # before the first commit there is no HEAD
        output = await _output(folder, arguments, limit)
        if output is not None:
            text = output[:limit].decode("utf-8", "replace")
            return text if len(output) <= limit else text + "\n[the rest of the diff is left out]\n"
    raise UserError(f"there is no diff: git does not answer in {folder}")


async def files(folder: str) -> list[str]:
    """Return the names of files below a folder, relative to it, without what git ignores."""
    listed = await listing(folder, LISTING_LIMIT)
    if listed is None:
        return await to_thread.run_sync(_walk, folder)
    return sorted(filter(_is_plain, listed.names))[:MOST_NAMES]


async def listing(folder: str, limit: int, *only: str) -> Names | None:
    """Return what git tracks or would track below a folder; None if it does not answer.

    Names of deleted files are among them. Reads so many bytes of names; `only`: asks for these
    names and no others.
    """
    return await _names(folder, ("--literal-pathspecs", *_LIST, "--", *only), limit)


async def ignored(folder: str, limit: int) -> Names | None:
    """Return the same of what git ignores there; a folder that it ignores as a whole is one name
    that ends in "/"."""
    return await _names(folder, _IGNORED, limit)


async def _names(folder: str, arguments: tuple[str, ...], limit: int) -> Names | None:
    output = await _output(folder, arguments, limit)
    if output is None:
        return None
    complete, _, _ = output.rpartition(b"\0")
    names = os.fsdecode(complete).split("\0") if complete else []
    return Names(tuple(names), len(output) <= limit)


async def _output(folder: str, arguments: tuple[str, ...], limit: int) -> bytes | None:
    """Return the output, or its first `limit` bytes and a few more; None if it failed."""
    command = ["git", *_QUIET, "-C", folder, *arguments]
    env = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        async with await anyio.open_process(
            command, stdin=DEVNULL, stderr=DEVNULL, env=env
        ) as process:
            try:
                with anyio.fail_after(PATIENCE):
                    return await _read(process, limit)
            finally:
                if process.returncode is None:
                    process.kill()
    except (OSError, TimeoutError):
        return None


async def _read(process: Process, limit: int) -> bytes | None:
    output = bytearray()
    if process.stdout is not None:
        async for chunk in process.stdout:
            output += chunk
            if len(output) > limit:
                return bytes(output)
    return bytes(output) if await process.wait() == 0 else None


def _walk(folder: str) -> list[str]:
    """Return the files of a folder that is no repository, without those that are hidden."""
    names: list[str] = []
    for count, (path, folders, found) in enumerate(os.walk(folder)):
        folders[:] = sorted(it for it in folders if not it.startswith(".") and it != "node_modules")
        below = os.path.relpath(path, folder)
        names += (os.path.normpath(os.path.join(below, it)) for it in found if it[:1] != ".")
        if len(names) >= MOST_NAMES or count >= MOST_FOLDERS:
            break
    return sorted(filter(_is_plain, names))[:MOST_NAMES]


def _is_plain(name: str) -> bool:
    """Say whether a name can be typed and shown: nothing in it is no text, or cannot be seen."""
    return name.isprintable() and "\ufffd" not in name and bool(name)
