"""What git knows of a folder: its files, and what has changed in it.

Reads, for mentions and for baselines; each call has a limit of bytes and of time. Every call of git
is made here (`run`), also those of `worktrees`, and none runs what a configuration names:
a `.git/config` may be anyone's. (pygit2 would run nothing either, but is 5 MB of C that has its own
idea of what is ignored; dulwich is Python, and takes seconds for what git lists in 0.1.)
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from tempfile import TemporaryFile
from time import monotonic

import anyio
from anyio import to_thread
from anyio.abc import Process
from msgspec import Struct

from acp_nvim.errors import UserError
from acp_nvim.files.roots import inside
from acp_nvim.patterns import lazy_pattern
from acp_nvim.programs import start

MOST_NAMES = 20_000
"""File names that completion offers at most."""
MOST_FOLDERS = 5_000
"""Folders that are looked into where there is no repository."""
LISTING_LIMIT = 4_000_000
"""Bytes of names that are read at most."""
COMPLAINT_LIMIT = 4_000
"""Bytes that are read of what git says against a folder."""
PATIENCE = 10.0
"""Seconds that git may take."""
HUNG = 60.0
"""Seconds for which git is not asked in a folder where it has taken longer: who asks goes on."""
_hung: dict[str, float] = {}
"""Until when, by folder."""

NO_GIT = "git is not on your PATH: install it"
_HARMLESS = (
    *("--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    *("-c", "protocol.allow=never", "-c", "safe.bareRepository=explicit"),
    *("-c", "core.quotepath=false"),
)
_ALONE = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    # in a partial clone a diff would fetch what is missing, by a command of the configuration
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
}
_DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--no-color")
# A submodule has a configuration of its own, which `status` in it would obey.
_WITHIN = ("--submodule=short", "--ignore-submodules=dirty")
_COMMANDS = ("config", "-z", "--name-only", "--get-regexp", r"^(filter|hook)\.")
_SETTINGS = ("config", "-z", "--list", "--show-origin", "--includes")
_IGNORED = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
_INDEX = ("ls-files", "-z", "--stage", "--debug")
_OWN_RULES = ("rev-parse", "--git-path", "index", "--git-path", "info/exclude")
_IS_IGNORED = ("check-ignore", "-z", "--stdin")
_CONVERTING = {"core.autocrlf", "core.eol", "core.attributesfile"}
_BLOBS = ("cat-file", "--batch")
_ATTRIBUTES = ("check-attr", "-z", "--stdin", "filter", "ident", "working-tree-encoding")
_ENTRY = lazy_pattern(
    rb"100\d+ ([0-9a-f]+) 0\t([^\0]*)\0  ctime: \d+:\d+\n  mtime: (\d+):(\d+)\n"
    rb"  dev: \d+\tino: (\d+)\n  uid: \d+\tgid: \d+\n  size: (\d+)\tflags: [0-9a-f]+\n"
)
_LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")


class Tracked(Struct, frozen=True):
    """A file as git's index has it: its blob, and when, how large and which it was on disk then.

    `modified` in ns; `inode` has its last 32 bits only.
    """

    blob: str
    modified: int
    size: int
    inode: int


class Names(Struct, frozen=True):
    """Names of files relative to a folder; `whole`: these are all.

    What is no text in a name is a lone surrogate (`os.fsdecode`). A name that ends in "/" is that
    of another repository within.
    """

    names: tuple[str, ...]
    whole: bool


class Setting(Struct, frozen=True):
    """What a file of the configuration says; `key` is in lower case but for its middle."""

    file: str
    key: str
    value: str


async def diff(folder: str, limit: int) -> str:
    """Return what is not committed below a folder, staged or not; cut after so many bytes.

    Raises `UserError` where there is no repository.
    """
    off = await without_filters(folder)
    diffs = ((*_DIFF, "HEAD"), _DIFF)  # before the first commit there is no HEAD
    for arguments in diffs if off is not None else ():
        # below it only: `core.worktree` may be the home directory
        command = (*(off or ()), *arguments, *_WITHIN, "--", ".")
        output = await _output(folder, command, limit)
        if output is not None:
            text = output[:limit].decode("utf-8", "replace")
            return text if len(output) <= limit else text + "\n[the rest of the diff is left out]\n"
    why = await refusal(folder)
    raise UserError(f"there is no diff: {why or f'git does not answer in {folder}'}")


async def refusal(folder: str) -> str | None:
    """Return why git does not answer in a repository, and what to do; None where it does.

    Also None where there is no repository. Without git all files of the folder are looked at.
    """
    why = await reason(folder)
    return why and f"{why}. Until then .gitignore does not count, and there is no @diff"


async def reason(folder: str) -> str | None:
    """Return the same, without what comes of it."""
    above = await to_thread.run_sync(_repository, folder)
    said = await _complaint(folder) if above else ""
    if not above or not said:
        return None
    if said == NO_GIT:
        return said
    if "dubious ownership" in said:
        trusting = f"git config --global --add safe.directory {shlex.quote(above)}"
        return f"git refuses {above}, which belongs to another user: {trusting}"
    if "unknown option" in said or "usage: git" in said:
        return "your git is too old: install 2.31 or newer"
    first = said.splitlines()[0].removeprefix("fatal: ")[:200]
    return f"git does not read {above} ({first}): git status there says more"


def _repository(folder: str) -> str:
    """Return the folder with a `.git`, this one or the nearest above; "" if there is none."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    return folder


