"""A stage whose agent is a real child process, written by the test as a few lines of Python.

async with ProcessStage(tmp_path, "serve(prompt=lambda request: os._exit(3))") as stage:
    session = await stage.start()
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from acp_nvim.client.launch import Launch
from acp_nvim.client.session import Session
from acp_nvim.transport import group
from acp_nvim.transport.child import spawn
from acp_nvim.transport.link import Link
from acp_nvim.transport.stdio import Stdio
from tests.support.stage import Stage

PRELUDE = """
import json, os, signal, sys

def read():
    line = sys.stdin.readline()
    return json.loads(line) if line else None

def lines(*messages):
    return "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\\n" for message in messages)

def send(*messages):
    sys.stdout.write(lines(*messages))
    sys.stdout.flush()

def answer(request, result):
    return {"id": request["id"], "result": result}

def chunk(text):
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    return {"method": "session/update", "params": {"sessionId": "s", "update": update}}

def serve(prompt=None):
    while (request := read()) is not None:
        if request["method"] == "initialize":
            send(answer(request, {"protocolVersion": 1}))
        elif request["method"] == "session/new":
            send(answer(request, {"sessionId": "s"}))
        elif request["method"] == "session/prompt":
            prompt(request)

"""


class ProcessStage(Stage):
    """Runs the script; at the end nothing of its process group may be left."""

    def __init__(self, folder: Path, code: str, **launch: Any) -> None:
        script = folder / "agent.py"
        script.write_text(PRELUDE + code, encoding="utf-8")
        super().__init__(
            folder,
            **{"command": sys.executable, "args": ("-I", "-S", str(script)), **launch},
        )
        self.folder = folder

    async def start(self, session: str = "s", **initialize: Any) -> Session:
        """Run the client up to an open session, or to one that could not be opened."""
        opened = self.launch()
        await self.until(lambda: opened.state.status != "loading")
        return opened

    async def _spawn(self, launch: Launch) -> Link:
        child = await spawn(
            launch.command,
            launch.args,
            env=launch.env if launch.env is not None else os.environ,
            cwd=launch.cwd,
            on_group=self._on_group,
            install=launch.install,
        )
        return Stdio(child)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await super().__aexit__(kind, error, trace)
        assert not any(map(group.alive, self.groups)), "a process of the agent is left"
