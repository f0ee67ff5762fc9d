"""The way of one unit through the code, traced in the real host of a real Neovim.

    python -m tests.support.trace [--files | --json] {chunk,write,permission,prompt,undo,command} …

prints how many files and functions of the package are entered, how often a function calls one of
another file, and what of the editor is called: from the beginning until nothing goes on any more.
Each way is gone twice and the second time counts, when all that is made once has been made.
"""

from __future__ import annotations

import argparse
import json
import shlex
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

from tests.support.agents.agent_edits import signs
from tests.support.agents.agent_edits import write as write_file
from tests.support.agents.stdio_agent import PATIENCE, StdioAgent
from tests.support.main_job import MainJob

PROBE = Path(__file__).with_name("trace_probe.py")
YOUNG = 2.5
"""Seconds for which a file that has changed is read again and again, and a little more."""
TEXT = "".join(f"line {number}\n" for number in range(12))
MORE = (0, 10, 40)
"""Buffers that are open, too, when an agent's command ends."""

FLOAT = """
return vim.iter(vim.api.nvim_list_wins()):any(function(window)
  return vim.api.nvim_win_get_config(window).relative ~= ''
end)
"""


@dataclass(frozen=True, slots=True)
class Traced:
    """What was entered: files in the order of their first entries, and editor calls by name."""

    files: list[str]
    functions: int
    hops: int
    calls: dict[str, int]

    def figures(self) -> dict[str, int]:
        """Return its figures, by their columns in doc/architecture.md."""
        reads = [count for name, count in self.calls.items() if name.endswith("live.read")]
        return {
            "files": len(self.files),
            "functions": self.functions,
            "hops": self.hops,
            "editor calls": sum(self.calls.values()),
            "buffer reads": sum(reads),
        }


class Tracer:
    """A Neovim whose host has a probe, and an agent in a turn that runs; the stack ends it."""

    def __init__(self, stack: ExitStack) -> None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="acp")))
        path, python = str(folder / "sock"), folder / "python"
        server = stack.enter_context(socket.socket(socket.AF_UNIX))
        server.settimeout(PATIENCE)
        server.bind(path)
        server.listen()
        command = shlex.join([sys.executable, "-P", str(PROBE), path])
        python.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        python.chmod(0o700)
        self.job = stack.enter_context(MainJob({"python": str(python)}))
        self.paths = [self.job.edit("first.txt", TEXT), self.job.work / "second.txt"]
        self.more = [self.job.work / f"more-{number}.txt" for number in range(max(MORE))]
        for path in (self.paths[1], *self.more):
            path.write_text(TEXT)
        self.until_old()
        self.agent = self.job.start()
        self._link = stack.enter_context(server.accept()[0])
        self._link.settimeout(PATIENCE)
        self._chat: int = self.job.session()["bufnr"]
        self.begin("go")

    def begin(self, text: str) -> None:
        """Begin a turn."""
        self.prompt = self.job.turn(self.agent, text)

    def trace(self, act: Callable[[], object]) -> Traced:
        """Return what is entered by an act, which must not ask the host itself."""
        self._tell("open")
        act()
        return Traced(**json.loads(self._tell("close")))

    def show(self, path: Path) -> None:
        """Open that file in the window for files."""
        self.job.command(f"wincmd t | edit {path}")

    def until_shown(self, text: str) -> None:
        """Wait until the chat holds that text."""
        self.job.until(lambda: text in "\n".join(self.job.nvim.lines(self._chat)))

    def until_old(self) -> None:
        """Wait until no file has changed just now."""
        newest = max(path.stat().st_ctime for path in (*self.paths, *self.more))
        self.job.until(lambda: time.time() > newest + YOUNG)

    def _tell(self, line: str) -> str:
        self._link.sendall(f"{line}\n".encode())
        with self._link.makefile() as answers:
            return answers.readline()


Traces: TypeAlias = dict[str, Traced]


def chunk(tracer: Tracer, path: Path) -> Traces:
    """From a chunk of a message to the screen."""

    def act() -> None:
        tracer.agent.say(path.name)
        tracer.until_shown(path.name)

    return {"chunk": tracer.trace(act)}


