"""Prints what it costs to keep histories: as lists of facts, as the plugin does, and in sqlite.

Run as `python bench/storage.py [FILES [TURNS]]`: so many histories, each of a file of 200 lines
in which an agent has changed three in each of so many turns. Both stand in a temporary
folder, one after the other in one run, and hold the same facts of each file. To note
one is to append its last fact.

Then what it costs to list so many sessions: by a host that has just started, and once more.
"""

from __future__ import annotations

import gc
import os
import random
import sqlite3
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time, time
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.facts import Fact
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.session.content import Text
from acp_nvim.session.state import Message, SessionState
from acp_nvim.storage import sessions
from acp_nvim.storage.entries import History, entry_of, text_of
from acp_nvim.storage.histories import Histories
from acp_nvim.storage.in_order import InOrder
from acp_nvim.storage.left_open import LeftOpen
from acp_nvim.storage.record import loaded
from acp_nvim.workspace.session_list import SessionList, kept_rows
from acp_nvim.worktrees.records import Worktrees

LINES = 200
RUNS = 5
T = TypeVar("T")


class Sqlite:
    """The same lists in one database; its journal is never waited for, as files are not."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path)
        self._database.execute("pragma journal_mode = wal")
        self._database.execute("pragma synchronous = off")
        self._database.execute("create table kept (path text, fact text)")
        self._noted: list[tuple[str, str]] = []

    def append(self, path: str, facts: Sequence[Fact], file: File) -> None:
        del file
        self._noted += ((path, text_of(it)) for it in facts)

    def flush(self) -> None:
        with self._database:
            self._database.executemany("insert into kept values (?, ?)", self._noted)
        self._noted = []

    def read_all(self) -> list[History]:
        kept: dict[str, History] = {}
        for path, text in self._database.execute("select path, fact from kept order by rowid"):
            fact = entry_of(loaded(text))
            assert fact is not None
            kept[path] = kept.get(path, History(path)).then(fact)
        return [*kept.values()]

    def close(self) -> None:
        self._database.close()


def history(number: int, turns: int, chance: random.Random) -> File:
    text = [f"    line {row} of file {number} = something({row})\n" for row in range(LINES)]
    made = begin("".join(text))
    for turn in range(1, turns + 1):
        for _ in range(3):
            text[chance.randrange(LINES)] = f"    changed in turn {turn}: {chance.random()}\n"
        session, call = f"session-{number % 7:032}", f"toolu_{chance.random()}"
        author = Author("claude", session, turn, turn, call, "Fix the parser", "Edit the file")
        made = wrote(made, "".join(text), author, turn)
    return made


def timed(act: Callable[[], T]) -> tuple[float, T]:
    began = perf_counter()
    done = act()
    return perf_counter() - began, done


def measure(store: Histories | Sqlite, files: dict[str, File]) -> tuple[float, ...]:
    """Return seconds: to write all, to note one until it is on disk (median, worst), to read."""

    def put(some: dict[str, File], first: int = 0) -> None:
        for path, file in some.items():
            store.append(path, file.facts[first:], file)
        store.flush()

    whole, _ = timed(lambda: put(files))
    noted = [*files.items()][: RUNS * 10]
    files |= {path: saw(file, f"{file.text}more\n", 1.0) for path, file in noted}
    notes = [timed(partial(put, {path: files[path]}, -1))[0] for path, _ in noted]
    reads = []
    gc.disable()
    for _ in range(RUNS):
        seconds, read = timed(store.read_all)
        assert {it.path: it.file for it in read} == files
        reads.append(seconds)
    gc.enable()
    return whole, median(notes), max(notes), median(reads)


def list_sessions(count: int) -> None:
    """Print what the list of so many kept sessions costs."""
    sessions.MOST_SESSIONS = count
    said = tuple(Message(f"m{it}", "agent", it, (Text("word " * 200),)) for it in range(40))
    asked = (Message("u", "user", 1, (Text("go"),)), *said)
    with TemporaryDirectory() as temporary:
        folders = [str(Path(temporary, name)) for name in ("sessions", "open")]
        first = sessions.Store(lambda: folders[0], time)
        for number in range(count):
            first.note(SessionState("claude", "/work", f"session-{number}", "idle", entries=asked))
        first.flush()
        left_open = LeftOpen(lambda: folders[1])
        for is_sidebar in (False, True):
            print(f"{count} sessions as a {'sidebar' if is_sidebar else 'list'}; ms of CPU")
            store = sessions.Store(lambda: folders[0], time)
            for run in ("first", "again"):
                gc.collect()
                gc.disable()
                began = thread_time()
                rows = kept_rows(store.heads(), "/work", left_open, Worktrees())
                read = thread_time()
                shown = SessionList(
                    1, "/work", {}, clock=time, now=time, with_keys=True, is_sidebar=is_sidebar
                )
                shown.kept = rows
                assert len(shown.picture().blocks) >= count
                drawn = thread_time()
                gc.enable()
                figures = f"{(read - began) * 1e3:11.2f}{(drawn - read) * 1e3:11.2f}"
                print(f"{run:14}{figures}   read, draw")


def size(folder: Path) -> int:
    """Return the bytes on disk."""
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*"))


def main() -> None:
    count, turns = [*map(int, sys.argv[1:]), *(500, 20)[len(sys.argv) - 1 :]]
    chance = random.Random(1)
    kept = {f"/work/{it}.py": history(it, turns, chance) for it in range(count)}
    with TemporaryDirectory() as temporary:
        files, database = Path(temporary, "files"), Path(temporary, "database")
        database.mkdir()
        sqlite = Sqlite(database / "kept.db")
        stores = (
            ("files", files, Histories(lambda: str(files), InOrder(print))),
            ("sqlite", database, sqlite),
        )
        rows = []
        for name, folder, store in stores:
            figures = measure(store, {**kept})
            if store is sqlite:
                sqlite.close()  # its journal goes into the database
            rows.append((name, (*(it * 1e3 for it in figures), size(folder) / 1e6)))
    print(f"{count} histories of {turns} turns; load {os.getloadavg()[0]:.1f}; ms, and MB on disk")
    columns = ("write all", "note one", "worst", "read all", "MB")
    print(f"{'':14}" + "".join(f"{it:>11}" for it in columns))
    for name, figures in rows:
        print(f"{name:14}" + "".join(f"{it:11.2f}" for it in figures))
    ratios = (mine / its for mine, its in zip(rows[0][1], rows[1][1], strict=True))
    print(f"{'files ÷ sqlite':14}" + "".join(f"{it:11.2f}" for it in ratios))
    list_sessions(count)


if __name__ == "__main__":
    main()
