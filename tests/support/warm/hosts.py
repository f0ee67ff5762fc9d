"""Hosts that need not load the program each time: forks of one process that has it loaded.

Loading takes more than all else that most tests do with a host. `python()` is a program to be given
as `vim.g.acp.python`: it hands what it was started with, its streams too, to that process, which
makes a fork of itself for it. A fork shares nothing with another one, and what it runs, plugin file
and all, is what Neovim has asked for; but what only a start can show (which Python, which packages)
is for tests that are `cold`. The program ends as its fork does, and the fork with the program.

`ACP_TEST_HOST=warm` in the environment wants it, which `tests/conftest.py` sets unless it is there;
with `ACP_TEST_HOST=cold` all tests start their hosts as users do, and so do benchmarks.
"""

from __future__ import annotations

import atexit
import fcntl
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import types
from contextlib import suppress
from functools import cache
from pathlib import Path

VARIABLE = "ACP_TEST_HOST"
ROOT = Path(__file__).resolve().parents[3]
PLUGIN = ROOT / "rplugin" / "python3" / "acp_host.py"
STARTER = Path(__file__).with_name("start.py")
F_SETSIG = getattr(fcntl, "F_SETSIG", 10)
BACKLOG = 64


def python() -> str:
    """Return what starts a host: a fork of a loaded one where that is possible and wanted."""
    if os.environ.get(VARIABLE) != "warm" or sys.platform != "linux":
        return sys.executable
    return _program(os.getpid())


@cache
def _program(_process: int) -> str:
    """Start the process that has all loaded; it ends when this one does."""
    folder = tempfile.TemporaryDirectory(prefix="acp")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(Path(folder.name, "sock")))
    Path(folder.name, "plugin").symlink_to(PLUGIN)
    server.listen(BACKLOG)
    warm = subprocess.Popen(
        [sys.executable, "-P", __file__, str(server.fileno())],
        stdin=subprocess.PIPE,
        pass_fds=[server.fileno()],
        start_new_session=True,
    )
    server.close()

    def end() -> None:
        assert warm.stdin
        warm.stdin.close()
        warm.wait()
        folder.cleanup()

    atexit.register(end)
    program = Path(folder.name, "python")
    source = STARTER.read_text(encoding="utf-8")
    program.write_text(f"#!{sys.executable} -IS\n{source}", encoding="utf-8")
    program.chmod(0o700)
    return str(program)


class Warm:
    """The process that has all loaded, and forks."""

    def __init__(self, server: socket.socket) -> None:
        self._server = server
        self._starters: dict[int, socket.socket] = {}
        """Who waits for the end of a fork, by its process."""
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(self._woken, False)

    def serve(self) -> str:
        """Fork for whoever comes; returns, only in a fork, the code that it shall run."""
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        while True:
            ready, _, _ = select.select([0, self._woken, self._server], [], [])
            if 0 in ready:
                os._exit(0)
            if self._woken in ready:
                os.read(self._woken, 4096)
                self._tell_ends()
            if self._server in ready and (code := self._fork()) is not None:
                return code

    def _tell_ends(self) -> None:
        while self._starters:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            with self._starters.pop(pid) as starter:
                tell(starter, b"%d" % os.waitstatus_to_exitcode(status))

    def _fork(self) -> str | None:
        starter, _ = self._server.accept()
        data, streams = hear(starter)
        if data is None:
            starter.close()
            for stream in streams:
                os.close(stream)
            return None
        pid = os.fork()
        if pid == 0:
            starter.close()
            self._become(streams[:3], streams[3])
            return _enter(*marshal.loads(data))
        self._starters[pid] = starter
        tell(starter, b"%d\n" % pid)
        for stream in streams:
            os.close(stream)
        return None

    def _become(self, streams: list[int], alive: int) -> None:
        """Be a process of its own, with these streams."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        for mine in (self._server, *self._starters.values()):
            mine.close()
        for mine in (self._woken, self._wake, *streams):
            os.close(mine)
        die_with(alive)


def die_with(alive: int) -> None:
    """Be killed as soon as nobody can write to this pipe any more: its starter is gone."""
    os.set_inheritable(alive, False)
    fcntl.fcntl(alive, F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(alive, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(alive, fcntl.F_SETFL, os.O_ASYNC)
    if select.select([alive], [], [], 0)[0]:  # before we could be told
        os.kill(os.getpid(), signal.SIGKILL)


def hear(starter: socket.socket) -> tuple[bytes | None, list[int]]:
    """Return what a starter was started with, or None if it is gone already, and its streams."""
    message, streams, _, _ = socket.recv_fds(starter, 1 << 20, 4)
    size, _, data = message.partition(b"\n")
    while size and len(data) < int(size):
        more = starter.recv(1 << 20)
        if not more:
            break
        data += more
    return (data if size and len(data) == int(size) else None), streams


def tell(starter: socket.socket, data: bytes) -> None:
    """Send to a starter, which may be gone."""
    with suppress(BrokenPipeError):
        starter.sendall(data)


def _enter(arguments: list[str], environment: dict[bytes, bytes], folder: str) -> str:
    """Take over what the starter was started with; return the code that `-c` has given it."""
    assert arguments[0] == "-c", arguments
    os.environb.clear()
    os.environb.update(environment)
    os.chdir(folder)
    sys.argv[:] = ["-c", *arguments[2:]]
    return arguments[1]


def load() -> None:
    """Import what a host imports."""
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "1"
    sys.path.insert(0, str(ROOT / "python"))
    import pynvim

    import acp_nvim.app
    import acp_nvim.collector
    import acp_nvim.nvim.call
    import acp_nvim.nvim.editor  # noqa: F401
    from acp_nvim import lazy

    lazy.load_all()

    del sys.path[0], pynvim


def main(server: int) -> None:
    """Load all, then be a host for each that is asked for."""
    load()
    code = Warm(socket.socket(fileno=server)).serve()
    scope = types.ModuleType("__main__")
    sys.modules["__main__"] = scope
    exec(compile(code, "<string>", "exec"), scope.__dict__)


if __name__ == "__main__":
    main(int(sys.argv[1]))
