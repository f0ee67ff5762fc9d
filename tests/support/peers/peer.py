"""Servers on the official SDKs, as processes: `make peers` fetches what they need."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.peers.served import Served

HERE = Path(__file__).parent
PACKAGES = HERE.parents[2] / ".venv" / "peers"
KINDS = ("python", "typescript")


class PeerServer(Served):
    """One of the servers; it keeps its sessions in that folder."""

    def __init__(self, kind: str, folder: Path) -> None:
        command = [*_command(kind), "{port}", str(folder / "sessions.json")]
        super().__init__(command, os.environ | {"PYTHONPATH": str(PACKAGES / "python")})


def _command(kind: str) -> list[str]:
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
