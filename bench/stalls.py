"""Prints how long the host's loop and the editor are held while an agent sends what is huge.

Run as `python bench/stalls.py`, or with words of the rows that are wanted. A real host and a real
Neovim; README.md says what is measured. Linux only.
"""

from __future__ import annotations

import json
import shlex
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.agents.voice import SESSION, line
from tests.support.main_job import MainJob

BENCH = Path(__file__).resolve().parent
PATIENCE = 300.0
LINES = 200_000
ANSWERS = """
local chat, sent = ...
_G.waits = {}
_G.asking = vim.uv.new_timer()
local free = true
_G.asking:start(20, 20, vim.schedule_wrap(function()
  if free then
    free, sent = false, vim.uv.hrtime()
    require('acp.host.bridge').call('queue', { chat = chat }, function()
      free = true
      table.insert(_G.waits, (vim.uv.hrtime() - sent) / 1e6)
    end)
  end
end))
"""


def text(word: str, changed: int = 0) -> str:
    """Return many lines; of `changed` each one is another."""
    ends = [" X" if changed and at % changed == 0 else "" for at in range(LINES)]
    return "".join(f"{word} {at} of some words{end}\n" for at, end in enumerate(ends))


class Rig:
    """A Neovim whose host is watched, and an agent in a turn."""

    def __init__(self, stack: ExitStack) -> None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="acp")))
        python, server = folder / "python", stack.enter_context(socket.socket(socket.AF_UNIX))
        server.bind(str(folder / "sock"))
        server.listen()
        probe = [sys.executable, "-P", str(BENCH / "probe.py"), str(folder / "sock")]
        python.write_text(f'#!/bin/sh\nexec {shlex.join(probe)} "$@"\n')
        python.chmod(0o700)
        self.job = stack.enter_context(MainJob({"python": str(python)}))
        self.agent = self.job.start()
        self.agent._link.settimeout(PATIENCE)
        self._link = stack.enter_context(server.accept()[0])
        self.job.nvim.lua("_G.bench = dofile(...)", str(BENCH / "readers.lua"))
        self.prompt = self.job.turn(self.agent)
        threading.Thread(target=self._hear, daemon=True).start()

    def _hear(self) -> None:
        with suppress(AssertionError, OSError):  # it has ended
            while True:
                self.agent.next()

    def tell(self, word: str) -> Any:
        """Return what the probe answers."""
        self._link.sendall(f"{word}\n".encode())
        with self._link.makefile() as answers:
            return json.loads(answers.readline())

    def send(self, *updates: dict[str, Any]) -> None:
        """Send updates as fast as they are taken."""
        calls = ({"sessionId": SESSION, "update": update} for update in updates)
        told = ({"jsonrpc": "2.0", "method": "session/update", "params": it} for it in calls)
        self.agent.write(b"".join(map(line, told)))

    def measure(self, act: Callable[[], object]) -> tuple[float, float, float]:
        """Return ms: of the loop's CPU, of the editor's, and until a verb was answered at most."""
        nvim = self.job.nvim
        nvim.lua("bench.start_probe()")
        nvim.lua(ANSWERS, self.job.session()["bufnr"])
        self.tell("begin")
        act()
        deadline = time.monotonic() + PATIENCE
        calm = 0
        while calm < 4 and time.monotonic() < deadline:
            time.sleep(0.1)
            calm = calm + 1 if self.tell("idle") else 0
        held = self.tell("end")
        nvim.lua("_G.asking:stop() bench.stop_probe()")
        waits = nvim.lua("return _G.waits") or [0.0]
        return held, nvim.lua("return bench.busiest_gap()"), max(waits)


def said(content: str) -> dict[str, Any]:
    return {
        "sessionUpdate": "agent_message_chunk",
        "messageId": "m",
        "content": {"type": "text", "text": content},
    }


def tool(number: int = 0, **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": "tool_call", "toolCallId": f"t{number}", "title": "Run"} | fields


def printed(output: str) -> list[dict[str, Any]]:
    return [{"type": "content", "content": {"type": "text", "text": output}}]


def written(rig: Rig, content: str) -> None:
    path = rig.job.work / "long.txt"
    if not path.exists():
        path.write_text(text("line"))
    params = {"sessionId": SESSION, "path": str(path), "content": content}
    rig.agent.request("fs/write_text_file", params, "write")


def asked(rig: Rig) -> None:
    changes = [
        {"type": "diff", "path": f"/tmp/{at}", "oldText": "a\n", "newText": "b\n"}
        for at in range(20_000)
    ]
    rig.agent.request_permission("ask", toolCall={"toolCallId": "t", "content": changes})


def link(number: int) -> dict[str, Any]:
    content = {"type": "resource_link", "uri": f"file:///{number}", "name": "n"}
    return said("") | {"content": content}


def mode(number: int) -> dict[str, Any]:
    return {"sessionUpdate": "current_mode_update", "currentModeId": f"m{number}"}


LANGUAGES = ("php", "css", "vim", "perl", "html")
CODE = "".join(f"```{name}\nx = 1 // {{a}}\n```\n" for name in LANGUAGES)
ANSI = ("\x1b[31mx\x1b[0m" * 100 + "\n") * 5_000
ROWS: dict[str, Callable[[Rig], object]] = {
    "a file of 200,000 lines is written, 5,000 hunks": lambda rig: written(rig, text("line", 40)),
    "a file of 200,000 lines is written, each another": lambda rig: written(rig, text("other")),
    "a permission of 20,000 diffs": asked,
    "output of 1,000,000 escapes": lambda rig: rig.send(
        tool(status="failed", content=printed(ANSI))
    ),
    "a title of 10 MB": lambda rig: rig.send(
        tool(title="x " * 5_000_000, kind="execute", status="completed")
    ),
    "50,000 links in one message": lambda rig: rig.send(*map(link, range(50_000))),
    "fences of five languages": lambda rig: rig.send(said(CODE)),
    "50,000 changes of the mode": lambda rig: rig.send(
        *(
            {"sessionUpdate": "current_mode_update", "currentModeId": f"m{at}"}
            for at in range(50_000)
        )
    ),
    "20,000 tool calls": lambda rig: rig.send(
        *(tool(at, status="completed", content=printed("out\n" * 5)) for at in range(20_000))
    ),
    "one line of 20 MB": lambda rig: rig.send(said("x y " * 5_000_000)),
    "a table of 10,000 rows": lambda rig: rig.send(
        said("| a | b |\n|---|---|\n" + "".join(f"| {at} | `x` |\n" for at in range(10_000)))
    ),
    "a plan of 100,000 entries": lambda rig: rig.send(
        {
            "sessionUpdate": "plan",
            "entries": [
                {"content": f"step {at}", "priority": "high", "status": "pending"}
                for at in range(100_000)
            ],
        }
    ),
}


def main() -> None:
    print("| while | loop, ms | editor, ms | an answer, ms |\n|---|--:|--:|--:|")
    for name, act in ROWS.items():
        if all(word in name for word in sys.argv[1:]):
            with ExitStack() as stack:
                rig = Rig(stack)
                loop, editor, answer = rig.measure(lambda rig=rig, act=act: act(rig))  # type: ignore[misc]
                print(f"| {name} | {loop:.0f} | {editor:.0f} | {answer:.0f} |", flush=True)


if __name__ == "__main__":
    main()
