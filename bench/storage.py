"""Prints what it costs to keep ledgers: as files of JSON, as the plugin does, and in sqlite.

Run as `python bench/storage.py [LEDGERS [TURNS]]`: so many ledgers, each of a file of 200 lines
in which an agent has changed three in each of so many turns. Both stand in a temporary
folder, one after the other in one run, and hold the same text of each ledger.
"""

from __future__ import annotations

import gc
import os
import random
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from acp_nvim.history.author import Author
from acp_nvim.history.change import wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.storage.edits import LEDGERS, KeptLedger
from acp_nvim.storage.json_store import JsonStore

LINES = 200
RUNS = 5
T = TypeVar("T")


class Sqlite:
    """The same store in one database; its journal is never waited for, as files are not."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path)
        self._database.execute("pragma journal_mode = wal")
        self._database.execute("pragma synchronous = off")
        self._database.execute("create table kept (name text primary key, waits int, value text)")
        self._noted: dict[str, KeptLedger] = {}

    def note(self, name: str, value: KeptLedger) -> None:
        self._noted[name] = value

    def flush(self) -> None:
        with self._database:
            self._database.executemany("replace into kept values (?, 1, ?)", self._rows())
        self._noted = {}

    def _rows(self) -> Iterator[tuple[str, str]]:
        return ((name, LEDGERS.to_text(kept)) for name, kept in self._noted.items())

    def read_all(self) -> list[KeptLedger]:
        rows = self._database.execute("select value from kept")
        return [kept for (text,) in rows if (kept := LEDGERS.from_text(text)) is not None]

    def close(self) -> None:
        self._database.close()


def ledger(number: int, turns: int, chance: random.Random) -> File:
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


def measure(store: JsonStore[KeptLedger] | Sqlite, kept: list[KeptLedger]) -> tuple[float, ...]:
    """Return seconds: to write all, to note one until it is on disk (median, worst), to read."""

    def put(some: list[KeptLedger]) -> None:
        for it in some:
            store.note(it.path, it)
        store.flush()

    whole, _ = timed(lambda: put(kept))
    notes = [timed(lambda it=it: put([it]))[0] for it in kept[: RUNS * 10]]
    reads = []
    gc.disable()  # as the plugin does
    for _ in range(RUNS):
        seconds, read = timed(store.read_all)
        assert {it.path: it.ledger for it in read} == {it.path: it.ledger for it in kept}
        reads.append(seconds)
    gc.enable()
    return whole, median(notes), max(notes), median(reads)


def size(folder: Path) -> int:
    """Return the bytes on disk."""
    return sum(file.stat().st_blocks * 512 for file in folder.rglob("*"))


def main() -> None:
    count, turns = [*map(int, sys.argv[1:]), *(500, 20)[len(sys.argv) - 1 :]]
    chance = random.Random(1)
    kept = [KeptLedger(f"/work/{it}.py", ledger(it, turns, chance)) for it in range(count)]
    with TemporaryDirectory() as temporary:
        files, database = Path(temporary, "files"), Path(temporary, "database")
        database.mkdir()
        sqlite = Sqlite(database / "kept.db")
        stores = (
            ("files", files, JsonStore(lambda: str(files), ".jsonl", LEDGERS)),
            ("sqlite", database, sqlite),
        )
        rows = []
        for name, folder, store in stores:
            figures = measure(store, kept)
            if store is sqlite:
                sqlite.close()  # its journal goes into the database
            rows.append((name, (*(it * 1e3 for it in figures), size(folder) / 1e6)))
    print(f"{count} ledgers of {turns} turns; load {os.getloadavg()[0]:.1f}; ms, and MB on disk")
    columns = ("write all", "note one", "worst", "read all", "MB")
    print(f"{'':14}" + "".join(f"{it:>11}" for it in columns))
    for name, figures in rows:
        print(f"{name:14}" + "".join(f"{it:11.2f}" for it in figures))
    ratios = (mine / its for mine, its in zip(rows[0][1], rows[1][1], strict=True))
    print(f"{'files ÷ sqlite':14}" + "".join(f"{it:11.2f}" for it in ratios))


if __name__ == "__main__":
    main()