def write(tracer: Tracer, path: Path) -> Traces:
    """From `fs/write_text_file` into a modified buffer to the answer, and to the marks."""
    job, agent = tracer.job, tracer.agent
    tracer.show(path)
    agent.ask("fs/read_text_file", path=str(path))
    job.command("call setline(10, 'of the user')")

    def act() -> None:
        write_file(agent, path, TEXT.replace("line 3", "of the agent"))
        job.until(lambda: signs(job))

    return {"write": tracer.trace(act)}


def permission(tracer: Tracer, path: Path) -> Traces:
    """From the question whether a file may be edited to its menu; from `:Acp permit` to its end."""
    job, agent = tracer.job, tracer.agent
    tracer.show(path)
    diff = {"type": "diff", "path": str(path), "oldText": "line 3\n", "newText": "agent\n"}
    call = {"toolCallId": path.name, "title": "Edit", "kind": "edit", "content": [diff]}

    def ask() -> None:
        agent.request_permission(path.name, toolCall=call)
        job.until(FLOAT)

    def answer() -> None:
        job.command("Acp permit 1")
        agent.answer_to(path.name)

    return {"permission asked": tracer.trace(ask), "permission answered": tracer.trace(answer)}


def prompt(tracer: Tracer, path: Path) -> Traces:
    """From `:AcpPrompt` to the wire; ends the turn that runs, and begins one."""
    tracer.job.finish(tracer.agent, tracer.prompt)
    return {"prompt": tracer.trace(lambda: tracer.begin(path.name))}


def undo(tracer: Tracer, path: Path) -> Traces:
    """From `:Acp undo` of a turn that has changed one file to what it says of that."""
    job, agent = tracer.job, tracer.agent
    tracer.show(path)
    write_file(agent, path, TEXT.replace("line 3", "of the agent"))
    job.until(lambda: signs(job))
    job.finish(agent, tracer.prompt)
    tracer.until_old()

    def act() -> None:
        job.command("Acp undo")
        job.until(lambda: path.read_text() == TEXT)

    traced = tracer.trace(act)
    tracer.begin(path.name)
    return {"undo": traced}


def end(agent: StdioAgent, call: str) -> None:
    """Let a command of the agent's be over."""
    agent.update("tool_call", toolCallId=call, title=call, kind="execute", status="completed")


def command(tracer: Tracer, path: Path) -> Traces:
    """From the end of an agent's command that has changed nothing to the chat, with more and more
    buffers open."""
    job, agent = tracer.job, tracer.agent
    found: Traces = {}
    for count in MORE if path == tracer.paths[1] else (0,):
        for more in tracer.more[:count]:
            job.command(f"badd {more} | call bufload('{more}')")
        call = f"{path.name}-{count}"
        end(agent, call)  # what is new until now is seen by this one
        tracer.until_shown(call)

        def act(call: str = f"{call} again") -> None:
            end(agent, call)
            tracer.until_shown(call)

        found[f"command, {count} more buffers"] = tracer.trace(act)
    return found


WAYS = {way.__name__: way for way in (chunk, write, permission, prompt, undo, command)}


def trace(*ways: str) -> Traces:
    """Return the parts of some ways, by name; one after another in one Neovim."""
    traces: Traces = {}
    with ExitStack() as stack:
        tracer = Tracer(stack)
        first, second = tracer.paths
        for way in ways:
            WAYS[way](tracer, first)
            tracer.until_old()
            traces |= WAYS[way](tracer, second)
    return traces


def main() -> None:
    """Print the ways that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.trace")
    parser.add_argument("ways", nargs="+", choices=WAYS)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--files", action="store_true", help="and the files, as they are entered")
    form.add_argument("--json", action="store_true", help="all that is known, as JSON")
    arguments = parser.parse_args()
    traces = {name: it for way in arguments.ways for name, it in trace(way).items()}
    if arguments.json:
        print(json.dumps({name: asdict(it) for name, it in traces.items()}, indent=2))
        return
    for name, traced in traces.items():
        figures = ", ".join(f"{count} {what}" for what, count in traced.figures().items())
        calls = ", ".join(f"{call} ×{count}" for call, count in sorted(traced.calls.items()))
        print(f"{name}: {figures} ({calls})")
        if arguments.files:
            print("".join(f"  {file}\n" for file in traced.files), end="")


if __name__ == "__main__":
    main()
