"""A host for the tests of `lua/acp/host/bridge.lua`: it does nothing but note what it is told.

with HostStage() as stage:
    stage.nvim.lua("require('acp.host.bridge').notify('start', {agent = 'x'})")
    stage.until_told("start")
"""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.support.nvim import ROOT, Neovim

HOST = """
import os, signal, subprocess, sys
import pynvim

TOLD = "local t = _G.told or {} ; table.insert(t, {...}) ; _G.told = t"

@pynvim.plugin
class FakeHost:
    def __init__(self, nvim):
        self.nvim = nvim

    @pynvim.rpc_export("acp", sync=False)
    def acp(self, verb, payload, call):
        self.nvim.exec_lua(TOLD, verb, payload, call or 0)
        handler = getattr(self, "on_" + verb, None)
        result = handler(payload) if handler else payload
        if call and verb != "ignore":
            self.nvim.exec_lua("require('acp.host.bridge').answer(...)", call, None, result)

    def on_configure(self, payload):
        options = payload["options"]
        return options.get("problems", []) if isinstance(options, dict) else []

    def on_inspect(self, payload):
        return {"host": {"running": True, "pid": os.getpid()}, "sessions": []}

    def on_child(self, payload):
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        self.nvim.exec_lua("require('acp.host.bridge').group(...)", child.pid, True)
        self.nvim.exec_lua("_G.child = ...", child.pid)

    def on_complain(self, payload):
        sys.stderr.write("something is odd\\n")
        sys.stderr.flush()

    def on_fail(self, payload):
        self.nvim.exec_lua("require('acp.host.bridge').host_failed(...)", "acp: no package")

    def on_shutdown(self, payload):
        os._exit(0)
"""


class HostStage:
    """A Neovim whose plugin is the repository's but for the host; `options` are `vim.g.acp`."""

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        self._stack = ExitStack()
        self.root = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="acp")))
        (self.root / "lua").symlink_to(ROOT / "lua")
        plugins = self.root / "rplugin" / "python3"
        plugins.mkdir(parents=True)
        (plugins / "acp_host.py").write_text(HOST)
        self.nvim = self._stack.enter_context(Neovim(options))
        self.nvim.command(f"set rtp^={self.root}")

    def __enter__(self) -> HostStage:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def notify(self, verb: str, payload: dict[str, Any] | None = None) -> bool:
        """Let the bridge tell the host; returns what the bridge returns."""
        return bool(
            self.nvim.lua("return require('acp.host.bridge').notify(...)", verb, payload or {})
        )

    def call(self, verb: str, payload: dict[str, Any] | None = None) -> list[Any]:
        """Let the bridge ask the host; return error and result."""
        self.nvim.lua(
            """_G.answer = nil
            local verb, payload = ...
            require('acp.host.bridge').call(verb, payload, function(err, result)
              _G.answer = { err or vim.NIL, result == nil and vim.NIL or result }
            end)""",
            verb,
            payload or {},
        )
        return list(self.nvim.wait("_G.answer"))

    def told(self, verb: str) -> list[Any]:
        """Return the payloads that the host got with that verb, oldest first."""
        return [it[1] for it in self.nvim.lua("return _G.told or {}") if it[0] == verb]

    def until_told(self, verb: str, count: int = 1) -> Any:
        """Wait until the host got that verb so often; return the last payload."""
        return self.nvim.wait(lambda: len(self.told(verb)) >= count and self.told(verb)[-1:])[0]

    def running(self) -> bool:
        """Return whether the bridge has a host."""
        return bool(self.nvim.lua("return require('acp.host.bridge').running()"))

    def host(self) -> int:
        """Return the process id of the running host."""
        return int(self.nvim.lua("return require('acp.host.bridge').inspect().host.pid"))

    def child(self) -> int:
        """Let the host start a process in a group of its own; return that group."""
        self.notify("child")
        return int(self.nvim.wait("_G.child"))

    def messages(self) -> list[str]:
        """Return what the user was told, oldest first."""
        return [line for line in self.nvim.messages().splitlines() if line.startswith("acp: ")]

    def log(self) -> str:
        """Return the text of the log, "" if there is none."""
        path = Path(self.nvim.lua("return require('acp.host.log').path()"))
        return path.read_text() if path.exists() else ""


def is_alive(pid: int) -> bool:
    """Return whether there is such a process, zombies not counted."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def until_gone(*pids: int) -> None:
    """Wait until none of the processes is there, with or without an editor."""
    deadline = time.monotonic() + 40
    while any(map(is_alive, pids)):
        assert time.monotonic() < deadline, f"still alive: {pids}"


def script(path: Path, text: str) -> str:
    """Write a program for sh and return its path."""
    path.write_text("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)
    return str(path)
