"""The history of each file on disk: a list of facts, to which every Neovim appends.

The list is the write-ahead log: what is about to be done to a file stands in it as `Begun` before
it is done, and counts from its `Done` on. So a killed host's facts are simply there. Nobody owns a
list: whoever acts reads on first what others have appended. Each append holds the lock of the file,
and is in the page cache when it returns: it survives the process, not a loss of power.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import anyio
from msgspec import Struct, field

from acp_nvim.history.conflict import Conflict
from acp_nvim.history.facts import Began, Fact
from acp_nvim.history.file import File
from acp_nvim.history.fold import apply
from acp_nvim.history.review import changes
from acp_nvim.history.switch import undone
from acp_nvim.storage import limits, private
from acp_nvim.storage.entries import FACTS, Begun, Done, Dropped, Entry, Stands, entry_of, text_of
from acp_nvim.storage.in_order import InOrder
from acp_nvim.storage.record import dumped, loaded

ENDING: Final = ".history"
MOST_SETTLED: Final = 300
"""Histories that are kept although nothing in them waits for the user."""
MOST_FACTS: Final = 5_000
"""Facts of a history in which nothing waits; one of more begins anew with the text of now."""
PATIENCE: Final = 1.0
"""Seconds that an append waits for another Neovim's; one that is stopped must not hold this one."""
SOON, AGAIN = 0.3, 10.0
"""Seconds after which trouble is told, and after which what could not be written is tried again."""
VERSION: Final = 1
CUT: Final = ".cut"
"""The ending of a damaged list that was set aside."""
MOST_CUT: Final = 20


class Book(Struct):
    """What the list of a file says: its history, what stands against it, what was begun in it."""

    path: str
    file: File | None = None
    conflict: Conflict | None = None
    begun: dict[str, Begun] = field(default_factory=dict)

    def take(self, entry: Entry) -> None:
        """Take in one more entry."""
        match entry:
            case Begun(host):
                self.begun[host] = entry
            case Done(host):
                begun = self.begun.pop(host, None)
                for fact in () if begun is None else begun.facts:
                    self._apply(fact)
            case Dropped(host):
                self.begun.pop(host, None)
            case Stands(conflict):
                self.conflict = conflict
            case _:
                self._apply(entry)

    def _apply(self, fact: Fact) -> None:
        if self.file is not None or isinstance(fact, Began):
            # it may be of another text: two hosts have appended at once
            with suppress(LookupError, ValueError):
                self.file = apply(self.file or File(), fact)

    @property
    def waits(self) -> bool:
        """Whether something in it waits for the user: a hunk, a conflict, an undo to be redone."""
        file = self.file
        return bool(self.conflict or self.begun or (file and (changes(file) or undone(file))))


class _Place(Struct):
    """Where the list of a file is, and how far it is known."""

    file: Path
    size: int = 0
    inode: int = 0
    others: bool = False
    """Others have appended between what is known and what was appended here."""
    waiting: int = 0
    """Appends that are not on disk yet."""
    unwritten: list[Entry] = field(default_factory=list)


class _Damaged(Struct, frozen=True):
    """What stands in a list of which not all can be read, and what of it can."""

    text: str
    whole: str


