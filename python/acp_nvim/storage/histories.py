"""The history of each file on disk: a list of facts, to which every Neovim appends.

The list is the write-ahead log: what is about to be done to a file stands in it as `Begun` before
it is done, and counts from its `Done` on. So a killed host's facts are simply there. Nobody owns a
list: whoever acts reads on first what others have appended. Each append holds the lock of the file,
and is in the page cache when it returns: it survives the process, not a loss of power.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

import anyio
from msgspec import Struct, field
from msgspec.structs import replace

from acp_nvim.history.facts import Fact
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.storage import limits, private
from acp_nvim.storage.entries import (
    Begun,
    Done,
    Dropped,
    Entry,
    History,
    Restored,
    Stands,
    entry_of,
    text_of,
)
from acp_nvim.storage.in_order import InOrder
from acp_nvim.storage.record import dumped, loaded

ENDING: Final = ".history"
MOST_SETTLED: Final = 300
"""Histories that are kept although nothing in them waits for the user."""
MOST_FACTS: Final = 5_000
"""Facts of a history in which nothing waits; one of more begins anew with the text of now."""
PATIENCE: Final = 1.0
"""Seconds that an append waits for another Neovim's; one that is stopped must not hold this one."""
AGAIN = 10.0
"""Seconds after which what could not be written is tried again."""
VERSION: Final = 1
CUT: Final = ".cut"
"""The ending of a damaged list that was set aside."""
MOST_CUT: Final = 20
EXACT: Final = 2_000_000_000
"""Nanoseconds in which a folder may change without another time of change."""


class _Place(Struct):
    """Where the list of a file is, and how far it is known."""

    file: Path
    size: int = 0
    inode: int = 0
    others: bool = False
    """Others have appended between what is known and what was appended here."""
    waiting: int = 0
    """What is to be done with it and is not done yet."""
    unwritten: list[Entry] = field(default_factory=list)


class News(Struct, frozen=True):
    """What a list says that somebody has appended to, and how far it is read."""

    history: History
    since: int
    """How far it was known when it was read."""
    size: int = 0
    inode: int = 0


class _Damaged(Struct, frozen=True):
    """What stands in a list of which not all can be read, and what of it can."""

    text: str
    whole: str


