"""Prints what it costs to know what the files of a project held: seconds, and memory.

Run as `python bench/baselines.py [FILES…]`. Trees of so many files of 4 KB each, twenty to a
folder, are made in a temporary folder: as a git repository of which half is tracked, and without.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import anyio

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from acp_nvim.files.baselines.baselines import UNKNOWN, Baselines, Changes
from acp_nvim.files.baselines.memory import Memory
from acp_nvim.files.baselines.snapshot import RACY
from acp_nvim.files.baselines.watch import Watch
from acp_nvim.files.roots import Roots
from acp_nvim.storage.in_order import InOrder
from acp_nvim.storage.journal import Journal

SIZE = 4096
RUNS = 5
CHANGED = 10


def source() -> str:
    """Return real text: it compresses as such."""
    files = sorted(Path(os.__file__).parent.glob("*.py"))
    return "".join(it.read_text("utf-8", "ignore") for it in files if it.stat().st_size < 60_000)


def plant(folder: Path, count: int) -> list[Path]:
    text, paths = source().encode(), []
    for number in range(count):
        path = folder / f"part{number // 400}" / f"folder{number // 20}" / f"file{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        start = number * 977 % (len(text) - SIZE)
        path.write_bytes(text[start : start + SIZE])
        paths.append(path)
    return paths


def track(folder: Path) -> None:
    for arguments in (("init", "-q"), ("add", "*[02468].py")):
        subprocess.run(["git", "-C", str(folder), *arguments], check=True)


async def seconds(act: Callable[[], Awaitable[Changes]]) -> tuple[float, Changes]:
    began = perf_counter()
    changes = await act()
    return perf_counter() - began, changes


def resident() -> int:
    """Return the memory of this process in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


async def measure(name: str, folder: str, paths: list[Path]) -> None:
    roots, seen = Roots(folder), Baselines(watch=Watch())
    kept = TemporaryDirectory()
    journal = Journal(lambda: kept.name, InOrder(print))
    seen.keep_in(Memory(journal.see))

    async def refresh() -> Changes:
        """What a prompt waits for."""
        changes = await seen.refresh(roots)
        await seen.keep()
        return changes

    before = resident()
    first, _ = await seconds(refresh)
    memory = resident() - before
    known = sum(seen.text(str(path)) is not UNKNOWN for path in paths)
    await anyio.sleep(RACY / 1e9 + 0.1)  # then a file is old enough to be told by its stamp
    racy, _ = await seconds(refresh)
    later = [(await seconds(refresh))[0] for _ in range(RUNS)]
    changed: list[float] = []
    for run in range(RUNS):
        for path in paths[:: len(paths) // CHANGED][:CHANGED]:
            path.write_text(f"{run}\n" + path.read_text("utf-8", "replace"))
        took, changes = await seconds(lambda: seen.changes(roots))
        assert len(changes.known) + len(changes.unknown) == CHANGED
        changed.append(took)
    figures = f"{first:9.2f}{racy:9.2f}{median(later):9.3f}{median(changed):9.3f}"
    journal.close()
    kept.cleanup()
    print(f"{len(paths):8,} {name:5}{figures}{memory / 1e6:9.0f}{known / len(paths):8.0%}")


def run(*arguments: object) -> None:
    """Measure in a process of its own, so that the memory is that of this run."""
    process = get_context("spawn").Process(target=anyio.run, args=(measure, *arguments))
    process.start()
    process.join()
    assert process.exitcode == 0


def main() -> None:
    columns = "".join(f"{it:>9}" for it in ("first", "second", "later", "changes", "MB"))
    print(f"{'files':>8} {'':5}{columns}{'kept':>8}")
    for count in [int(it) for it in sys.argv[1:]] or [1_000, 10_000, 50_000]:
        with TemporaryDirectory() as temporary:
            folder = os.path.realpath(temporary)
            paths = plant(Path(folder), count)
            run("walk", folder, paths)
            track(Path(folder))
            run("git", folder, paths)


if __name__ == "__main__":
    main()
