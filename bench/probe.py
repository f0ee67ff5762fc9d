"""The Python of a host that is watched: how long its loop is held at a time; for `stalls.py`.

    python probe.py SOCKET -c CODE PLUGIN

Each line over the socket is answered by one: "begin" by the process's id, "idle" by whether all is
drawn, "end" by the longest time in ms of CPU between two turns of the loop.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

CALM = 0.15
"""Seconds without a longer turn of the loop, after which it is idle."""
SHORT = 0.003
"""Seconds of a turn that tells of nothing that goes on."""


class Probe:
    """The watch over one loop."""

    def __init__(self) -> None:
        self._painters: list[Any] = []
        self._busy = 0.0
        self._longest = 0.0

    async def watch(self) -> None:
        """Wake up at each turn of the loop, for ever."""
        last, used = time.perf_counter(), time.process_time()
        while True:
            await asyncio.sleep(0.001)
            now, spent = time.perf_counter(), time.process_time()
            # a thread's work counts only as far as it holds the loop, another process's never
            self._longest = max(self._longest, min(now - last, spent - used))
            if spent - used > SHORT:
                self._busy = now
            last, used = now, spent

    def serve(self, path: str) -> None:
        """Answer until the other side is gone."""
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(path)
            for line in link.makefile():
                link.sendall(json.dumps(self._answer(line.strip())).encode() + b"\n")

    def _answer(self, line: str) -> Any:
        if line == "begin":
            self._longest = 0.0
            return os.getpid()
        if line == "end":
            return 1000 * self._longest
        is_drawn = all(not (it._dirty or it._busy or it._events) for it in self._painters)
        return is_drawn and time.perf_counter() - self._busy > CALM

    def install(self, package: str) -> None:
        """Know the host's painter, and watch the loop that is run first."""
        sys.path.insert(0, package)
        from acp_nvim.nvim.painter import Painter

        make, run = Painter.__init__, asyncio.BaseEventLoop.run_forever

        def noted(painter: Any, *arguments: Any, **named: Any) -> None:
            make(painter, *arguments, **named)
            self._painters.append(painter)

        def watched(loop: Any) -> None:
            if not hasattr(loop, "acp_watch"):
                loop.acp_watch = loop.create_task(self.watch())
            run(loop)

        Painter.__init__ = noted  # type: ignore[assignment,method-assign]
        asyncio.BaseEventLoop.run_forever = watched  # type: ignore[assignment,method-assign]


def main(path: str, code: str, plugin: str, *more: str) -> None:
    """Run the code, which runs the host with that plugin."""
    probe = Probe()
    probe.install(str(Path(plugin).parents[2] / "python"))
    threading.Thread(target=probe.serve, args=(path,), daemon=True).start()
    sys.argv[:] = ["-c", plugin, *more]
    exec(code, {"__name__": "__main__"})


if __name__ == "__main__":
    main(sys.argv[1], *sys.argv[3:])