async def _complaint(folder: str) -> str:
    """Return what git says against listing a folder; "" where it does so, or is too slow."""
    # any name will do: what fails here fails for all
    arguments = ("--literal-pathspecs", *_LIST, "--", ".git")
    try:
        ran = await run(folder, arguments, env={"LC_ALL": "C", "LANGUAGE": ""})
    except TimeoutError:
        return ""
    except (OSError, ValueError):
        return NO_GIT
    return (ran.said or "it fails") if ran.code else ""


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


async def ignored_folders(folder: str, limit: int) -> set[str] | None:
    """Return the folders there in which git ignores whatever may come; None if it does not tell."""
    listed = await ignored(folder, limit)
    if listed is None or not listed.whole:
        return None
    names = "".join(f"{name}\0" for name in listed.names if name.endswith("/"))
    # without a rule of its own it only has nothing but ignored files; git fails if none has one
    output = await _output(folder, _IS_IGNORED, limit, os.fsencode(names)) if names else b""
    found = os.fsdecode(output or b"").split("\0")
    return {inside(folder) + name.rstrip("/") for name in found if name}


async def rules(folder: str) -> list[str]:
    """Return the files by which git decides what it lists there, besides those called .gitignore;
    none if it does not answer."""
    places = await _output(folder, _OWN_RULES, LISTING_LIMIT)
    if places is None:
        return []
    return _ruling(folder, os.fsdecode(places).splitlines(), await settings(folder) or ())


def _ruling(folder: str, own: Sequence[str], said: Sequence[Setting]) -> list[str]:
    names = [os.path.expanduser(it.value) for it in said if it.key == "core.excludesfile"]
    names += (os.path.join(_of_user(), name) for name in ("ignore", "config"))
    names += (*own, *(it.file for it in said), os.path.expanduser("~/.gitconfig"))
    return [os.path.join(folder, name) for name in dict.fromkeys(names)]


def of_user() -> set[str]:
    """Return what the files of the user's own configuration lead to, also where they are empty."""
    files = (os.path.expanduser("~/.gitconfig"), os.path.join(_of_user(), "config"))
    return {os.path.realpath(it) for it in files}


async def may_convert(folder: str) -> bool:
    """Return whether a file on disk may have other bytes than its blob, attributes apart that lie
    among the files."""
    said = await settings(folder)
    own = await _output(folder, ("rev-parse", "--git-path", "info/attributes"), LISTING_LIMIT)
    if own is None or said is None or any(it.key in _CONVERTING for it in said):
        return True
    here = os.path.join(folder, os.fsdecode(own).rstrip("\n"))
    places = here, os.path.join(_of_user(), "attributes"), "/etc/gitattributes"
    return await to_thread.run_sync(lambda: any(map(os.path.lexists, places)))