class Histories:
    """All lists, in one folder, which is asked at each use, for it is configured late.

    What a disk refuses that is full or read-only is tried again.
    """

    def __init__(self, folder: Callable[[], str], disk: InOrder) -> None:
        """Take where they are, and who writes."""
        self._folder = folder
        self._disk = disk
        self._places: dict[str, _Place] = {}
        self._begun: dict[str, Begun] = {}
        self._something = anyio.Event()
        self._damaged: dict[Path, _Damaged] = {}
        self._listed = -1
        """When the folder had changed that was listed last; nothing may have come in it since."""

    # --- what is read

    def read_all(self) -> list[History]:
        """Return what is kept, the newest last; drop the oldest of what nobody waits for.

        Blocking.
        """
        found: dict[Path, History] = {}
        settled: list[Path] = []
        for file in sorted(Path(self._folder()).glob(f"*{ENDING}"), key=private.modified):
            news = self._read(file)
            if news is not None and (history := self.take(news)) is not None:
                found[file] = history
                settled += () if history.waits else (file,)
        for file in limits.drop(settled, most=MOST_SETTLED):
            self._places.pop(found.pop(file).path, None)
        for file in settled:
            known = found[file].file if file in found else None
            if known is not None and len(known.facts) > MOST_FACTS:
                found[file] = replace(found[file], file=begin(known.text))
                self._rewrite(found[file])
        return list(found.values())

    def is_behind(self, path: str) -> bool:
        """Return whether others have appended to the list of that file, or have removed it."""
        place = self._place(path)
        if place.waiting or place.unwritten:
            return False  # what was appended here is there before what others append behind it
        try:
            status = place.file.stat()
        except OSError:
            return place.size > 0
        known = place.size, place.inode, False
        return (status.st_size, status.st_ino, place.others) != known

    def news(self, known: History) -> News | None:
        """Return what the list of a file says beyond what is known, None if it cannot be read.

        Nothing if it is gone: it was forgotten elsewhere. It counts when it is taken.
        """
        place = self._place(known.path)
        if not place.others and (more := _more(place, known)) is not None:
            return more
        if not place.file.exists():
            return News(History(known.path), place.size)
        return self._read(place.file)

    def take(self, news: News) -> History | None:
        """Return what is known from now on, None if anything was appended here since it was read:
        then all is read again."""
        place = self._place(news.history.path)
        if place.waiting or place.unwritten or place.size != news.since:
            place.others = True
            return None
        place.size, place.inode, place.others = news.size, news.inode, False
        return news.history

    def has_unknown(self) -> bool:
        """Return whether others may have begun a list since `unknown` was asked last."""
        return self._listed != _changed_at(self._folder())

    def unknown(self) -> list[News]:
        """Return what the lists say that others have begun. Blocking."""
        changed = _changed_at(self._folder())
        known = {place.file for place in [*self._places.values()] if place.size}
        files = [it for it in Path(self._folder()).glob(f"*{ENDING}") if it not in known]
        found = [news for file in files if (news := self._read(file)) is not None]
        is_all = len(found) == len(files) and time.time_ns() - changed > EXACT
        self._listed = changed if is_all else -1
        return found

    def _read(self, file: Path) -> News | None:
        try:
            with private.read(file) as list_:
                status, text = os.fstat(list_.fileno()), list_.read()
        except OSError:
            return None
        head, *lines, open_end = text.split("\n") if "\n" in text else ("", "", "")
        path, version = _said(head)
        if not path or version != VERSION:
            if version in (None, VERSION):  # another version may still read its own
                self._damaged[file] = _Damaged(text, "")
            return None
        entries = [(line, entry) for line in lines if (entry := entry_of(loaded(line))) is not None]
        if len(entries) < sum(map(bool, lines)) or open_end or not entries:
            whole = _lines(head, *(line for line, _ in entries)) if entries else ""
            self._damaged[file] = _Damaged(text, whole)
        since = self._place(path).size
        history = History(path).then(*(entry for _, entry in entries))
        return News(history, since, status.st_size, status.st_ino)

    def set_aside(self) -> int:
        """Give lists that are damaged another name, and keep what of them is whole; return how many
        there were. No kill does that, but a loss of power may. Blocking."""
        damaged, self._damaged = self._damaged, {}
        count = 0
        for file, it in damaged.items():
            with suppress(OSError):
                count += _set_aside(file, it)
        with suppress(OSError):
            limits.drop(Path(self._folder()).glob(f"*{CUT}"), most=MOST_CUT)
        return count

    # --- what is appended

    def append(self, path: str, entries: Sequence[Entry], file: File | None) -> None:
        """Append entries to the list of a file, soon; `file`: as it is with them, which is written
        as a whole where there is no list."""
        self._do(path, partial(self._append, path, self._place(path), tuple(entries), file))

    def begin(self, path: str, begun: Begun, file: File | None) -> None:
        """Append what is about to be done; its end follows, or `flush` drops it."""
        self._begun[path] = begun
        self.append(path, (begun,), file)

    def ended(self, path: str, facts: Sequence[Fact]) -> tuple[Entry, ...]:
        """Return how to append these facts: as the end of what was begun, if they are what counts
        then."""
        begun = self._begun.pop(path, None)
        if begun is None:
            return tuple(facts)
        count = len(begun.facts)
        if tuple(facts[:count]) == begun.facts:
            return (Done(begun.host), *facts[count:])
        return (Dropped(begun.host), *facts)

    def forget(self, path: str) -> None:
        """Keep nothing of that file any more."""
        self._begun.pop(path, None)
        self._do(path, partial(self._forget, self._place(path)))

    def flush(self) -> bool:
        """Write now what waits; what was begun and not done is dropped. Blocking.

        False: not all of it could be.
        """
        for path, begun in list(self._begun.items()):
            self.append(path, (Dropped(begun.host),), None)
        self._begun.clear()
        self._disk.finish(self._write_rest)
        return not any(place.unwritten for place in self._places.values())

    def is_settled(self) -> bool:
        """Return whether all is on disk."""
        return not any(it.waiting or it.unwritten for it in self._places.values())

    async def run(self) -> None:
        """Try again what could not be written, for ever."""
        while True:
            await self._something.wait()
            await anyio.sleep(AGAIN)
            if self.is_settled():
                self._something = anyio.Event()
            self._disk.do(self._write_rest)

    def _do(self, path: str, deed: Callable[[], None]) -> None:
        place = self._place(path)

        def done() -> bool:
            try:
                deed()
            finally:
                place.waiting -= 1
            return True

        place.waiting += 1
        self._something.set()
        self._disk.do(done)

    def _place(self, path: str) -> _Place:
        if path not in self._places:
            # a path may be anything, of any length
            name = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:32]
            # a thread may ask for it, too: both have the same one
            self._places.setdefault(path, _Place(Path(self._folder(), name + ENDING)))
        return self._places[path]

    # --- in the thread

    def _append(
        self, path: str, place: _Place, entries: tuple[Entry, ...], file: File | None
    ) -> None:
        place.unwritten += entries
        _write(path, place, file)

    def _forget(self, place: _Place) -> None:
        private.remove(place.file)
        place.size, place.inode, place.others = 0, 0, False
        place.unwritten.clear()

    def _write_rest(self) -> bool:
        """Try all, whatever the disk says of one; tell whether all is written that was not."""
        trouble: OSError | None = None
        rest = [(path, place) for path, place in [*self._places.items()] if place.unwritten]
        for path, place in rest:
            try:
                _write(path, place, None)
            except OSError as error:
                trouble = error
        if trouble is not None:
            raise trouble
        return bool(rest)

    def _rewrite(self, history: History) -> None:
        """Let the list say no more than its file."""
        place = self._place(history.path)
        facts = () if history.file is None else history.file.facts
        with suppress(OSError), _opened(place.file, os.O_RDWR) as (handle, is_locked):
            # else another Neovim goes on with it
            if is_locked and os.fstat(handle).st_size == place.size:
                private.replace(place.file, _lines(_head(history.path), *map(text_of, facts)))
                status = place.file.stat()
                place.size, place.inode = status.st_size, status.st_ino


