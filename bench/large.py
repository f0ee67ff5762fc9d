"""Prints what is large in every direction, one after the other: what it costs, and how keys wait.

Run as `python bench/large.py`, or with words of the rows that are wanted. A real host, as it is
started for a user, and a real Neovim; README.md says what is measured. 680,000 files take 3 GB of
the folder for temporary files, and minutes. Linux only.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import storage
from everyday import AT_THE_END, BENCH, QUIET, UNSAVED, Plugin, memory, until, woken
from stream import cpu, machine, screen

from acp_nvim.session.content import Text
from acp_nvim.session.state import Message, SessionState
from acp_nvim.storage import sessions
from acp_nvim.storage.histories import Histories
from acp_nvim.storage.in_order import InOrder
from tests.support.nvim import ROOT, Neovim

TO_A_FOLDER = 20
SESSIONS, TURNS = 500, 20
STREAMS = 10
PAGE = "".join(f"a line of page {number}\n" for number in range(8))
ALL_IDLE = """
local sessions = require('acp').inspect().sessions
return vim.iter(sessions):all(function(it) return it.state == 'idle' end)
"""
Act = Callable[[Plugin], object]
Row = tuple[str, float, float, float, float, float]
"""What was done; host and editor CPU in s, memory of the host in MB, ms that a key waits (p95), ms
of the editor's own CPU in its busiest gap; -1 for what is not measured."""


def plant(folder: Path, count: int) -> None:
    """Make so many files there."""
    for number in range(0, count, TO_A_FOLDER):
        here = folder / f"part{number // 8000}" / f"folder{number // TO_A_FOLDER}"
        here.mkdir(parents=True)
        for at in range(number, min(count, number + TO_A_FOLDER)):
            (here / f"file{at}.py").write_text(f"x = {at}\n")


def wait_of_a_key(gaps: Sequence[float]) -> float:
    """Return what a key that comes at any moment waits for at most, 95 times in 100."""
    late = 0.05 * sum(gaps)
    low, high = 0.0, max(gaps, default=0.0)
    while high - low > 0.01:
        middle = (low + high) / 2
        if sum(it - middle for it in gaps if it > middle) > late:
            low = middle
        else:
            high = middle
    return high


def settle(client: Plugin) -> None:
    """Wait until both are at rest, but for the probe: that takes the editor 15 ms a second."""
    busy = True
    while busy:
        before = cpu(client.host), cpu(client.editor)
        time.sleep(QUIET)
        busy = cpu(client.host) - before[0] > 0.004 or cpu(client.editor) - before[1] > 0.02


def measured(client: Plugin, deed: str, act: Act) -> Row:
    """Do it until all is at rest."""
    client.nvim.lua("bench.start_probe()")
    before = cpu(client.host), cpu(client.editor)
    act(client)
    settle(client)
    after = cpu(client.host), cpu(client.editor)
    busiest, gaps = client.nvim.lua("return { bench.busiest_gap(), bench.stop_probe() }")
    costs = [now - was for now, was in zip(after, before, strict=True)]
    assert client.host
    return deed, costs[0], costs[1], memory(client.host), wait_of_a_key(gaps), busiest


@contextmanager
def started(
    cwd: Path | None = None, keep: Callable[[Neovim], None] | None = None
) -> Iterator[Plugin]:
    """Run Neovim in that folder; `keep` puts there what was kept before."""
    with tempfile.TemporaryDirectory(prefix="acp") as folder:
        notes = Path(folder) / "notes"
        agent = {"command": sys.executable, "args": [str(BENCH / "agent.py"), str(notes)]}
        agents = {f"bench{it or ''}": agent for it in range(STREAMS)}
        environment = {"LC_ALL": "C.UTF-8"}
        with Neovim({"agents": agents}, root=ROOT, env=environment, cwd=cwd) as nvim, screen(nvim):
            nvim.lua("_G.bench = dofile(...)", str(BENCH / "readers.lua"))
            if keep is not None:
                keep(nvim)
            yield Plugin(nvim, notes)


def prompts(client: Plugin) -> float:
    """Return the ms until an agent has a prompt, the least of five."""
    found = [(client.turn("hush"), client.noted("prompted")) for _ in range(5)]
    return min(there - sent for sent, there in found) / 1e6


