"""What whoever comes after a host that was killed must know besides the histories of files.

Each host has a file of lines, the turns that run, and one of what the project's files held. Both
are in the page cache, not synced: they survive the process, not the machine. A lock tells that the
host lives; its name stands in what it has begun (`storage.histories`).
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final, Literal, TypeAlias
from uuid import uuid4

import anyio
from msgspec import Struct

from acp_nvim.history.author import Author, SessionKey
from acp_nvim.storage import limits, private
from acp_nvim.storage.in_order import InOrder
from acp_nvim.storage.record import Record

FOLDER: Final = "turns"
"""Of the files, within that of the histories."""
BEAT: Final = 0.7
"""Seconds between two signs of life while there is something in the journal."""
MOST_ACTS: Final = 1 << 20
"""Bytes of acts; of more only those are kept that are not over."""
MOST_SAVED: Final = 1000
"""Files of which it is known that the user has written them while a turn runs."""
MOST_KILLED: Final = 10
"""Journals of killed hosts that are kept until their projects are there again."""
MOST_DAYS: Final = 30
"""For so long."""

SIGNS: Final = {
    "CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
    ".gitignore": "*\n",
}
"""Files that keep backups, git, and our own looking out of the folder, if it is in a project."""


Kind: TypeAlias = Literal["begin", "end", "saved"]


class Act(Struct, frozen=True):
    """One line. "begin" and "end": of a turn of `author` in `folders`.

    "saved": the user has written the file, `stamp`.
    """

    kind: Kind
    path: str = ""
    author: Author | None = None
    folders: tuple[str, ...] = ()
    stamp: str = ""


ACTS: Final = Record(Act, "acp_act", 2)


class Killed(Struct, frozen=True):
    """What a host has left that is gone."""

    name: str
    at: int
    """When it was last known to live, in ns since 1970."""
    acts: tuple[Act, ...]
    sights: Path
    """The file of what the project's files held."""
    handle: int

    @property
    def turns(self) -> tuple[Act, ...]:
        """The turns that ran."""
        running: dict[SessionKey, Act] = {}
        for act in self.acts:
            if act.author is not None and act.kind == "begin":
                running[act.author.session_key] = act
            elif act.author is not None and act.kind == "end":
                _ended(running, act.author)
        return tuple(running.values())

    @property
    def saved(self) -> dict[str, str]:
        """The stamps of files as the user has written them last while a turn ran."""
        return {act.path: act.stamp for act in self.acts if act.kind == "saved"}


def _ended(turns: dict[SessionKey, Act], author: Author) -> bool:
    """Take that turn out; False if another one runs in the session by now, or none."""
    running = turns.get(author.session_key)
    if running is None or running.author is None or running.author.turn_key != author.turn_key:
        return False
    del turns[author.session_key]
    return True


