"""The Python of a host that is traced: runs the host, and notes what of the package is entered.

    python trace_probe.py SOCKET -c CODE PLUGIN

`trace.py` sends lines over the socket, and each is answered by a line once nothing goes on any
more: "open" by null, "close" by what was entered since, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import anyio
import pynvim

QUIET = 0.5
"""Seconds without an entry after which nothing goes on: longer than Lua and the host wait in order
to do several things at once, shorter than the second after which a clock ticks."""
LOOK = 0.02
"""Seconds between two looks whether something goes on."""

request = pynvim.Nvim.request


class Probe:
    """What was entered while it was open; `package` is the folder of the code that counts."""

    def __init__(self, package: Path) -> None:
        self._package = f"{package}/"
        self._last = self._opened = time.monotonic()
        self._asking = 0
        self._is_open = False
        self._entered: list[CodeType] = []
        self._hops: list[CodeType] = []
        self._calls: Counter[str] = Counter()
        self._held: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    def enter(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a function that is called or goes on; for `sys.setprofile`."""
        code = frame.f_code
        if event != "call" or not self._is_ours(code):
            return
        self._last = time.monotonic()
        if not self._is_open:
            return
        self._entered.append(code)
        is_resumed = code.co_code[frame.f_lasti + 1] & 3  # the argument of its RESUME
        caller = frame.f_back
        while caller and not self._is_ours(caller.f_code):
            caller = caller.f_back
        if caller and caller.f_code.co_filename != code.co_filename and not is_resumed:
            self._hops.append(code)

    def request(self, nvim: pynvim.Nvim, name: str, *arguments: Any, **more: Any) -> Any:
        """Note a call of the editor: the name of the function of our Lua, else of the API."""
        if self._is_open:
            is_lua = name == "nvim_exec_lua" and len(arguments[1]) > 1
            self._calls[".".join(arguments[1][:2]) if is_lua else name] += 1
        self._asking += 1
        try:
            return request(nvim, name, *arguments, **more)
        finally:
            self._asking -= 1

    async def sleep(self, seconds: float) -> None:
        """Sleep; whoever slept when it was opened sleeps on until it is closed.

        So no clock ticks meanwhile, and what is slept for in there is still seen.
        """
        loop, over, began = asyncio.get_running_loop(), asyncio.Event(), time.monotonic()

        def ring() -> None:
            if self._is_open and began < self._opened:
                self._held.append((loop, over))
            else:
                over.set()

        timer = loop.call_later(seconds, ring)
        try:
            await over.wait()
        finally:
            timer.cancel()

    def serve(self, path: str) -> None:
        """Obey until the other side is gone."""
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(path)
            for line in link.makefile():
                while self._asking or time.monotonic() < self._last + QUIET:
                    time.sleep(LOOK)
                answer = self._open() if line == "open\n" else self._close()
                link.sendall(json.dumps(answer).encode() + b"\n")

    def _open(self) -> None:
        self._entered, self._hops, self._calls = [], [], Counter()
        self._opened = time.monotonic()
        self._is_open = True

    def _close(self) -> dict[str, Any]:
        self._is_open = False
        self._last = time.monotonic()  # now those wake up that were held
        for loop, over in self._held:
            loop.call_soon_threadsafe(over.set)
        self._held = []
        files = dict.fromkeys(it.co_filename for it in self._entered)
        return {
            "files": [it.removeprefix(self._package) for it in files],
            "functions": len(set(self._entered)),
            "hops": len(self._hops),
            "calls": self._calls,
        }

    def _is_ours(self, code: CodeType) -> bool:
        return code.co_filename.startswith(self._package)


def main(path: str, code: str, plugin: str, *more: str) -> None:
    """Run the code, which runs the host with that plugin."""
    probe = Probe(Path(plugin).parents[2] / "python" / "acp_nvim")
    pynvim.Nvim.request = lambda *arguments, **more: probe.request(*arguments, **more)
    anyio.sleep = probe.sleep
    threading.setprofile(probe.enter)
    sys.setprofile(probe.enter)
    server = threading.Thread(target=probe.serve, args=(path,), daemon=True)
    server.start()
    sys.argv[:] = ["-c", plugin, *more]
    exec(code, {"__name__": "__main__"})


if __name__ == "__main__":
    main(sys.argv[1], *sys.argv[3:])
