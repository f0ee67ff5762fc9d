"""Prints how long a key takes while an agent calls the tools of the editor, sixteen at a time.

Run as `python bench/tools.py`. A real host, Neovim and language server; README.md says what is
measured.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.main_job import MainJob
from tests.support.tools.tools_job import ToolsJob

KEYS = 600
EACH = 0.02
"""Seconds between two keys."""
AT_ONCE = 16
FILES = 20
LINES = 300
CALLS = 100
LISTEN = """
_G.came = {}
vim.api.nvim_create_autocmd('InsertCharPre', {
  callback = function() table.insert(_G.came, vim.uv.hrtime()) end,
})
"""


def source(number: int) -> str:
    """Return a module that uses the one before, with something to complain of."""
    body = "".join(
        f"def name_{row}(value):\n    return value + {row}\n\n\n" for row in range(LINES)
    )
    return f"import os\nfrom m{max(number - 1, 0)} import name_1\n\n\n{body}\nname_1(2)\n"


def calls(paths: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield calls of all kinds, for ever: reads, language servers, edits of files not on screen."""
    for count in itertools.count():
        path = paths[count % len(paths)]
        at = {"path": path, "line": 2, "symbol": "name_1"}
        yield "read_file", {"path": path}
        yield "definition", at
        yield "open_files", {}
        yield "diagnostics", {"path": path}
        yield "references", at
        yield "symbols", {"path": path}
        new = {"old_text": "import os", "new_text": "import os  #", "all": True}
        yield "edit_file", {"path": path, "edits": [new]}
        yield "review", {}


def keys(tools: ToolsJob) -> list[float]:
    """Type, and return how many ms it took until each key was typed."""
    tools.nvim.lua("_G.came = {}")
    sent = list[int]()
    for _ in range(KEYS):
        sent.append(time.monotonic_ns())
        tools.nvim.api.nvim_input("x")
        time.sleep(EACH)
    came = tools.nvim.wait(lambda: (all_ := tools.nvim.lua("return _G.came"))[KEYS - 1 :] and all_)
    return [(at - since) / 1e6 for at, since in zip(came, sent, strict=False)]


def told(what: str, taken: list[float]) -> None:
    """Print a row."""
    cut = statistics.quantiles(taken, n=100)
    print(f"| {what} | {cut[49]:.1f} | {cut[94]:.1f} | {cut[98]:.1f} |", flush=True)


class Caller(threading.Thread):
    """Keeps so many calls open until it is told to end."""

    def __init__(self, tools: ToolsJob, paths: list[str]) -> None:
        super().__init__()
        self.done = 0
        self.over = threading.Event()
        self._peer = tools.peer
        self._calls = calls(paths)

    def run(self) -> None:
        open_ = [self._begin() for _ in range(AT_ONCE)]
        while open_:
            self._peer.said(open_.pop(0))
            self.done += 1
            if not self.over.is_set():
                open_.append(self._begin())

    def _begin(self) -> int:
        name, arguments = next(self._calls)
        return self._peer.begin(name, **arguments)


def main() -> None:
    """Type alone, then beside the calls."""
    with MainJob() as job, ToolsJob(job) as tools:
        tools.pylsp()
        paths = [tools.file(f"m{number}.py", source(number)) for number in range(FILES)]
        tools.edit("typed.py", "x = 1\n")
        tools.nvim.lua(LISTEN)
        tools.nvim.input("o")
        print("| ms of a key | half | p95 | p99 |\n|---|--:|--:|--:|")
        told("alone", keys(tools))
        caller = Caller(tools, paths)
        caller.start()
        while caller.done < AT_ONCE:  # buffers are loaded, the server is at work
            time.sleep(0.1)
        before = caller.done
        taken = keys(tools)
        count = caller.done - before
        told(f"while {count} calls are answered, {AT_ONCE} at a time", taken)
        caller.over.set()
        caller.join()
        if count < CALLS:
            print(f"only {count} calls were answered: {CALLS} are wanted", file=sys.stderr)


if __name__ == "__main__":
    main()
