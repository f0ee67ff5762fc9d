"""Prints what the everyday costs, beside the last release, and the least that a client can do.

Run as `python bench/everyday.py`; `--small` is a first look, `--against REVISION` another version
to compare with. Ratios over 1.1 are marked; over `--limit` the exit code is 1. All of it is CPU of
Neovim and of the host, the versions in turns. README.md says what is measured. Linux only.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from stream import COUNT_TURNS, cpu, machine, screen

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.nvim import ROOT, Neovim

BENCH = Path(__file__).resolve().parent
RELEASE = "b4da659"
"""What to compare with, until there is a tag."""
DEARER = 1.1
PATIENCE = 900.0
QUIET = 0.3
"""Seconds in which two processes use less than 4 ms, at rest."""
OPEN_BUFFERS = 40
LINES = 10_000
LISTEN = """
_G.asked = 0
vim.api.nvim_create_autocmd('User', {
  pattern = 'AcpPermissionRequested',
  callback = function(event) _G.asked, _G.ask = vim.uv.hrtime(), (event.data or {}).ask end,
})
"""
UNSAVED = """
local lines = {}
for row = 1, ... do
  lines[row] = ('line %d of some forty characters, as in code'):format(row)
end
vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
vim.cmd('silent write')
vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'not saved' })
"""
AT_THE_END = """
local lines = vim.api.nvim_buf_get_lines(0, -30, -1, false)
return table.concat(lines, '\\n'):find(..., 1, true) ~= nil
"""
"""Whether a text is in the last lines: to search all of them would be most of what is measured."""
AGENTS_LINE = "return vim.fn.search([[^the agent's line]], 'nw')"
Row = tuple[str, str]
"""What was done, and what is told of it: "CPU of the editor, ms"."""
EDITOR, HOST, CLOCK = "editor, ms", "host, ms", "by the clock, ms"


class Client:
    """A client of the agent, as its user drives it, in a Neovim of its own."""

    def __init__(self, nvim: Neovim, notes: Path) -> None:
        self.nvim, self._notes = nvim, notes
        notes.touch()
        self.editor = int(nvim.eval("getpid()"))
        self.host: int | None = None
        nvim.lua(LISTEN)

    def start(self) -> None:
        """Run the agent, and have a session."""
        raise NotImplementedError

    def prompt(self, text: str) -> int:
        """Send a prompt; return when, by the clock of the notes."""
        raise NotImplementedError

    def turns(self) -> int:
        """Return how many turns have ended."""
        raise NotImplementedError

    def answer(self, option: str) -> int:
        """Answer the question that waits; return when."""
        raise NotImplementedError

    def turn(self, text: str) -> int:
        """Send a prompt, and wait until it is answered; return when it was sent."""
        turns = self.turns()
        sent = self.prompt(text)
        until(lambda: self.turns() > turns)
        return sent

    def noted(self, event: str) -> int:
        """Return when the agent has last written that down."""
        lines = [it.split() for it in self._notes.read_text().splitlines()]
        return max((int(when) for name, when in lines if name == event), default=0)

    def count(self, event: str) -> int:
        """Return how often the agent has written that down."""
        return sum(it.startswith(f"{event} ") for it in self._notes.read_text().splitlines())

    def settle(self) -> None:
        """Wait until neither Neovim nor the host does anything."""
        while True:
            before = cpu(self.editor) + cpu(self.host)
            time.sleep(QUIET)
            if cpu(self.editor) + cpu(self.host) - before < 0.004:
                return


class Plugin(Client):
    """This plugin, of any version."""

    def start(self) -> None:
        self.nvim.lua(COUNT_TURNS)
        self.nvim.command("Acp start bench")
        self.nvim.wait("(require('acp').inspect().sessions[1] or {}).state == 'idle'")
        self.host = self.nvim.lua("return require('acp').inspect().host.pid")

    def prompt(self, text: str) -> int:
        code = "local now = vim.uv.hrtime() vim.cmd.AcpPrompt(...) return now"
        return int(self.nvim.lua(code, text))

    def turns(self) -> int:
        return int(self.nvim.lua("return _G.turns"))

    def answer(self, option: str) -> int:
        code = "local now = vim.uv.hrtime() require('acp').respond(_G.ask, ...) return now"
        return int(self.nvim.lua(code, option))


class Bare(Client):
    """bare.lua: the limit."""

    def __init__(self, nvim: Neovim, notes: Path) -> None:
        super().__init__(nvim, notes)
        nvim.lua("_G.bare = dofile(...)", str(BENCH / "bare.lua"))

    def start(self) -> None:
        agent = self.nvim.lua("return vim.g.acp.agents.bench")
        self.nvim.lua("bare.start(...)", [agent["command"], *agent["args"]])
        until(lambda: self.nvim.lua("return bare.is_ready or false"))

    def prompt(self, text: str) -> int:
        return int(self.nvim.lua("local now = vim.uv.hrtime() bare.prompt(...) return now", text))

    def turns(self) -> int:
        return int(self.nvim.lua("return bare.turns"))

    def answer(self, option: str) -> int:
        return int(self.nvim.lua("local now = vim.uv.hrtime() bare.answer(...) return now", option))


class Watch:
    """The costs of what is done within `of`, one row after the other."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.costs: dict[Row, float] = {}

    @contextmanager
    def of(self, deed: str, *, times: int = 1) -> Iterator[None]:
        """Take the CPU of what is done, until all is at rest, for each of so many times."""
        client = self._client
        client.settle()
        before = cpu(client.editor), cpu(client.host)
        yield
        client.settle()
        self.costs[deed, EDITOR] = 1000 * (cpu(client.editor) - before[0]) / times
        if client.host:
            self.costs[deed, HOST] = 1000 * (cpu(client.host) - before[1]) / times

    def tell(self, deed: str, until: int, since: int) -> None:
        """Note a time between two moments of the monotonic clock, in nanoseconds."""
        self.costs[deed, CLOCK] = (until - since) / 1e6