def _of_user() -> str:
    """Return the folder in which git looks for what a user says."""
    above = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(above, "git")


async def index_written(folder: str) -> int:
    """Return when git's index of a folder was written last, in ns; 0: there is none."""
    place = await _output(folder, ("rev-parse", "--git-path", "index"), LISTING_LIMIT) or b""
    path = os.path.join(folder, os.fsdecode(place.removesuffix(b"\n")))
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


async def index(folder: str, limit: int) -> dict[str, Tracked]:
    """Return what git's index says of the files that it tracks below a folder, by path.

    Reads so many bytes; what lies behind them is left out.
    """
    output = await _output(folder, _INDEX, limit) or b""
    return await to_thread.run_sync(_tracked, inside(folder), output[:limit])


async def blobs(folder: str, tracked: Mapping[str, Tracked], limit: int) -> dict[str, bytes]:
    """Return the bytes of tracked files as they were on disk, by path.

    Left out are those that a filter makes other bytes of, and those after so many bytes in all.
    """
    paths = [path for path in tracked if "\n" not in path]
    names = "".join(f"{path.removeprefix(inside(folder))}\0" for path in paths)
    converted = await _output(folder, _ATTRIBUTES, LISTING_LIMIT, os.fsencode(names))
    if converted is None or len(converted) > LISTING_LIMIT:
        return {}
    wanted = "".join(f"{tracked[path].blob}\n" for path in paths)
    output = await _output(folder, _BLOBS, limit, wanted.encode()) or b""
    kept = _unfiltered(inside(folder), os.fsdecode(converted).split("\0"))
    return dict(_cut(paths, output, kept, tracked))


def _tracked(start: str, output: bytes) -> dict[str, Tracked]:
    found: dict[str, Tracked] = {}
    for blob, path, seconds, rest, inode, size in _ENTRY.findall(output):
        modified = int(seconds) * 1_000_000_000 + int(rest)
        entry = Tracked(blob.decode(), modified, int(size), int(inode))
        found[start + os.fsdecode(path)] = entry
    return found


def _unfiltered(start: str, attributes: Sequence[str]) -> set[str]:
    """Return the paths of which no attribute says that git has other bytes than the disk."""
    said = list(zip(*[iter(attributes)] * 3, strict=False))
    filtered = {path for path, _, value in said if value not in ("unspecified", "unset")}
    return {start + path for path, _, _ in said if path not in filtered}


def _cut(
    paths: Sequence[str], output: bytes, kept: set[str], tracked: Mapping[str, Tracked]
) -> Iterator[tuple[str, bytes]]:
    at = 0
    for path in paths:
        head, end, _ = output[at : at + 200].partition(b"\n")
        words = head.split()
        if not end or len(words) != 3:  # cut off, or the blob is missing
            at += len(head) + 1
            continue
        start = at + len(head) + 1
        at = start + int(words[2]) + 1
        if path in kept and int(words[2]) == tracked[path].size and at <= len(output):
            yield path, output[start : at - 1]


async def settings(folder: str) -> list[Setting] | None:
    """Return the configuration that holds for a repository, without what we say ourselves; None:
    git did not end in time, or not by itself, so that nobody knows."""
    try:
        ran = await run(folder, _SETTINGS)
    except FileNotFoundError:
        return []
    except (OSError, TimeoutError):
        return None
    if ran.code < 0:
        return None
    words = os.fsdecode(b"" if ran.code else ran.output).split("\0")
    said = zip(words[::2], words[1::2], strict=False)
    own = ((origin[5:], it.partition("\n")) for origin, it in said if origin[:5] == "file:")
    return [Setting(file, key, value) for file, (key, _, value) in own]


async def _names(folder: str, arguments: tuple[str, ...], limit: int) -> Names | None:
    output = await _output(folder, arguments, limit)
    if output is None:
        return None
    complete, _, _ = output.rpartition(b"\0")
    names = os.fsdecode(complete).split("\0") if complete else []
    return Names(tuple(names), len(output) <= limit)


