"""What whoever comes after a host that was killed must know besides the histories of files.

That is the turns that run, and what the user has written meanwhile; and, in a file of its own, what
the project's files held. The host's name stands in what it has begun (`storage.histories`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import anyio
from msgspec import Struct, field

from acp_nvim.history.author import Author, SessionKey
from acp_nvim.storage import private
from acp_nvim.storage.hosts import HostFiles
from acp_nvim.storage.in_order import InOrder
from acp_nvim.storage.record import Record

FOLDER: Final = "turns"
"""Of the files, within that of the histories."""
BEAT: Final = 0.7
"""Seconds between two signs of life while there is something in the journal."""
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


class Running(Struct, frozen=True, omit_defaults=True):
    """A turn that runs in these folders."""

    author: Author
    folders: tuple[str, ...] = ()


class State(Struct, frozen=True, omit_defaults=True):
    """The turns that run; the stamps of files as the user has `saved` them last meanwhile."""

    turns: tuple[Running, ...] = ()
    saved: Mapping[str, str] = field(default_factory=dict)


STATE: Final = Record(State, "acp_turns", 1)


class Killed(Struct, frozen=True):
    """What a host has left that is gone; `at`: when it was last known to live, in ns since 1970."""

    path: Path
    at: int
    turns: tuple[Running, ...]
    saved: Mapping[str, str]

    @property
    def sights(self) -> Path:
        """The file of what the project's files held."""
        return _sights(self.path)

    def over(self) -> None:
        """All that it tells of is in the histories now."""
        private.remove(self.sights)
        private.remove(self.path)


class Journal:
    """Takes note at once; once the disk refuses something, not before the next turn."""

    def __init__(self, folder: Callable[[], str], disk: InOrder) -> None:
        """Take where the histories are, and who writes."""
        self._new = partial(HostFiles, lambda: Path(folder(), FOLDER), ".turns")
        self._files = self._new()
        self._sights: int | None = None
        self._is_broken = False
        self._turns: dict[SessionKey, Running] = {}
        self._saved: dict[str, str] = {}
        self._line = ""
        """The last one that was written."""
        self._something = anyio.Event()
        self._lock = threading.RLock()
        self._disk = disk

    @property
    def name(self) -> str:
        """This host's."""
        return self._files.name

    # --- what is noted

    def begin(self, author: Author, folders: tuple[str, ...]) -> None:
        """The turn of that author runs in these folders from now on, and none before it."""
        self._turns[author.session_key] = Running(author, folders)
        self._disk.do(self._try_again)
        self._note()

    def end(self, author: Author) -> None:
        """All that the turn has done is noted."""
        running = self._turns.get(author.session_key)
        if running is not None and running.author.turn_key == author.turn_key:
            del self._turns[author.session_key]
            self._saved = self._saved if self._turns else {}
            self._note()

    def saved(self, path: str, stamp: str) -> None:
        """The user has written that file: if a turn runs, it is none of its that it is so."""
        if self._turns:
            self._saved.pop(path, None)
            self._saved[path] = stamp
            for old in [*self._saved][:-MOST_SAVED]:
                del self._saved[old]
            self._note()

    def live(self) -> str:
        """Return the host's name, which others can tell to be alive from now on; "" on a disk that
        does not keep it."""
        self._something.set()
        self._disk.do(self._open)
        return "" if self._is_broken else self.name

    def see(self, data: bytes, *, anew: bool) -> None:
        """Keep what files held; `anew`: it takes the place of all that was kept. Blocking.

        All that was noted until then is kept before: what is seen is not looked at again.
        """
        self._disk.finish(partial(self._see, data, anew=anew))

    def _note(self) -> None:
        self._something.set()
        self._disk.do(self._write)

    # --- its life

    async def run(self) -> None:
        """Show that the host lives, for ever; whoever shares the disk with it runs that."""
        while True:
            await self._something.wait()
            await anyio.sleep(BEAT)
            self._disk.do(self.beat)
            if not self._turns:
                self._something = anyio.Event()

    def beat(self) -> None:
        """Show that the host lives. Blocking; raises `OSError`."""
        with self._breaking():
            self._files.beat()

    def close(self) -> None:
        """The host ends: leave only the turns that run."""
        self._disk.finish(self.beat)
        if not self._turns:
            path = self._files.path(self.name)
            private.remove(_sights(path))
            private.remove(path)
            self.drop()

    def has(self, name: str) -> bool:
        """Return whether there is a journal of that name."""
        return self._files.path(name).exists()

    def drop(self) -> None:
        """Let go of the files as they are: all that a kill does."""
        with self._lock:
            self._files.let_go()
            if self._sights is not None:
                os.close(self._sights)
                self._sights = None

    def killed(self) -> Iterator[Killed]:
        """Yield what hosts have left that are gone, the oldest first; each is ours until the next.

        What was noted too long ago, or too many hosts ago, goes.
        """
        for old in self._files.drop_old(most=MOST_KILLED, days=MOST_DAYS):
            private.remove(_sights(old))
        for it in self._files.gone():
            state = STATE.from_text(it.line) or State()
            yield Killed(it.path, it.at, state.turns, state.saved)

    # --- in the thread that writes

    def _try_again(self) -> None:
        self._is_broken = False

    def _write(self) -> bool:
        state = State(tuple(self._turns.values()), self._saved.copy())
        line = STATE.to_text(state).strip()
        if self._is_broken or line == self._line:  # what has come since was written already
            return False
        self._open()
        with self._breaking():
            self._files.write(line)
        self._line = line
        return True

    def _open(self) -> None:
        if not (self._is_broken or self.has(self.name)):
            with self._breaking():
                folder = self._files.path(self.name).parent
                private.make_folder(folder.parent)
                for name, text in SIGNS.items():
                    private.replace(folder / name, text)
                self._files.open()

    def _see(self, data: bytes, *, anew: bool) -> None:
        self._open()
        with self._breaking():
            if self._is_broken:
                return
            if self._sights is not None and not anew:
                private.write(self._sights, data)
                return
            path = _sights(self._files.path(self.name))
            private.replace(path, data)
            handle = private.opened(path, os.O_WRONLY | os.O_APPEND)
            if self._sights is not None:
                os.close(self._sights)
            self._sights = handle

    @contextmanager
    def _breaking(self) -> Iterator[None]:
        """Give up where the disk refuses something; what was written until then stays, should the
        host be killed."""
        with self._lock:
            try:
                yield
            except OSError:
                self._is_broken = True
                self.drop()
                self._files, self._line = self._new(), ""
                raise


def _sights(path: Path) -> Path:
    return path.with_suffix(".sights")