def until(there: Callable[[], object]) -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + PATIENCE
    while not there():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.02)


def started(client: Client, watch: Watch) -> None:
    before = cpu(client.editor)
    client.start()
    client.settle()
    watch.costs["start", EDITOR] = 1000 * (cpu(client.editor) - before)
    if client.host:
        watch.costs["start", HOST] = 1000 * cpu(client.host)
        watch.costs["start", "memory of the host, MB"] = memory(client.host)


def prompted(client: Client, watch: Watch) -> None:
    client.turn("hush")
    with watch.of("a prompt that is answered by nothing", times=5):
        sent = [(client.turn("hush"), client.noted("prompted")) for _ in range(5)]
    there, since = min((there - when, when) for when, there in sent)
    watch.tell("a prompt, until the agent has it", since + there, since)


def asked(client: Client, watch: Watch) -> None:
    with watch.of("a permission"):
        turns = client.turns()
        client.prompt("ask")
        until(lambda: client.nvim.lua("return _G.asked") > 0)
        time.sleep(0.7)  # a question takes no answer as soon as it is there
        answered = client.answer("yes")
        until(lambda: client.turns() > turns)
    shown = int(client.nvim.lua("return _G.asked"))
    watch.tell("a permission, until it is shown", shown, client.noted("asked"))
    watch.tell("… its answer, until the agent has it", client.noted("answered"), answered)


def commanded(client: Client, watch: Watch) -> None:
    for number in range(OPEN_BUFFERS):
        path = client.nvim.cwd / f"open_{number}.txt"
        path.write_text("one\ntwo\n")
        client.nvim.command(f"badd {path} | call bufload('{path}')")
    client.turn("run")
    with watch.of(f"the end of a command, {OPEN_BUFFERS} open buffers"):
        client.turn("run")


def edited(client: Client, watch: Watch) -> None:
    path = client.nvim.cwd / "long.txt"
    for hunks in (3, 2_000):
        client.nvim.command(f"edit! {path}")
        client.nvim.lua(UNSAVED, LINES)
        deed = f"{hunks:,} hunks in {LINES:,} unsaved lines"
        with watch.of(f"a read and a write: {deed}"):
            client.turn(f"edit {hunks} {path}")
        asked, answered = client.noted("asked"), client.noted("answered")
        watch.tell(f"a write: {deed}", answered, asked)
        assert client.nvim.lua(AGENTS_LINE) > 0
        if isinstance(client, Plugin):
            with watch.of(f"undo: {deed}"):
                client.nvim.command("Acp undo")
                until(lambda: client.nvim.lua(AGENTS_LINE) == 0)


def burst(client: Client, watch: Watch, lines: int) -> None:
    with watch.of(f"{lines:,} lines in 200 messages"):
        client.turn(f"burst 200 {lines // 200}")


def loaded(client: Client, watch: Watch, updates: int) -> None:
    with watch.of(f"a session of {updates:,} updates"):
        client.nvim.command(f"edit acp://bench/{updates}")
        last = f"Read step_{updates // 10 - 1}.py"
        until(lambda: client.nvim.lua(AT_THE_END, last))


def rested(client: Client, watch: Watch, seconds: float) -> None:
    client.settle()
    before = [woken(it) for it in (client.editor, client.host)]
    time.sleep(seconds)
    after = [woken(it) for it in (client.editor, client.host)]
    for name, was, now in zip(("editor", "host"), before, after, strict=True):
        watch.costs[f"at rest: wakeups of the {name}", "a minute"] = (now - was) * 60 / seconds


