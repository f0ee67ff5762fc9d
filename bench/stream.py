"""Prints what it costs Neovim to show a streamed answer: this plugin beside readers in Lua.

Run as `python bench/stream.py`, or with `--quick` for a first look. README.md says what is measured
and how. Linux only.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from statistics import median
from typing import Protocol

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agent import replayed, streamed

from tests.support.nvim import Neovim
from tests.support.rpc import Rpc

BENCH = Path(__file__).resolve().parent
COLUMNS, ROWS = 140, 50
COMMAND = [sys.executable, str(BENCH / "agent.py")]
CONFIGURATION = {"agents": {"bench": {"command": COMMAND[0], "args": COMMAND[1:]}}}
PLUGIN, PER_CHUNK, BATCHED = "acp.nvim", "per chunk", "batched"
TRANSCRIPTS = (0, 5_000)
PATIENCE = 30.0
COUNT_TURNS = """
_G.turns = 0
vim.api.nvim_create_autocmd('User', {
  pattern = 'AcpTurnEnded',
  callback = function() _G.turns = _G.turns + 1 end,
})
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds, and milliseconds between two callbacks of a timer of 1 ms."""

    editor: float
    host: float
    gap: float
    """The longest."""
    usual_gap: float
    """Only one of 1,000 is longer."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A prompt, and the messages that answer it."""

    prompt: str
    messages: tuple[str, ...]


class Reader(Protocol):
    """Something in a Neovim that shows what the agent says."""

    buffer: int
    host: int | None
    """Its process outside of Neovim."""

    def prompt(self, text: str) -> None:
        """Send a prompt."""

    def turns(self) -> int:
        """Return how many answers are in the buffer."""

    def text(self, turns: list[Turn]) -> str:
        """Return what the buffer must contain after these turns."""


class Plugin:
    """The plugin, used as a user would."""

    def __init__(self, nvim: Neovim) -> None:
        self._nvim = nvim
        nvim.lua(COUNT_TURNS)
        nvim.command("Acp start bench")
        nvim.wait("(require('acp').inspect().sessions[1] or {}).state == 'idle'")
        seen = nvim.lua("return require('acp').inspect()")
        self.buffer: int = seen["sessions"][0]["bufnr"]
        self.host: int | None = seen["host"]["pid"]

    def prompt(self, text: str) -> None:
        self._nvim.command(f"AcpPrompt {text}")

    def turns(self) -> int:
        return int(self._nvim.lua("return _G.turns"))

    def text(self, turns: list[Turn]) -> str:
        """Prompts are messages too, and one that does not end with an empty line gets one."""
        messages = (text for turn in turns for text in (turn.prompt, *turn.messages))
        drawn = [text.removesuffix("\n") for text in messages]
        return "\n".join(text if text.endswith("\n") else f"{text}\n" for text in drawn)


class LuaReader:
    """One of readers.lua."""

    host: int | None = None

    def __init__(self, nvim: Neovim, kind: str) -> None:
        self._nvim = nvim
        self.buffer = int(nvim.lua("return bench.start(...)", kind, COMMAND))

    def prompt(self, text: str) -> None:
        self._nvim.lua("bench.prompt(...)", text)

    def turns(self) -> int:
        return int(self._nvim.lua("return bench.turns"))

    def text(self, turns: list[Turn]) -> str:
        return "".join(text for turn in turns for text in turn.messages)


class Conversation:
    """Turns of the agent in one reader."""

    def __init__(self, nvim: Neovim, reader: Reader) -> None:
        self._nvim, self._reader = nvim, reader
        self._pid = int(nvim.eval("getpid()"))
        self._turns: list[Turn] = []

    def replay(self, lines: int) -> None:
        """Say so many lines at once, and wait until they are drawn."""
        self._say(Turn(f"replay {lines}", tuple(replayed(lines))))

    def stream(self, seconds: float) -> tuple[float, float]:
        """Speak for so long; return the CPU seconds of Neovim and of the reader's host."""
        pids = (self._pid, self._reader.host)
        before = [cpu(pid) for pid in pids]
        self._say(Turn(f"stream {seconds}", ("".join(streamed(seconds)),)), seconds)
        editor, host = (cpu(pid) - was for pid, was in zip(pids, before, strict=True))
        return editor, host

    def _say(self, turn: Turn, seconds: float = 0) -> None:
        self._turns.append(turn)
        self._reader.prompt(turn.prompt)
        time.sleep(seconds)
        deadline = time.monotonic() + PATIENCE
        while self._reader.turns() < len(self._turns):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{turn.prompt!r} does not end")
            time.sleep(0.02)

    def check(self) -> None:
        """Raise AssertionError unless the buffer holds exactly what was said."""
        found = "\n".join(self._nvim.lines(self._reader.buffer))
        found = re.sub(r"\n── [^\n]*\n", "", found)  # the rows below turns
        wanted = self._reader.text(self._turns)
        if found != wanted:
            pairs = enumerate(zip_longest(found, wanted))
            first = next(at for at, (got, sent) in pairs if got != sent)
            part = slice(max(0, first - 40), first + 40)
            raise AssertionError(f"{wanted[part]!r} became {found[part]!r}")

    def settle(self) -> None:
        """Wait until Neovim and the reader's host rest: both go on after the last change."""
        pids = (self._pid, self._reader.host)
        while True:
            before = sum(map(cpu, pids))
            time.sleep(0.2)
            if sum(map(cpu, pids)) - before < 0.004:
                return


