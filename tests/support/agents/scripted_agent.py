"""An agent whose every step the test decides; each line that it gets is judged by the schema.

There are no pauses: `quiet` proves that nothing came by a barrier, a request of its own whose
answer must be the next line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import anyio

from tests.support.agents.memory_link import MemoryLink
from tests.support.agents.voice import OPTIONS, SESSION, Voice, line, parse
from tests.support.schema import validate_client_message

PATIENCE = 40
"""Seconds after which a line that does not come is a failure."""


class Closed(AssertionError):
    """The client has closed stdin, which a test did not expect."""


class ScriptedAgent(Voice):
    """The agent's side of a `MemoryLink`."""

    def __init__(self, link: MemoryLink) -> None:
        super().__init__()
        self.link = link
        self.received: list[dict[str, Any]] = []
        """Every message of the client, in order."""
        self.raw: list[bytes] = []
        """The same as lines, without their ends."""
        self.cut: Callable[[bytes], Iterable[bytes]] = lambda data: [data]
        """How what is written is cut into pieces, each a read of the client's."""
        self._lines: list[dict[str, Any]] = []
        self._rest = b""
        self._count = 0
        self.version = 1
        """The version of the protocol that the client asks for: what it sends is judged by it."""

    # --- from the client

    async def next(self) -> dict[str, Any]:
        """Return the client's next message."""
        with anyio.fail_after(PATIENCE):
            while not self._lines:
                data = await self.link.read()
                if not data:
                    raise Closed
                self._feed(data)
        return self._lines.pop(0)

    async def expect(self, method: str) -> dict[str, Any]:
        """Return the next message, which must be a call of that method."""
        message = await self.next()
        assert message.get("method") == method, f"expected {method}, got {message}"
        return message

    async def answer_to(self, request_id: Any) -> dict[str, Any]:
        """Return the response to a request of the agent's; other messages stay in order."""
        seen: list[dict[str, Any]] = []
        while True:
            message = await self.next()
            if "method" not in message and _same(message["id"], request_id):
                self._lines = [*seen, *self._lines]
                return message
            seen.append(message)

    async def closed(self) -> None:
        """Wait until the client closes stdin; nothing may come before."""
        with anyio.fail_after(PATIENCE):
            data = await self.link.read()
        left = b"".join([*map(line, self._lines), self._rest, data])
        assert not left, f"the client still sent {left!r}"

    async def quiet(self) -> None:
        """Prove that the client has sent nothing: the barrier's answer is the next line."""
        self._count += 1
        barrier = f"barrier-{self._count}"
        self.request("_test/barrier", {}, barrier)
        message = await self.next()
        assert message.get("id") == barrier, f"unexpected: {message}"

    # --- to the client

    def write(self, data: bytes) -> None:
        """Write bytes as they are."""
        for piece in self.cut(data):
            self.link.write(piece)

    async def ask(self, method: str, params: Any, request_id: Any = 1) -> dict[str, Any]:
        """Send a request and return the response."""
        self.request(method, params, request_id)
        return await self.answer_to(request_id)

    # --- whole steps

    async def initialize(self, **result: Any) -> dict[str, Any]:
        """Take `initialize`, answer it, and return it."""
        message = await self.expect("initialize")
        self.reply(message, {"protocolVersion": 1, **result})
        return message

    async def initialize_2(self, **result: Any) -> dict[str, Any]:
        """Take an `initialize` of version 2, answer that all goes, and return it."""
        message = await self.expect("initialize")
        info = {"name": "scripted", "version": "1"}
        answer = {"protocolVersion": 2, "info": info, "capabilities": {"session": {}}}
        self.reply(message, answer | result)
        return message

    async def open(self, session: str = SESSION, **result: Any) -> dict[str, Any]:
        """Take `session/new`, answer it, and return it."""
        message = await self.expect("session/new")
        self.reply(message, {"sessionId": session, **result})
        return message

    def _feed(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for raw in lines:
            self.raw.append(raw)
            message = parse(raw)
            if message.get("method") == "initialize":
                self.version = message["params"]["protocolVersion"]
            asked = self.asked.get(json.dumps(message.get("id")))
            validate_client_message(message, asked, self.version)
            self.received.append(message)
            self._lines.append(message)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


__all__ = ["OPTIONS", "PATIENCE", "SESSION", "ScriptedAgent", "line"]
