"""The remote plugin: pynvim's host loads this file; `lua/acp/host/bridge.lua` starts that host.

Only pynvim and the standard library are imported here. The first notification imports the program,
so that a missing package can be told to the user (pynvim swallows import errors).
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from typing import Any

import pynvim

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

SWITCH = 0.0005
"""Seconds after which a thread that works gives way: each turn of the loop may wait so long."""
KEPT = "ACP_NVIM_KEPT_"
"""Before the names of variables that no Python of ours obeys (`lua/acp/host/interpreter.lua`)."""
MEMORY = ("MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_")
"""What that file says about the host's memory."""
REPORT = "require('acp.host.bridge').host_failed(...)"


@pynvim.plugin
class AcpHost:
    """The one door: every notification of Lua comes in here."""

    def __init__(self, nvim: pynvim.Nvim) -> None:
        # a yield or an exception here would lose notifications for ever: only store
        self.nvim = nvim
        self.app: Any = None
        self.waiting: list[tuple[Any, ...]] | None = None

    @pynvim.rpc_export("acp", sync=False)
    def acp(self, *arguments: Any) -> None:
        """Take (verb, payload, call); never raises, never waits."""
        if self.app is not None:
            self.app.receive(*arguments)
        elif self.waiting is not None:
            self.waiting.append(arguments)
        else:
            self.waiting = [arguments]
            self.task = self.nvim.loop.create_task(self.main())

    async def main(self) -> None:
        """Import the program and run it until Neovim leaves."""
        for name in MEMORY:  # the C library has read them; agents have memories of their own
            os.environ.pop(name, None)
        for name in [it for it in os.environ if it.startswith(KEPT)]:  # agents get them
            os.environ[name.removeprefix(KEPT)] = os.environ.pop(name)
        os.environ["PYDANTIC_DISABLE_PLUGINS"] = "1"  # they cost 20 ms to look for
        gc.disable()  # all that is loaded stays: searches in it are a tenth of the start
        try:
            from acp_nvim.app import App
            from acp_nvim.collector import COLLECTOR
            from acp_nvim.nvim.call import Call
            from acp_nvim.nvim.editor import neovim
        except ImportError as error:
            self.fail(_missing(error))
            return
        sys.setswitchinterval(SWITCH)
        COLLECTOR.spare()
        self.app = App(neovim(Call(self.nvim)), ROOT, self.nvim.stop_loop)
        for arguments in self.waiting or ():
            self.app.receive(*arguments)
        try:
            await self.app.run()
        except Exception as error:
            traceback.print_exc()
            self.fail(f"the host has failed ({error!r}): see :checkhealth acp")

    def fail(self, sentence: str) -> None:
        """Tell Lua that this host is of no use, and why."""
        self.nvim.request("nvim_exec_lua", REPORT, [sentence], async_=True)


def _missing(error: ImportError) -> str:
    if error.name and not error.name.startswith("acp_nvim"):
        return f"Python package {error.name} is missing in {sys.executable}: run :Acp install"
    return f"the plugin is incomplete ({error}): install it anew"
