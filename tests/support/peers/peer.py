"""Servers on the official SDKs, as processes: `make peers` fetches what they need."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

import pytest

HERE = Path(__file__).parent
PACKAGES = HERE.parents[2] / ".venv" / "peers"
KINDS = ("python", "typescript")


class PeerServer:
    """One of the servers, on a free port; it can be killed and started again."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.port = _free_port()
        self._command = _command(kind, folder)
        self._kept = folder / "sessions.json"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> PeerServer:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()

    def url(self, scheme: str) -> str:
        return f"{scheme}://127.0.0.1:{self.port}/acp"

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        environment = os.environ | {"PYTHONPATH": str(PACKAGES / "python")}
        self._process = subprocess.Popen(
            [*self._command, str(self.port), str(self._kept)],
            env=environment,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 60
        while not _listens(self.port):
            assert self._process.poll() is None, "the peer has ended"
            assert time.monotonic() < deadline, "the peer does not start"
            time.sleep(0.02)

    def kill(self) -> None:
        """Kill it at once."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None


def _command(kind: str, folder: Path) -> list[str]:
    if kind == "python":
        if not (PACKAGES / "python" / "hypercorn").exists():
            pytest.skip("the Python peer is not here: make peers")
        return [sys.executable, "-P", str(HERE / "server.py")]
    node = shutil.which("node")
    if node is None or not (PACKAGES / "node_modules" / "ws").exists():
        pytest.skip("the TypeScript peer is not here: make peers, where node is")
    # node looks for packages from where the program is
    program = PACKAGES / "server.mjs"
    shutil.copyfile(HERE / "server.mjs", program)
    return [node, str(program)]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