def woken(pid: int | None) -> int:
    """Return how often a process has given up the processor by itself."""
    status = Path(f"/proc/{pid}/status").read_text() if pid else "voluntary_ctxt_switches: 0"
    line = next(it for it in status.splitlines() if it.startswith("voluntary_ctxt"))
    return int(line.split()[1])


def memory(pid: int) -> float:
    """Return the megabytes of memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def measured(kind: type[Client], root: Path, *, small: bool) -> dict[Row, float]:
    """Return what each thing costs with that client."""
    with tempfile.TemporaryDirectory(prefix="acp") as folder:
        notes = Path(folder) / "notes"
        command = [sys.executable, str(BENCH / "agent.py"), str(notes)]
        options = {"agents": {"bench": {"command": command[0], "args": command[1:]}}}
        # a host as it is started for a user: none that has been warmed for tests
        with (
            Neovim(options, root=root, env={"LC_ALL": "C.UTF-8"}, plugin=kind is Plugin) as nvim,
            screen(nvim),
        ):
            client = kind(nvim, notes)
            watch = Watch(client)
            started(client, watch)
            prompted(client, watch)
            asked(client, watch)
            edited(client, watch)
            burst(client, watch, 4_000 if small else 20_000)
            rested(client, watch, 2 if small else 20)
            commanded(client, watch)
            if kind is Plugin:
                loaded(client, watch, 2_000 if small else 50_000)
            return watch.costs


@contextmanager
def tree(revision: str) -> Iterator[Path | None]:
    """Yield the plugin as it was at that revision; None where this copy does not know it."""
    git = ["git", "-C", str(ROOT)]
    known = subprocess.run([*git, "cat-file", "-e", f"{revision}^{{commit}}"], capture_output=True)
    if known.returncode:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="acp") as folder:
        packed = subprocess.run([*git, "archive", revision], capture_output=True, check=True)
        subprocess.run(["tar", "-x", "-C", folder], input=packed.stdout, check=True)
        python = str(Path(folder) / "python")
        subprocess.run([sys.executable, "-m", "compileall", "-q", python], check=False)
        yield Path(folder)


def release() -> str:
    """Return the last tag, or what stands for it."""
    command = ["git", "-C", str(ROOT), "describe", "--tags", "--abbrev=0", "--match", "v*"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or RELEASE


def ratio(now: float, then: float) -> float | None:
    """Return how many times as dear; what is next to nothing has no ratio."""
    return now / then if now > 1 and then > 1 else None


def rows(found: dict[str, dict[Row, float]], base: str) -> Iterator[tuple[str, float]]:
    """Yield the rows of a Markdown table, each with its ratio."""
    for row in found["now"]:
        costs = [found.get(name, {}).get(row) for name in (base, "now", "bare")]
        then, now, _ = costs
        times = ratio(now or 0, then or 0)
        cells = ["–" if it is None else f"{it:,.1f}" for it in costs]
        mark = f"**{times:.2f}**" if times and times > DEARER else f"{times:.2f}" if times else "–"
        yield f"| {row[0]} | {row[1]} | {' | '.join(cells)} | {mark} |", times or 0.0


def main() -> None:
    """Run the rounds, print the table; exit with 1 where something is over the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="small sizes, two rounds")
    parser.add_argument("--rounds", type=int, help="how often, if not three times")
    parser.add_argument("--against", default=release(), metavar="REVISION")
    parser.add_argument("--limit", type=float, default=1.5, help="the ratio that is an error")
    options = parser.parse_args()
    found: dict[str, dict[Row, float]] = {}
    with tree(options.against) as then:
        subjects: list[tuple[str, type[Client], Path]] = [
            ("now", Plugin, ROOT),
            ("bare", Bare, ROOT),
        ]
        if then:
            subjects.insert(0, (options.against, Plugin, then))
        else:
            print(f"{options.against} is not in this copy: nothing to compare with")
        for _ in range(options.rounds or (2 if options.small else 3)):
            for name, kind, root in subjects:
                for row, cost in measured(kind, root, small=options.small).items():
                    least = found.setdefault(name, {}).get(row, cost)
                    found[name][row] = min(least, cost)
    print(
        f"| | least of each | {options.against} | now | bare | ratio |\n|---|---|--:|--:|--:|--:|"
    )
    table = list(rows(found, options.against))
    print("\n".join(line for line, _ in table))
    print(f"\n{machine()}; over {DEARER} is marked")
    sys.exit(any(times > options.limit for _, times in table))


if __name__ == "__main__":
    main()