class Histories:
    """All lists, in one folder, which is asked at each use, for it is configured late.

    A disk that is full or read-only costs what was to be kept, not the session: `report` is told
    once, and it is tried again.
    """

    def __init__(
        self,
        folder: Callable[[], str],
        report: Callable[[OSError], None] = lambda _error: None,
        disk: InOrder | None = None,
    ) -> None:
        """Take where they are, who is told why something is not kept, and who writes."""
        self._folder = folder
        self._report = report
        self._places: dict[str, _Place] = {}
        self._disk = disk or InOrder()
        self._begun: dict[str, Begun] = {}
        self._something = anyio.Event()
        self._trouble: OSError | None = None
        self._is_told = False
        self._damaged: dict[Path, _Damaged] = {}

    # --- what is read

    def read_all(self) -> list[Book]:
        """Return what is kept, the newest last; drop the oldest of what nobody waits for."""
        books: dict[Path, Book] = {}
        for file in sorted(Path(self._folder()).glob(f"*{ENDING}"), key=_modified):
            book = self._read(file)
            if book is not None:
                books[file] = book
        settled = [file for file, book in books.items() if not book.waits]
        for file in limits.drop(settled, most=MOST_SETTLED):
            self._places.pop(books.pop(file).path, None)
        for book in books.values():
            if book.file and len(book.file.facts) > MOST_FACTS and not book.waits:
                book.file = apply(File(), Began(book.file.text))
                self._rewrite(book)
        return list(books.values())

    def read_on(self, path: str) -> Book | None:
        """Return what the list of a file says if others have appended to it, None if none has.

        Nothing if it is gone: it was forgotten elsewhere.
        """
        place = self._place(path)
        if place.waiting or place.unwritten:
            return None  # what was appended here is there before what others append behind it
        try:
            status = place.file.stat()
        except OSError:
            was_known, place.size, place.inode = place.size > 0, 0, 0
            return Book(path) if was_known else None
        if (status.st_size, status.st_ino, place.others) == (place.size, place.inode, False):
            return None
        return self._read(place.file)

    def unknown(self) -> list[Book]:
        """Return what the lists say that others have begun."""
        known = {place.file for place in self._places.values() if place.size}
        found = (
            self._read(it) for it in Path(self._folder()).glob(f"*{ENDING}") if it not in known
        )
        return [book for book in found if book is not None]

    def _read(self, file: Path) -> Book | None:
        try:
            with private.read(file) as list_:
                status, text = os.fstat(list_.fileno()), list_.read()
        except OSError:
            return None
        head, *lines, open_end = text.split("\n") if "\n" in text else ("", "", "")
        said = loaded(head)
        said = said if isinstance(said, dict) else {}
        path, version = said.get("path"), said.get("acp_history")
        if not isinstance(path, str) or version != VERSION:
            if version in (None, VERSION):  # another version may still read its own
                self._damaged[file] = _Damaged(text, "")
            return None
        entries = [(line, entry_of(loaded(line))) for line in lines if line]
        whole = [line for line, entry in entries if entry is not None]
        if len(whole) < len(entries) or open_end or not whole:
            self._damaged[file] = _Damaged(text, _lines(head, *whole) if whole else "")
        book = Book(path)
        for _, entry in entries:
            if entry is not None:
                book.take(entry)
        place = self._place(path)
        place.size, place.inode, place.others = status.st_size, status.st_ino, False
        return book

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
        place = self._place(path)
        place.waiting += 1
        self._something.set()
        self._disk.do(partial(self._append, path, place, tuple(entries), file))

    def begin(self, path: str, begun: Begun) -> None:
        """Append what is about to be done; its end follows, or `flush` drops it."""
        self._begun[path] = begun
        self.append(path, (begun,), None)

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
        place = self._places.pop(path, None)
        if place is not None:
            self._disk.do(partial(private.remove, place.file))

    async def noted(self) -> None:
        """Wait until all that was appended is on disk, or cannot be."""
        await self._disk.done()

    def flush(self) -> bool:
        """Write now what waits; what was begun and not done is dropped. Blocking.

        False: not all of it could be.
        """
        for path, begun in list(self._begun.items()):
            self.append(path, (Dropped(begun.host),), None)
        self._begun.clear()
        self._disk.finish()
        self._write_rest()
        return not any(place.unwritten for place in self._places.values())

    def is_settled(self) -> bool:
        """Return whether all is on disk."""
        return not any(it.waiting or it.unwritten for it in self._places.values())

    async def run(self) -> None:
        """Write what is appended, and try again what could not be written, for ever."""
        while True:
            with anyio.move_on_after(None if self.is_settled() else AGAIN):
                await self._something.wait()
            self._something = anyio.Event()
            await anyio.sleep(SOON)
            self._disk.do(self._write_rest)
            await self._disk.done()
            self._tell()

    def _tell(self) -> None:
        trouble, self._trouble = self._trouble, None
        if trouble is not None and not self._is_told:
            self._report(trouble)
        self._is_told = trouble is not None

    # --- in the thread

    def _append(
        self, path: str, place: _Place, entries: tuple[Entry, ...], file: File | None
    ) -> None:
        try:
            place.unwritten += entries
            self._write(path, place, file)
        except OSError as error:
            self._trouble = error
        finally:
            place.waiting -= 1

    def _write_rest(self) -> None:
        for path, place in list(self._places.items()):
            if place.unwritten:
                try:
                    self._write(path, place, None)
                except OSError as error:
                    self._trouble = error

    def _write(self, path: str, place: _Place, file: File | None) -> None:
        private.make_folder(place.file.parent)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
        handle = _locked(place.file, flags)
        try:
            status = os.fstat(handle)
            if status.st_size == 0:
                entries = place.unwritten if file is None else [*file.facts, *_rest(place)]
                data = _lines(_head(path), *map(text_of, entries))
            else:
                is_known = (status.st_size, status.st_ino) == (place.size, place.inode)
                place.others = place.others or not is_known
                is_whole = os.pread(handle, 1, status.st_size - 1) == b"\n"
                data = ("" if is_whole else "\n") + _lines(*map(text_of, place.unwritten))
            _write(handle, data.encode(), status.st_size)
            status = os.fstat(handle)
            place.size, place.inode = status.st_size, status.st_ino
            place.unwritten.clear()
        finally:
            os.close(handle)

    def _rewrite(self, book: Book) -> None:
        """Let the list say no more than its file."""
        place = self._place(book.path)
        facts = () if book.file is None else book.file.facts
        with suppress(OSError):
            handle = _locked(place.file, os.O_RDWR)
            try:
                if os.fstat(handle).st_size == place.size:  # else another Neovim goes on with it
                    private.replace(place.file, _lines(_head(book.path), *map(text_of, facts)))
                    status = place.file.stat()
                    place.size, place.inode = status.st_size, status.st_ino
            finally:
                os.close(handle)

    def _place(self, path: str) -> _Place:
        if path not in self._places:
            # a path may be anything, of any length
            name = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:32]
            self._places[path] = _Place(Path(self._folder(), name + ENDING))
        return self._places[path]