def tree(count: int, *, with_git: bool) -> Iterator[Row]:
    """A project of so many files."""
    name = f"{count:,} files{', git' if with_git else ''}"
    with tempfile.TemporaryDirectory(prefix="acp") as folder:
        cwd = Path(os.path.realpath(folder))
        plant(cwd, count)
        if with_git:
            for words in (("init", "-q"), ("add", ".")):
                subprocess.run(["git", "-C", folder, *words], check=True)
        with started(cwd) as client:
            look = "a start" if with_git else "a start, and the first look"
            yield measured(client, f"{name}: {look}", Plugin.start)
            took: list[float] = []
            row = measured(client, "", lambda it: took.append(prompts(it)))
            look = "the first look, 5 prompts" if with_git else "5 prompts"
            yield (f"{name}: {look} ({took[0]:.1f} ms each)", *row[1:])
            some = [cwd / f"part0/folder{it}/file{it * TO_A_FOLDER}.py" for it in range(10)]

            def change(client: Plugin) -> None:
                for path in some:
                    path.write_text("changed\n")
                client.turn("hush")

            yield measured(client, f"{name}: 10 of them change, a prompt", change)


def long_session(updates: int) -> Iterator[Row]:
    def load(client: Plugin) -> None:
        client.nvim.command(f"edit acp://bench/{updates}")
        last = f"Read step_{updates // 10 - 1}.py"
        until(lambda: client.nvim.lua(AT_THE_END, last))

    with started() as client:
        client.start()
        yield measured(client, f"a session of {updates:,} updates is loaded", load)
        yield measured(client, "… and a prompt in it", lambda it: it.turn("hush"))


def streams() -> Iterator[Row]:
    def stream(client: Plugin) -> None:
        turns = client.turns()
        for number in range(STREAMS):
            client.nvim.command(f"Acp start bench{number or ''}")
            client.nvim.command("AcpPrompt stream 5")
        until(lambda: client.turns() >= turns + STREAMS)

    with started() as client:
        client.start()
        for number in range(1, STREAMS):
            client.nvim.command(f"Acp start bench{number}")
        until(lambda: client.nvim.lua(ALL_IDLE))
        yield measured(client, f"{STREAMS} sessions, each 5 s of 200 chunks a second", stream)


def long_file(lines: int, hunks: int) -> Iterator[Row]:
    with started() as client:
        client.start()
        path = client.nvim.cwd / "long.txt"
        client.nvim.command(f"edit {path}")
        client.nvim.lua(UNSAVED, lines)
        name = f"{hunks:,} hunks in {lines:,} unsaved lines"
        yield measured(
            client, f"a read and a write: {name}", lambda it: it.turn(f"edit {hunks} {path}")
        )
        # one of its lines: to search for one would be the busiest gap
        row = lines // hunks // 2
        line = f"vim.api.nvim_buf_get_lines(0, {row}, {row + 1}, true)[1]"
        there = f"return vim.startswith({line}, 'the agent')"

        def undo(client: Plugin) -> None:
            client.nvim.command("Acp undo")
            until(lambda: not client.nvim.lua(there))

        assert client.nvim.lua(there)
        yield measured(client, f"undo: {name}", undo)