async def without_filters(folder: str) -> tuple[str, ...] | None:
    """Return the options that turn off all filters and hooks of the configuration; None if that
    cannot be.

    A filter is a command that git runs on the text of a file before it compares it. Of hooks that
    are configured (git 2.54) an empty `core.hooksPath` turns off none.
    """
    # without any git fails, as it does where there is no repository: then so will the diff
    listed = await _output(folder, _COMMANDS, LISTING_LIMIT) or b""
    names = {key.rpartition(".")[0] for key in os.fsdecode(listed).split("\0") if key}
    if len(listed) > LISTING_LIMIT or any("=" in name for name in names):  # -c cuts at the first
        return None
    off = (f"{name}.{part}" for name in sorted(names) for part in _OFF[name.partition(".")[0]])
    return tuple(word for setting in off for word in ("-c", setting))


_OFF = {
    "filter": ("clean=", "smudge=", "process=", "required=false"),
    "hook": ("event=", "enabled=false"),
}


def environment() -> dict[str, str]:
    """Return what git is run in: nothing that was said to another git."""
    inherited = {name: it for name, it in os.environ.items() if not name.startswith("GIT_")}
    return inherited | _ALONE


def _program() -> str:
    """Return the path of git; raises `OSError` where there is none. A project has none for us."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    found = shutil.which("git", path=os.pathsep.join(filter(os.path.isabs, folders)))
    if found is None:
        raise FileNotFoundError("git")
    return found


class Ran(Struct, frozen=True):
    """How a call of git has ended: what it printed, and what it said of errors."""

    code: int
    output: bytes
    said: str


def hangs(folder: str) -> bool:
    """Return whether git has not ended in time there lately: nobody knows what it would say."""
    return monotonic() < _hung.get(folder, 0.0)


@contextmanager
def _noting(folder: str) -> Iterator[None]:
    try:
        yield
        _hung.pop(folder, None)
    except TimeoutError:
        _hung[folder] = monotonic() + HUNG
        raise


async def run(
    folder: str,
    arguments: Sequence[str],
    *,
    limit: int = LISTING_LIMIT,
    told: bytes = b"",
    env: Mapping[str, str] | None = None,
    patience: float | None = None,
) -> Ran:
    """Run git in a folder; no more is read than `limit` bytes and a few: it is ended then.

    `told`: what it is to read; `env`: variables besides ours; `patience`: seconds, those of all for
    None. Raises `OSError`, `ValueError` for a null character, `TimeoutError`.
    """
    if patience is None:
        if hangs(folder):
            raise TimeoutError
        with _noting(folder):
            return await run(folder, arguments, limit=limit, told=told, env=env, patience=PATIENCE)
    command = [_program(), *_HARMLESS, "-C", folder, *arguments]
    # files: a pipe that git does not read while we do not read its answer would hold both
    with TemporaryFile() as words, TemporaryFile() as errors:
        words.write(told)
        words.seek(0)
        handles = words.fileno(), errors.fileno()
        env = {**environment(), **(env or {})}
        async with await start(command, env=env, stdin=handles[0], stderr=handles[1]) as process:
            try:
                with anyio.fail_after(patience):
                    output, code = await _read(process, limit)
            finally:
                if process.returncode is None:
                    process.kill()
        errors.seek(0)
        said = errors.read(COMPLAINT_LIMIT).decode("utf-8", "replace").strip()
    return Ran(code, output, said)


async def _output(
    folder: str, arguments: tuple[str, ...], limit: int, told: bytes = b""
) -> bytes | None:
    """Return the output, or its first `limit` bytes and a few more; None if it failed."""
    try:
        ran = await run(folder, arguments, limit=limit, told=told)
    except (OSError, TimeoutError):
        return None
    return None if ran.code else ran.output


async def _read(process: Process, limit: int) -> tuple[bytes, int]:
    output = bytearray()
    if process.stdout is not None:
        async for chunk in process.stdout:
            output += chunk
            if len(output) > limit:
                return bytes(output), 0
    return bytes(output), await process.wait()


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
