"""Floods of an agent in a real Neovim: `python -m tests.fuzz.floods --seconds 60 [--flood NAME]`.

Without `--flood` it plays all, one after the other; on a machine at rest 15 seconds of each tell.
`--over websocket`, `--over http`: the agent is behind an address of this machine. Under each flood
the user cancels: that reaches the agent within 200 ms, and the host stays under 150 MB. The next
prompt comes when what the agent had said by then is read, so over HTTP it may wait: each request
that lay in the buffers of the system has an answer of its own, which is a POST.
Prints a row for each flood; the exit code is 1 if one of them breaks that. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz.flooding_agent import FLOODS
from tests.support.nvim import Neovim
from tests.support.peers.served import Served

AGENT = Path(__file__).with_name("flooding_agent.py")
LATE = 0.2
"""Seconds within which a cancel reaches the agent."""
MB = 1_000_000
LARGE = 150 * MB
"""Bytes of the host's memory."""
ROUNDS = 5
"""Cancels in the time of one flood."""
MINUTES = (1, 3, 5, 9)
"""Of the flood, after which the memory is told."""
PATIENCE = 120.0
DRAINS = 900.0
"""Seconds in which what an agent has said before it was cancelled is read, answer by answer."""
HEAD = """\
| flood | a second | cancel, its work, ms | end, next prompt, s | memory, MB | at minutes |
|---|---:|---:|---:|---:|---|"""
IDLE = """
for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
  local status = vim.b[buffer].acp_status
  if status then
    return status.state == 'idle'
  end
end
"""
"""What is asked often must cost the host nothing: `inspect()` tells all entries."""


@dataclass(slots=True)
class Seen:
    """What one flood has led to."""

    late: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)
    """Seconds of the host's processor from a cancel until the agent knows: on a busy machine the
    clock tells of others."""
    drained: float = 0.0
    """Seconds from a cancel to the end of the turn, at most."""
    waited: float = 0.0
    """Seconds from a prompt until the agent has it, at most."""
    memory: int = 0
    at: dict[int, int] = field(default_factory=dict)
    """The memory at the end of some minutes: where it is flat, it is the same."""
    sent: int = 0

    @property
    def is_good(self) -> bool:
        return max(self.late) < LATE and self.memory < LARGE


class Told:
    """What the agent tells on its stderr."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at = 0

    def next(self, what: str) -> dict[str, Any]:
        """Return the next that is of that kind."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for told in self._new():
                if told["what"] == what:
                    return told
            time.sleep(0.01)
        raise TimeoutError(f"the agent has not {what}")

    def _new(self) -> Iterator[dict[str, Any]]:
        with self._path.open("rb") as file:
            file.seek(self._at)
            for line in file:
                self._at += len(line)
                yield json.loads(line)


def resident(pid: int) -> int:
    """Return the bytes of memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) * 1024


def processor(pid: int) -> float:
    """Return the seconds of processor time that a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def agent(told: Path, over: str) -> Iterator[dict[str, Any]]:
    """Make the agent ready; yield how it is configured."""
    if over == "stdio":
        args = ["-c", 'exec "$0" "$1" 2>"$ACP_TOLD"', sys.executable, str(AGENT)]
        yield {"command": "/bin/sh", "args": args, "env": {"ACP_TOLD": str(told)}}
        return
    server = [sys.executable, "-m", "tests.fuzz.far", over, "{port}", str(told), str(AGENT)]
    with Served(server) as served:
        yield {"url": served.url("ws" if over == "websocket" else "http")}


def flooded(name: str, seconds: float, over: str = "stdio") -> Seen:
    """Let the agent flood for that long, with some cancels in between."""
    seen = Seen()
    with ExitStack() as stack:
        # with a host that is started as users have it: a warm one has other settings of memory
        nvim = stack.enter_context(Neovim({"agents": {"flood": {}}, "python": sys.executable}))
        told = nvim.folder / "told"
        told.touch()
        nvim.lua(
            "vim.g.acp = vim.tbl_extend('force', vim.g.acp, {agents = {flood = ...}})",
            stack.enter_context(agent(told, over)),
        )
        nvim.lua("vim.fn.confirm = function() return 1 end")
        nvim.command("Acp start flood")
        nvim.wait(IDLE)
        pid = int(nvim.lua("return require('acp').inspect().host.pid"))
        news = Told(told)
        for number in range(ROUNDS):
            prompted = time.monotonic()
            nvim.command(f"AcpPrompt {name}")
            seen.waited = max(seen.waited, news.next("began")["at"] - prompted)
            flooded = number * seconds / ROUNDS
            while (passed := time.monotonic() - prompted) < seconds / ROUNDS:
                now = resident(pid)
                seen.memory = max(seen.memory, now)
                for minute in MINUTES:
                    if flooded + passed >= 60 * minute:
                        seen.at.setdefault(minute, now)
                time.sleep(0.02)
            asked, worked = time.monotonic(), processor(pid)
            nvim.command("Acp cancel")
            seen.late.append(news.next("cancelled")["at"] - asked)
            seen.work.append(processor(pid) - worked)
            seen.sent += news.next("ended")["sent"]
            nvim.wait(IDLE, DRAINS)
            seen.drained = max(seen.drained, time.monotonic() - asked)
        seen.memory = max(seen.memory, resident(pid))
    return seen


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--flood", choices=FLOODS, action="append")
    parser.add_argument("--over", choices=("stdio", "websocket", "http"), default="stdio")
    options = parser.parse_args()
    good = True
    print(HEAD)
    for name in options.flood or FLOODS:
        try:
            seen = flooded(name, options.seconds, options.over)
        except Exception as error:  # the others are measured all the same
            good = False
            print(f"| {name} | {error!r} | | | | |", flush=True)
            continue
        good = good and seen.is_good
        print(row(name, seen, options.seconds), flush=True)
    return 0 if good else 1


def row(name: str, seen: Seen, seconds: float) -> str:
    """Return what is told of a flood; ! marks what is beyond its limit."""
    late = max(seen.late)
    cells = (
        name,
        f"{seen.sent / seconds:,.0f}",
        f"{1000 * late:.0f}{'!' * (late >= LATE)}, {1000 * max(seen.work):.0f}",
        f"{seen.drained:.1f}, {seen.waited:.1f}",
        f"{seen.memory / MB:.0f}{'!' * (seen.memory >= LARGE)}",
        ", ".join(f"{minute}: {size / MB:.0f}" for minute, size in seen.at.items()),
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
