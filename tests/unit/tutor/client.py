"""A client of raw JSON lines for the tutor in a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
Message = dict[str, Any]
Answer = Callable[[Message], Message]
FS = {"readTextFile": True, "writeTextFile": True}


class Client:
    """Keeps all that the tutor sent; answers its requests from `answers`, by method."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.received: list[Message] = []
        self.answers: dict[str, Answer] = {}
        self._id = 0

    def send(self, *messages: Message) -> None:
        """Send these at once, so that the tutor has the last when it reads the first."""
        assert self.process.stdin is not None
        lines = (json.dumps({"jsonrpc": "2.0", **message}) for message in messages)
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())

    def start(self, method: str, **params: Any) -> int:
        """Send a request and return its id."""
        self._id += 1
        self.send({"id": self._id, "method": method, "params": params})
        return self._id

    def cancel(self, session: str) -> None:
        self.send({"method": "session/cancel", "params": {"sessionId": session}})

    async def request(self, method: str, **params: Any) -> Message:
        """Return the whole response to a request."""
        request_id = self.start(method, **params)
        return await self.until(lambda message: is_response(message, request_id))

    async def until(self, wanted: Callable[[Message], bool]) -> Message:
        """Receive, and answer, until a wanted message is there; return it."""
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            message: Message = json.loads(line)
            self.received.append(message)
            if "id" in message and message.get("method") in self.answers:
                self.send({"id": message["id"], **self.answers[message["method"]](message)})
            if wanted(message):
                return message
        raise EOFError("the tutor has ended")

    async def open(self, cwd: str = "/project") -> str:
        """Return the id of a new session."""
        response = await self.request("session/new", cwd=cwd, mcpServers=[])
        return str(response["result"]["sessionId"])

    async def prompt(self, session: str, text: str, *blocks: Message) -> str:
        """Return the stop reason of a turn."""
        content = [{"type": "text", "text": text}, *blocks]
        response = await self.request("session/prompt", sessionId=session, prompt=content)
        return str(response["result"]["stopReason"])

    def updates(self, kind: str) -> list[Message]:
        """Return all updates of a kind, in order."""
        params = (message.get("params") or {} for message in self.received)
        updates = (each["update"] for each in params if "update" in each)
        return [update for update in updates if update["sessionUpdate"] == kind]

    def said(self) -> str:
        """Return all text of the agent's messages."""
        return "".join(chunk["content"]["text"] for chunk in self.updates("agent_message_chunk"))

    def call_statuses(self) -> list[str]:
        """Return the statuses of all tool calls in the order in which they came."""
        updates = self.updates("tool_call") + self.updates("tool_call_update")
        return [update["status"] for update in updates if "status" in update]


def is_response(message: Message, request_id: int) -> bool:
    return "method" not in message and message.get("id") == request_id


def is_request(method: str) -> Callable[[Message], bool]:
    return lambda message: message.get("method") == method


def tutor_environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "python"), "ACP_TUTOR_DELAY": "0"}


@asynccontextmanager
async def tutor(fs: dict[str, bool] | None = None) -> AsyncIterator[Client]:
    """Run an initialized tutor; it must end by itself, with code 0 and silent, at end of input."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-W", "error", "-m", "acp_tutor"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=tutor_environment(),
    )
    client = Client(process)
    capabilities = {"fs": FS if fs is None else fs}
    await client.request("initialize", protocolVersion=1, clientCapabilities=capabilities)
    try:
        yield client
    finally:
        assert process.stdin is not None
        process.stdin.close()
        _, errors = await process.communicate()
    assert errors.decode() == ""
    assert process.returncode == 0