def _head(path: str) -> str:
    return dumped({"acp_history": VERSION, "path": path})


def _said(head: str) -> tuple[str, object]:
    """Return what a first line says: of which file the list is, and in which version."""
    said = loaded(head)
    said = said if isinstance(said, dict) else {}
    path = said.get("path")
    return path if isinstance(path, str) else "", said.get("acp_history")


def _lines(*texts: str) -> str:
    return "".join(f"{text}\n" for text in texts)


@contextmanager
def _opened(file: Path, flags: int) -> Iterator[tuple[int, bool]]:
    """Open a file, locked; False: somebody else has it locked for too long. Raises `OSError`."""
    end, handle = time.monotonic() + PATIENCE, None
    with suppress(OSError):  # there are no locks; what else is wrong is raised below
        while (handle := private.locked(file, flags)) is None and time.monotonic() < end:
            time.sleep(0.005)
    is_locked = handle is not None
    handle = private.opened(file, flags) if handle is None else handle
    try:
        yield handle, is_locked
    finally:
        os.close(handle)


def _more(place: _Place, known: History) -> News | None:
    """Return what was appended to a list of which the rest is known; None: that is not all."""
    since = place.size
    try:
        with private.read(place.file) as list_:
            status = os.fstat(list_.fileno())
            if status.st_ino != place.inode or not 0 < since < status.st_size:
                return None
            list_.seek(since)
            *lines, open_end = list_.read().split("\n")
    except OSError:
        return None
    found = [entry_of(loaded(line)) for line in lines if line]
    entries = [it for it in found if it is not None]
    if len(entries) < len(found) or open_end:
        return None
    return News(known.then(*entries), since, status.st_size, status.st_ino)


def _write(path: str, place: _Place, file: File | None) -> None:
    """Append what is not written yet, all of it or nothing: what is tried again must not be there
    twice. Without the lock nothing is taken back, for it may be another Neovim's."""
    private.make_folder(place.file.parent)
    with _opened(place.file, os.O_RDWR | os.O_APPEND | os.O_CREAT) as (handle, is_locked):
        status = os.fstat(handle)
        if status.st_size == 0:
            entries = place.unwritten if file is None else [*file.facts, *_rest(place)]
            data = _lines(_head(path), *map(text_of, entries))
        else:
            is_known = (status.st_size, status.st_ino) == (place.size, place.inode)
            place.others = place.others or not is_known
            is_whole = os.pread(handle, 1, status.st_size - 1) == b"\n"
            data = ("" if is_whole else "\n") + _lines(*map(text_of, place.unwritten))
        try:
            private.write(handle, data.encode())
        except OSError:
            if is_locked:
                with suppress(OSError):
                    os.ftruncate(handle, status.st_size)
            raise
        status = os.fstat(handle)
        place.size, place.inode = status.st_size, status.st_ino
        place.unwritten.clear()


def _changed_at(folder: str) -> int:
    """Return when something came into a folder, or went; 0 if it is not there."""
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0


def _rest(place: _Place) -> list[Entry]:
    """Return what is to be written besides the facts of a file, which count as they are."""
    rest: list[Entry] = []
    for entry in place.unwritten:
        if isinstance(entry, Done | Dropped):
            rest = [it for it in rest if not (isinstance(it, Begun) and it.host == entry.host)]
        elif isinstance(entry, Begun | Stands | Restored):
            rest.append(entry)
    return rest


def _set_aside(file: Path, damaged: _Damaged) -> bool:
    """Keep a copy of a list, and in its place what of it is whole; not if it is another by now."""
    with _opened(file, os.O_RDWR) as (_, is_locked):
        with private.read(file) as list_:
            text = list_.read()
        if not is_locked or text != damaged.text:
            return False  # another Neovim was writing it, or has set it aside
        private.replace(file.with_name(file.name + CUT), text)
        if damaged.whole:
            private.replace(file, damaged.whole)
        else:
            private.remove(file)
        return True