class Journal:
    """Takes note at once; a disk that is full or read-only costs the journal, not the session.

    That is told, and with the next turn it is tried again.
    """

    def __init__(
        self, folder: Callable[[], str], report: Callable[[OSError], None], disk: InOrder
    ) -> None:
        """Take where it is, who is told why nothing is kept safe any more, and who writes."""
        self._folder = folder
        self._report = report
        self.name = ""
        """Of its files, without their endings; "" before anything is noted."""
        self._acts: int | None = None
        self._sights: int | None = None
        self._broken = False
        self._is_told = False
        """That it is broken was told, and nothing was noted since."""
        self._trouble: OSError | None = None
        """Of which nobody was told yet: it may have come up in a thread."""
        self._turns: dict[SessionKey, Act] = {}
        self._saved: dict[str, Act] = {}
        self._size = 0
        """Bytes of the acts."""
        self._spent = ""
        """The name of a journal that was given up."""
        self._taken: set[int] = set()
        self._something = anyio.Event()
        self._lock = threading.RLock()
        self._disk = disk

    # --- what is noted

    def begin(self, author: Author, folders: tuple[str, ...]) -> None:
        """The turn of that author runs in these folders from now on, and none before it."""
        self._disk.do(self._try_again)
        self._turns[author.session_key] = self._note(Act("begin", author=author, folders=folders))

    def end(self, author: Author) -> None:
        """All that the turn has done is noted."""
        if _ended(self._turns, author):
            self._note(Act("end", author=author))
        if not self._turns:
            self._saved.clear()

    def saved(self, path: str, stamp: str) -> None:
        """The user has written that file: if a turn runs, it is none of its that it is so."""
        if self._turns:
            self._saved.pop(path, None)
            self._saved[path] = self._note(Act("saved", path=path, stamp=stamp))
            for old in [*self._saved][:-MOST_SAVED]:
                del self._saved[old]

    def live(self) -> str:
        """Return the host's name, which others can tell to be alive from now on; "" on a disk that
        does not keep it."""
        self._something.set()
        if not self._broken:
            self._take_name()
            self._disk.do(self._show)
        return self.name

    def _show(self) -> None:
        with self._safely():
            self._open()

    def see(self, data: bytes, *, anew: bool) -> None:
        """Keep what files held; `anew`: it takes the place of all that was kept. Blocking.

        All that was noted until then is kept before: what is seen is not looked at again.
        """
        self._disk.finish()
        with self._safely():
            self._open()
            if self._acts is None:
                return
            if self._sights is None or anew:
                self._replace_sights(data)
            else:
                private.write(self._sights, data)

    # --- its life

    async def run(self) -> None:
        """Show that the host lives, for ever; whoever shares the disk with it runs that."""
        while True:
            await self._something.wait()
            await anyio.sleep(BEAT)
            self._disk.do(self.beat)
            self._tell()
            if self._size > MOST_ACTS:
                self._disk.do(partial(self._rewrite, self._stays()))
            if not self._turns:
                self._something = anyio.Event()

    def beat(self) -> None:
        """Show that the host lives. Blocking."""
        with self._safely():
            if self._acts is not None:
                os.utime(self._acts)

    def _tell(self) -> None:
        trouble, self._trouble = self._trouble, None
        if trouble is not None:
            self._report(trouble)

    def _stays(self) -> tuple[Act, ...]:
        return (*self._turns.values(), *self._saved.values())

    def _rewrite(self, acts: tuple[Act, ...]) -> None:
        stays = "".join(map(ACTS.to_text, acts)).encode()
        with self._safely():
            self._size = len(stays)
            if self._acts is not None:
                os.lseek(self._acts, 0, os.SEEK_SET)
                private.write(self._acts, stays)
                os.ftruncate(self._acts, os.lseek(self._acts, 0, os.SEEK_CUR))

    def close(self) -> None:
        """The host ends: leave only the turns that run."""
        self._disk.finish()
        with self._safely():
            if self._acts is None:
                return
            if self._turns:
                os.utime(self._acts)
                return
            sights, acts = self._paths(self.name)
            private.remove(sights)
            private.remove(acts)
            self.drop()

    def has(self, name: str) -> bool:
        """Return whether there is a journal of that name."""
        return self._paths(name)[1].exists()

    def drop(self) -> None:
        """Let go of the files as they are: all that a kill does."""
        with self._lock:
            for handle in (self._acts, self._sights, *self._taken):
                if handle is not None:
                    os.close(handle)
            self._acts = self._sights = None
            self._taken.clear()

    # --- those of others

    def killed(self) -> list[Killed]:
        """Return what hosts have left that are gone, the oldest first. Blocking.

        Each is this host's until it is given to `over`, or back by `later`.
        """
        ACTS.to_text(Act("end"))  # what takes a moment the first time is done in this thread
        with suppress(OSError):
            paths = sorted(Path(self._folder(), FOLDER).glob("*.acts"), key=private.modified)
            found = [self._take(path) for path in paths if path.stem != self.name]
            killed = [it for it in found if it is not None]
            is_old = limits.old([it.at / 1e9 for it in killed], MOST_DAYS)
            kept = [it for it in killed[-MOST_KILLED:] if not is_old(it.at / 1e9)]
            for it in killed:
                if it not in kept:
                    self.over(it)
            return kept
        return []

    def over(self, killed: Killed) -> None:
        """All that it tells of is in the histories now."""
        private.remove(killed.sights)
        private.remove(self._paths(killed.name)[1])
        self.later(killed)

    def later(self, killed: Killed) -> None:
        """Leave it for another time."""
        if killed.handle in self._taken:
            self._taken.discard(killed.handle)
            os.close(killed.handle)

    def _take(self, path: Path) -> Killed | None:
        handle = None
        with suppress(OSError):  # what somebody else has put there is none, and hides no other
            handle = private.locked(path, os.O_RDWR)
        if handle is None:
            return None
        self._taken.add(handle)
        at = os.fstat(handle).st_mtime_ns
        lines = path.read_text("utf-8", "replace").splitlines()
        acts = tuple(act for line in lines if (act := ACTS.from_text(line)) is not None)
        return Killed(path.stem, at, acts, self._paths(path.stem)[0], handle)

    # --- files

    def _note(self, act: Act) -> Act:
        self._something.set()
        if not self._broken:
            self._take_name()
        self._disk.do(partial(self._append, act))
        return act

    def _append(self, act: Act) -> None:
        data = ACTS.to_text(act).encode()  # of a large file it takes long
        with self._safely():
            self._size += len(data)
            self._open()
            if self._acts is not None:
                private.write(self._acts, data)
                self._is_told = False

    def _take_name(self) -> None:
        if self.name == self._spent:
            self.name = uuid4().hex

    def _try_again(self) -> None:
        self._broken = False

    def _open(self) -> None:
        if self._acts is not None or self._broken:
            return
        folder = Path(self._folder(), FOLDER)
        for made in (folder.parent, folder):
            private.make_folder(made)
        for name, text in SIGNS.items():
            private.replace(folder / name, text)
        self._take_name()
        self._acts = private.locked(self._paths(self.name)[1], os.O_RDWR | os.O_CREAT | os.O_EXCL)
        if self._acts is None:
            raise BlockingIOError("the journal cannot be locked")

    def _replace_sights(self, data: bytes) -> None:
        path = self._paths(self.name)[0]
        new = path.with_suffix(".new")
        private.remove(new)
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            private.write(handle, data)
            os.replace(new, path)
        except OSError:
            os.close(handle)
            private.remove(new)
            raise
        if self._sights is not None:
            os.close(self._sights)
        self._sights = handle

    def _paths(self, name: str) -> tuple[Path, Path]:
        folder = Path(self._folder(), FOLDER)
        return folder / f"{name}.sights", folder / f"{name}.acts"

    @contextmanager
    def _safely(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except OSError as error:
                self._fail(error)

    def _fail(self, error: OSError) -> None:
        """Give up; what was written until now stays, should the host be killed."""
        self._broken, self._spent = True, self.name
        if self._acts is None:
            self.name = self._spent = ""
        self.drop()
        if self._is_told:
            return
        self._is_told = True
        # stderr is the plugin's log
        sys.stderr.write(f"acp: what agents do is not kept safe from a kill any more: {error}\n")
        self._trouble = error
