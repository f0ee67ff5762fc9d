"""`python -m tests.agents.run_far NAME…`: agents behind an address, as a table (see README.md)."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.agents.far import FarAgent, FarScript
from tests.agents.run import PROTOCOLS, RUNS, launched, parser, play, told, tools
from tests.support.peers.peer import KINDS, PeerServer
from tests.support.peers.served import Served

SCHEMES = ("ws", "http")
CROW = ("--http", "--port", "{port}")
SERVED = {
    "bub": {
        "ws": ("--transport", "websocket", "--port", "{port}"),
        "http": ("--transport", "http", "--port", "{port}"),
    },
    "crow": dict.fromkeys(SCHEMES, CROW),
    "crow2": dict.fromkeys(SCHEMES, CROW),
}
"""What makes a server of an agent's command."""
DEAF = ("bub",)
CHUNKS = 1_000
"""Of an agent whose model's server takes 20 ms for each."""


def main() -> int:
    """Run the script with each agent over each transport; return 1 if a step failed."""
    options = parser("tests.agents.run_far", KINDS)
    options.add_argument("--over", choices=SCHEMES, action="append", help="only this transport")
    arguments = options.parse_args()
    columns = {
        f"{name} {scheme}": _run(name, scheme, arguments)
        for name in arguments.names
        for scheme in arguments.over or SCHEMES
    }
    return told(columns, FarScript.steps())


def _run(name: str, scheme: str, arguments: argparse.Namespace) -> dict[str, str]:
    if name in KINDS:
        with tempfile.TemporaryDirectory() as folder, PeerServer(name, Path(folder)) as server:
            agent = FarAgent(f"{name}-{scheme}", "", scripted=False, url=server.url(scheme))
            return play(FarScript(agent, server), arguments)
    # where it runs alone in a network of its own, it cannot be reached
    command = launched(arguments.launcher, name, "--no-isolate")
    try:
        with Served([*command, *SERVED[name][scheme]]) as server:
            agent = FarAgent(
                f"{name}-{scheme}",
                "",
                url=server.url(scheme),
                run=RUNS.get(name, "run:{command}"),
                protocol=PROTOCOLS.get(name, 1),
                chunks=CHUNKS,
                deaf=name in DEAF,
                tools=tools(name, command),
            )
            return play(FarScript(agent, server), arguments)
    finally:
        subprocess.run([arguments.launcher, "--down", name], check=False)


if __name__ == "__main__":
    sys.exit(main())