def written(times: int, lines: int) -> Iterator[Row]:
    """One file that an agent writes so often, in one turn and in as many."""
    for is_one in (True, False):
        with started() as client:
            client.start()
            path = client.nvim.cwd / "often.txt"
            client.nvim.command(f"edit {path}")
            client.nvim.lua(UNSAVED, lines)
            each: list[tuple[int, float]] = []
            """After how many writes the host had used how much."""

            def one_turn(client: Plugin, path: Path = path, each: Any = each) -> None:
                turns = client.turns()
                client.prompt(f"edit 1 {path} {times}")
                while client.turns() == turns:
                    each.append((client.count("answered") // 2, cpu(client.host)))
                    time.sleep(0.05)

            def turns(client: Plugin, path: Path = path, each: Any = each) -> None:
                for number in range(times):
                    each.append((number, cpu(client.host)))
                    client.turn(f"edit 1 {path}")

            name = f"a file of {lines:,} lines, read and written {times} times in "
            name += "one turn" if is_one else f"{times} turns"
            row = measured(client, name, one_turn if is_one else turns)
            first, last = (cost(it, times // 5) for it in (each, each[::-1]))
            yield (f"{name} (first {first:.1f} ms each, last {last:.1f})", *row[1:])
            gone = f"return vim.fn.search([[^the agent's line {lines // 2}$]], 'nw') == 0"

            def undo(client: Plugin, gone: str = gone) -> None:
                client.nvim.command("Acp undo 1")
                until(lambda: client.nvim.lua(gone))

            assert not client.nvim.lua(gone)
            yield measured(client, "… undo of the first turn", undo)


def cost(each: Sequence[tuple[int, float]], count: int) -> float:
    """Return the ms for each of the first so many."""
    (began, used), *rest = each
    at, then = next(it for it in rest if abs(it[0] - began) >= count)
    return 1e3 * abs(then - used) / abs(at - began)


def rest(seconds: float) -> Iterator[Row]:
    """Two agents idle, with a chat open: nothing ought to wake."""
    with started() as client:
        client.start()
        client.nvim.command("Acp start bench1")
        until(lambda: client.nvim.lua(ALL_IDLE))
        client.turn("hush")
        client.settle()
        time.sleep(5)  # what was said is kept a moment later
        pids = (client.host, client.editor)
        before = [(woken(it), cpu(it)) for it in pids]
        time.sleep(seconds)
        host, editor = (
            (woken(pid) - was[0], cpu(pid) - was[1]) for pid, was in zip(pids, before, strict=True)
        )
        assert client.host
        name = f"two agents idle, a chat open, {seconds:.0f} s: "
        name += f"{host[0]} wakeups of the host, {editor[0]} of the editor"
        yield name, host[1], editor[1], memory(client.host), -1, -1


def keep(nvim: Neovim) -> None:
    """Put there what a month leaves: sessions, and the histories of as many files."""
    state = Path(nvim.eval("stdpath('state')")) / "acp.nvim"
    said = tuple(
        entry
        for turn in range(1, TURNS + 1)
        for entry in (
            Message(f"u{turn}", "user", turn, (Text(f"Do step {turn}"),)),
            Message(f"a{turn}", "agent", turn, (Text(PAGE),)),
        )
    )
    store = sessions.Store(lambda: str(state / "sessions"), time.time)
    for number in range(SESSIONS):
        store.note(SessionState("bench", str(nvim.cwd), f"old-{number}", "idle", entries=said))
    store.flush()
    histories = Histories(lambda: str(state / "edits"), InOrder(print))
    chance = random.Random(1)
    for number in range(SESSIONS):
        file = storage.history(number, TURNS, chance)
        path = nvim.cwd / f"old_{number}.py"
        path.write_text(file.text or "")
        histories.append(str(path), file.facts, file)
    histories.flush()


def month() -> Iterator[Row]:
    name = f"{SESSIONS} kept sessions, {SESSIONS * TURNS:,} turns"
    with started(keep=keep) as client:
        began = time.monotonic()
        client.nvim.command("Acp sessions")
        said = time.monotonic() - began
        until(lambda: client.nvim.eval("line('$')") > 1)
        shown = time.monotonic() - began
        client.host = client.nvim.lua("return require('acp').inspect().host.pid")
        settle(client)
        assert client.host
        yield (
            f"{name}: their list, no host yet (a sentence after {1e3 * said:.0f} ms, "
            f"rows after {1e3 * shown:,.0f})",
            cpu(client.host),
            cpu(client.editor),
            memory(client.host),
            -1,
            -1,
        )
    with started(keep=keep) as client:
        yield measured(client, f"{name}: a start", Plugin.start)
        yield measured(client, "… a prompt", lambda it: it.turn("hush"))
        yield measured(client, "… the list of sessions", lambda it: it.nvim.command("Acp sessions"))


ROWS: dict[str, Callable[[], Iterator[Row]]] = {
    "100,000 files": lambda: tree(100_000, with_git=False),
    "100,000 files, git": lambda: tree(100_000, with_git=True),
    "680,000 files": lambda: tree(680_000, with_git=False),
    "680,000 files, git": lambda: tree(680_000, with_git=True),
    "session of 200,000 updates": lambda: long_session(200_000),
    "sessions streaming": streams,
    "file of 200,000 lines": lambda: long_file(200_000, 10_000),
    "file written 300 times": lambda: written(300, 2_000),
    "month": month,
    "rest": lambda: rest(300),
}


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was made is taken away
    print("| | host, s | editor, s | host, MB | a key, ms | busiest, ms |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, rows in ROWS.items():
        if all(word in name for word in sys.argv[1:]):
            for deed, host, editor, size, key, busiest in rows():
                late = " | ".join("–" if it < 0 else f"{it:.1f}" for it in (key, busiest))
                print(f"| {deed} | {host:.2f} | {editor:.2f} | {size:.0f} | {late} |", flush=True)
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()
