"""What an agent can say: messages of ACP, as short calls. For agents that a test plays."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any

SESSION = "sess 1/ü"
"""An id that must be used verbatim."""

OPTIONS = [
    {"optionId": "yes", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


def line(message: Any) -> bytes:
    """Return a message as a line of the wire."""
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


class Voice(ABC):
    """The sending half of an agent; how bytes leave is up to whoever has the voice."""

    def __init__(self) -> None:
        self.asked: dict[str, str] = {}
        """The methods of the agent's requests, by their ids as JSON."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Write bytes as they are."""

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
        self.asked[json.dumps(request_id)] = method
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})

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

    def request_permission(
        self, request_id: Any = 1, session: str = SESSION, **fields: Any
    ) -> None:
        """Ask for a permission with the ordinary options."""
        params = {
            "sessionId": session,
            "toolCall": {"toolCallId": "call-1"},
            "options": OPTIONS,
        } | fields
        self.request("session/request_permission", params, request_id)


def parse(raw: bytes) -> dict[str, Any]:
    """Return the message, as the strictest of agents reads it."""
    message = json.loads(raw.decode("utf-8", "strict"), parse_constant=_refuse_constant)
    assert isinstance(message, dict), message
    json.dumps(message, ensure_ascii=False).encode("utf-8", "strict")  # no lone surrogate
    return message


def _refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")
