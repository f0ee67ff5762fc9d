"""A program that serves an agent on a port of this machine; it can be killed and started again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from contextlib import ExitStack
from types import TracebackType

from tests.support.ports import reserved

PATIENCE = 60.0
"""Seconds in which it must take connections."""


class Served:
    """`{port}` in the command is the port that is reserved for it."""

    def __init__(self, command: list[str], env: Mapping[str, str] | None = None) -> None:
        self._stack = ExitStack()
        self.port = self._stack.enter_context(reserved())
        self._command = [word.replace("{port}", str(self.port)) for word in command]
        self._env = env
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Served:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        self._stack.close()

    def url(self, scheme: str) -> str:
        """Return its address: all that we know serve this path."""
        return f"{scheme}://127.0.0.1:{self.port}/acp"

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        self._process = subprocess.Popen(
            self._command,
            env=self._env,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + PATIENCE
        while not _listens(self.port):
            assert self._process.poll() is None, "the server has ended"
            assert time.monotonic() < deadline, "the server does not start"
            time.sleep(0.02)

    def kill(self) -> None:
        """Kill it at once."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
