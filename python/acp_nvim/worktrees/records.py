"""Which worktrees there are: a file each, written before git makes anything and removed last.

So whatever a kill leaves behind is found again. The folder of a worktree lies beside its file, its
branch is `acp/NAME`, and what it began from, and was merged last, are commits of `refs/acp/NAME/`.
"""

from __future__ import annotations

import errno
import hashlib
import os
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from acp_nvim.files.roots import inside
from acp_nvim.patterns import lazy_pattern
from acp_nvim.storage import private

ENDING: Final = ".json"
_OTHERS = lazy_pattern(r"[^a-z0-9]+")


def is_same(one: str, other: str) -> bool:
    """Tell whether two names are of one folder."""
    return os.path.realpath(one) == os.path.realpath(other)


class Worktree(Struct, frozen=True):
    """A worktree of ours: of the project `home`, made for that agent."""

    name: str
    home: str
    folder: str
    agent: str
    since: float = 0.0
    """Seconds since 1970."""
    is_made: bool = False
    """False: making it did not end, or removing it has begun."""

    @property
    def branch(self) -> str:
        """The branch that it is on, at first."""
        return f"acp/{self.name}"

    @property
    def label(self) -> str:
        """What it is called in a list."""
        return f"{os.path.basename(self.home)} ⎇ {self.name}"

    def ref(self, what: str) -> str:
        """Return the name of its commit that is the `base`, or that was `merged` last."""
        return f"refs/acp/{self.name}/{what}"


class Check(Struct, frozen=True):
    """How `race.check` ended after that turn: its exit code, None if it did not, or by a signal."""

    turn: int
    code: int | None = None
    is_running: bool = False
    is_unwanted: bool = False


class Worktrees:
    """The records; `folder` is where they and the worktrees are: it is configured late."""

    def __init__(self, folder: str = "") -> None:
        self.folder = folder
        self.compared: dict[int, Any] = {}
        """Comparisons that are open (`comparing.Versions`, which is loaded late), by numbers."""
        self.checks: dict[str, Check] = {}
        """By folders, what the last check there said."""
        self._read: tuple[int, dict[str, Worktree]] = (-1, {})

    def all(self) -> tuple[Worktree, ...]:
        """Return those of all projects, the oldest first."""
        return tuple(sorted(self._known().values(), key=lambda it: it.since))

    def of(self, home: str) -> tuple[Worktree, ...]:
        """Return those of a project."""
        real = os.path.realpath(home)
        return tuple(it for it in self.all() if it.home == real)

    def at(self, folder: str) -> Worktree | None:
        """Return the worktree in which that folder is, None: it is in none."""
        return next((it for it in self.all() if inside(folder).startswith(inside(it.folder))), None)

    def home(self, folder: str) -> str:
        """Return the user's project to which a folder belongs: itself, unless it is a worktree."""
        found = self.at(folder)
        return folder if found is None else found.home

    def is_of(self, home: str, folder: str) -> bool:
        """Tell whether a folder is that project, or a worktree of it."""
        return is_same(home, self.home(folder))

    def is_gone(self, folder: str) -> bool:
        """Tell whether that was the folder of a worktree that was removed."""
        is_ours = folder.startswith(inside(os.path.realpath(self.folder)))
        return is_ours and not os.path.isdir(folder)

    def labels(self) -> Mapping[str, str]:
        """Return what the folder of each is called in a list."""
        return {it.folder: it.label for it in self.all()}

    def new(self, agent: str, home: str, taken: Collection[str]) -> Worktree:
        """Return one that is not there yet; `taken` are names that are in use otherwise."""
        real, top = os.path.realpath(home), os.path.realpath(self.folder)
        word = _plain(agent) or "agent"
        project = f"{_plain(os.path.basename(real)) or 'project'}-{_digest(real)}"
        names = (f"{word}-{number}" for number in count(1))
        used = {*taken, *(it.name for it in self.of(home))}
        name = next(
            it
            for it in names
            if it not in used and not os.path.lexists(os.path.join(top, f"{project}-{it}"))
        )
        folder = os.path.join(top, f"{project}-{name}")
        return Worktree(name, real, folder, agent, time.time())

    def claim(self, worktree: Worktree) -> None:
        """Make its record, before anything else of it; raises `OSError`, also if there is one."""
        path, is_ours = Path(worktree.folder + ENDING), False
        text = _text(worktree)
        try:
            with private.create(path) as file:
                is_ours = True
                file.write(text)
        except OSError:
            if is_ours:
                private.remove(path)
            raise
        self._read = (-1, {})

    def note(self, worktree: Worktree) -> None:
        """Keep its record. Raises `OSError`."""
        private.replace(Path(worktree.folder + ENDING), _text(worktree))
        self._read = (-1, {})

    def drop(self, worktree: Worktree) -> None:
        """Keep it no longer."""
        private.remove(Path(worktree.folder + ENDING))
        self._read = (-1, {})

    def _known(self) -> dict[str, Worktree]:
        folder = os.path.realpath(self.folder)
        try:
            written = os.stat(folder).st_mtime_ns
        except OSError:
            return {}
        if written != self._read[0]:
            found = sorted(Path(folder).glob(f"*{ENDING}"))
            self._read = written, {it.folder: it for it in map(_record, found) if it is not None}
        return self._read[1]


def _text(worktree: Worktree) -> str:
    """Return its record. Raises `OSError` where a path is not text."""
    try:
        return msgspec.json.encode(worktree).decode()
    except UnicodeEncodeError as error:
        raise OSError(errno.EILSEQ, f"{worktree.home!a} is not UTF-8") from error


def _record(path: Path) -> Worktree | None:
    """Return what a file says; None for one that does not speak of the folder beside it."""
    with (
        suppress(OSError, msgspec.MsgspecError, ValueError, RecursionError),
        private.read(path) as file,
    ):
        found = msgspec.json.decode(file.read(), type=Worktree)
        if found.folder + ENDING == str(path):
            return found
    return None


def _plain(text: str) -> str:
    """Return a word for a branch and a folder: what a system may read as another is left out."""
    return _OTHERS.sub("-", text.lower())[:40].strip("-")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:6]