def cpu(pid: int | None) -> float:
    """Return utime + stime of all threads of a process, to the nanosecond; 0 without a process."""
    return time.clock_gettime((~pid << 3) | 2) if pid else 0.0  # its clock: see clock_getcpuclockid


@contextmanager
def editor() -> Iterator[Neovim]:
    """Run a Neovim with a UI."""
    with Neovim(CONFIGURATION, columns=COLUMNS, lines=ROWS) as nvim, screen(nvim):
        nvim.lua("_G.bench = dofile(...)", str(BENCH / "readers.lua"))
        yield nvim


@contextmanager
def screen(nvim: Neovim) -> Iterator[None]:
    """Attach a UI whose traffic a thread throws away."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(nvim.socket)
        ui = Rpc(connection.fileno(), connection.fileno())
        ui.request("nvim_ui_attach", COLUMNS, ROWS, {"rgb": True, "ext_linegrid": True})
        threading.Thread(target=drain, args=[connection], daemon=True).start()
        yield
        connection.shutdown(socket.SHUT_RDWR)


def drain(connection: socket.socket) -> None:
    """Read until Neovim leaves."""
    with suppress(OSError):  # it was closed meanwhile
        while connection.recv(1 << 20):
            pass


def measure(kind: str, lines: int, seconds: float) -> Cost:
    """Stream twice onto a transcript: undisturbed for the CPU, then with the probe running."""
    with editor() as nvim:
        reader: Reader = Plugin(nvim) if kind == PLUGIN else LuaReader(nvim, kind)
        conversation = Conversation(nvim, reader)
        if lines:
            conversation.replay(lines)
        conversation.settle()
        editor_cpu, host_cpu = conversation.stream(seconds)
        conversation.settle()
        nvim.lua("bench.start_probe()")
        conversation.stream(seconds)
        gaps = nvim.lua("return bench.stop_probe()")
        conversation.check()
        return Cost(editor_cpu, host_cpu, gaps[-1], gaps[-1 - len(gaps) // 1000])


def idle_gap(seconds: float) -> float:
    """Return the longest gap of a Neovim that does nothing: the machine's own part."""
    with editor() as nvim:
        nvim.lua("bench.start_probe()")
        time.sleep(seconds)
        return float(nvim.lua("return bench.stop_probe()")[-1])


def table(costs: dict[tuple[str, int], list[Cost]]) -> Iterator[str]:
    """Yield the lines of a Markdown table: medians, and the longest gap of each run."""
    yield (
        "| lines before | reader | editor CPU, s | per chunk ÷ this | host CPU, s "
        "| 99.9 % of gaps, ms | longest gaps, ms |"
    )
    yield "|---:|---|---:|---:|---:|---:|---:|"
    for (kind, lines), runs in costs.items():
        used = median(run.editor for run in runs)
        ratio = median(run.editor for run in costs[PER_CHUNK, lines]) / used
        host = f"{median(run.host for run in runs):.2f}" if kind == PLUGIN else "–"
        usual = median(run.usual_gap for run in runs)
        longest = " ".join(f"{run.gap:.1f}" for run in runs)
        cells = (f"{lines:,}", kind, f"{used:.3f}", f"{ratio:.1f}", host, f"{usual:.1f}", longest)
        yield f"| {' | '.join(cells)} |"


def machine() -> str:
    """Return one line on what this was measured on."""
    models = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    name = models[0] if models else platform.machine()
    load = os.getloadavg()[0]
    return f"{len(models)} × {name}, load {load:.1f}, Python {platform.python_version()}"


def main() -> None:
    """Run the rounds and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round of 1 s")
    seconds, rounds = (1.0, 1) if parser.parse_args().quick else (4.0, 2)
    costs: dict[tuple[str, int], list[Cost]] = {}
    for _ in range(rounds):
        for lines in TRANSCRIPTS:
            for kind in (PLUGIN, PER_CHUNK, BATCHED):
                costs.setdefault((kind, lines), []).append(measure(kind, lines, seconds))
    print("\n".join(table(costs)))
    print(f"\n{machine()}; longest gap of an idle editor {idle_gap(seconds):.1f} ms")


if __name__ == "__main__":
    main()