def _head(path: str) -> str:
    return dumped({"acp_history": VERSION, "path": path})


def _lines(*texts: str) -> str:
    return "".join(f"{text}\n" for text in texts)


def _locked(file: Path, flags: int) -> int:
    """Open a file and lock it, unless that takes too long. Raises `OSError`."""
    end = time.monotonic() + PATIENCE
    while True:
        handle = private.opened(file, flags)
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(handle), os.stat(file)):
                return handle
        if time.monotonic() >= end:
            return handle
        os.close(handle)
        time.sleep(0.005)


def _write(handle: int, data: bytes, size: int) -> None:
    """Append all of it, or nothing: what is tried again must not be there twice."""
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(handle, rest) :]
    except OSError:
        with suppress(OSError):
            os.ftruncate(handle, size)
        raise


def _rest(place: _Place) -> list[Entry]:
    """Return what is to be written besides the facts of a file, which count as they are."""
    rest: list[Entry] = []
    for entry in place.unwritten:
        if isinstance(entry, Done | Dropped):
            rest = [it for it in rest if not (isinstance(it, Begun) and it.host == entry.host)]
        elif not isinstance(entry, FACTS):
            rest.append(entry)
    return rest


def _set_aside(file: Path, damaged: _Damaged) -> bool:
    """Keep a copy of a list, and in its place what of it is whole; not if it is another by now."""
    handle = _locked(file, os.O_RDWR)
    try:
        with private.read(file) as list_:
            text = list_.read()
        if text != damaged.text:
            return False  # another Neovim was writing it, or has set it aside
        private.replace(file.with_name(file.name + CUT), text)
        if damaged.whole:
            private.replace(file, damaged.whole)
        else:
            private.remove(file)
        return True
    finally:
        os.close(handle)


def _modified(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0
