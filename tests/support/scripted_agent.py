"""An agent whose every step the test decides; each line that it gets is judged by the schema.

There are no pauses: `quiet` proves that nothing came by a barrier, a request of its own whose
answer must be the next line.
"""

from __future__ import annotations

import json
from typing import Any

import anyio

from tests.support.memory_link import MemoryLink
from tests.support.schema import validate_client_message

PATIENCE = 10
"""Seconds after which a line that does not come is a failure."""

SESSION = "sess 1/ü"
"""An id that must be used verbatim."""


class ScriptedAgent:
    """The agent's side of a `MemoryLink`."""

    def __init__(self, link: MemoryLink) -> None:
        self.link = link
        self.received: list[dict[str, Any]] = []
        """Every line of the client, in order."""
        self._lines: list[dict[str, Any]] = []
        self._rest = b""
        self._asked: dict[str, str] = {}
        self._count = 0

    # --- from the client

    async def next(self) -> dict[str, Any]:
        """Return the client's next message."""
        with anyio.fail_after(PATIENCE):
            while not self._lines:
                data = await self.link.read()
                assert data, "the client closed stdin"
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
        assert not data, f"the client still sent {data!r}"

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
        self.link.write(data)

    def send(self, message: dict[str, Any]) -> None:
        """Write a message as a line."""
        self.write(line(message))

    def reply(self, request: dict[str, Any], result: Any) -> None:
        """Answer a request of the client."""
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def refuse(self, request: dict[str, Any], code: int, message: str, data: Any = None) -> None:
        """Answer a request of the client with an error."""
        error = {"code": code, "message": message} | ({} if data is None else {"data": data})
        self.send({"jsonrpc": "2.0", "id": request["id"], "error": error})

    def request(self, method: str, params: Any, request_id: Any) -> None:
        """Send a request."""
        self._asked[json.dumps(request_id)] = method
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})

    async def ask(self, method: str, params: Any, request_id: Any = 1) -> dict[str, Any]:
        """Send a request and return the response."""
        self.request(method, params, request_id)
        return await self.answer_to(request_id)

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def update(self, name: str, /, session: str = SESSION, **fields: Any) -> None:
        """Send a `session/update` of that `sessionUpdate`."""
        update = {"sessionUpdate": name, **fields}
        self.notify("session/update", {"sessionId": session, "update": update})

    def say(self, text: str, session: str = SESSION, **fields: Any) -> None:
        """Send a chunk of an agent message."""
        content = {"type": "text", "text": text}
        self.update("agent_message_chunk", session, content=content, **fields)

    def request_permission(self, request_id: Any = 1, session: str = SESSION, **fields: Any) -> None:
        """Ask for a permission with the ordinary options."""
        params = {
            "sessionId": session,
            "toolCall": {"toolCallId": "call-1"},
            "options": OPTIONS,
        } | fields
        self.request("session/request_permission", params, request_id)

    # --- whole steps

    async def initialize(self, **result: Any) -> dict[str, Any]:
        """Take `initialize`, answer it, and return it."""
        message = await self.expect("initialize")
        self.reply(message, {"protocolVersion": 1, **result})
        return message

    async def open(self, session: str = SESSION, **result: Any) -> dict[str, Any]:
        """Take `session/new`, answer it, and return it."""
        message = await self.expect("session/new")
        self.reply(message, {"sessionId": session, **result})
        return message

    def _feed(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for raw in lines:
            message = json.loads(raw.decode("utf-8", "strict"), parse_constant=_refuse_constant)
            validate_client_message(message, self._asked.get(json.dumps(message.get("id"))))
            self.received.append(message)
            self._lines.append(message)


OPTIONS = [
    {"optionId": "yes", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


def line(message: Any) -> bytes:
    """Return a message as a line of the wire."""
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


def _refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")
