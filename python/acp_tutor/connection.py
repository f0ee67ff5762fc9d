"""One connection as an agent sees it: lines in, calls out, and our own requests answered.

Called by `agent` and `session`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from acp_nvim.wire.framing import Framer
from acp_nvim.wire.message import Failure, Noise, Notification, Request, RequestId, parse_line
from acp_nvim.wire.peer import Peer, Reply


class RequestFailed(Exception):
    """The client answered a request of ours with an error; the text is the client's."""


class Connection:
    """JSON-RPC with the client; `write` takes whole lines."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._framer = Framer()
        self._peer = Peer()
        self._answers: dict[int, asyncio.Future[Any]] = {}

    def feed(self, data: bytes) -> list[Request | Notification | Noise]:
        """Take bytes of the client; return what it calls, in order."""
        calls: list[Request | Notification | Noise] = []
        for line in self._framer.feed(data):
            for message in parse_line(line):
                received = self._peer.receive(message)
                if isinstance(received, Reply):
                    self._settle(received)
                else:
                    calls.append(received)
        return calls

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification."""
        self._write(self._peer.notify(method, params))

    def respond(self, request_id: RequestId, result: object) -> None:
        """Answer a request of the client."""
        self._write(self._peer.respond(request_id, result))

    def fail(self, request_id: RequestId, code: int, message: str) -> None:
        """Answer a request of the client with an error."""
        self._write(self._peer.fail(request_id, code, message))

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Ask the client and return its result; no object counts as an empty one.

        Raises `RequestFailed`.
        """
        request_id, line = self._peer.request(method, params)
        answer = asyncio.get_running_loop().create_future()
        self._answers[request_id] = answer
        self._write(line)
        try:
            result = await answer
        finally:
            del self._answers[request_id]
        return result if isinstance(result, dict) else {}

    def _settle(self, reply: Reply) -> None:
        answer = self._answers.get(reply.id)
        if answer is None or answer.done():
            return  # the turn that asked was cancelled; the client answers all the same
        if isinstance(reply.message, Failure):
            answer.set_exception(RequestFailed(reply.message.message))
        else:
            answer.set_result(reply.message.result)
