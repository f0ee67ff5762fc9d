"""An agent behind a WebSocket, in a thread of the test: for tests in which a real Neovim connects.

It opens sessions, says back what it is told, and keeps what it was asked and with which headers.
"""

from __future__ import annotations

import json
import threading
from types import TracebackType
from typing import Any

from websockets.datastructures import Headers
from websockets.sync.server import ServerConnection, serve


class SocketThread:
    """Serves while its `with` lasts, on a free port."""

    def __init__(self) -> None:
        self.headers: list[Headers] = []
        """Of each connection, in order."""
        self.asked: list[dict[str, Any]] = []
        self._server = serve(self._talk, "127.0.0.1", 0)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._connections: list[ServerConnection] = []

    def __enter__(self) -> SocketThread:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self.cut()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self._server.socket.getsockname()[1]}/acp"

    def cut(self) -> None:
        """Break off the connections that there are."""
        for connection in self._connections:
            connection.close_socket()
        self._connections.clear()

    def _talk(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        self.headers.append(connection.request.headers)
        self._connections.append(connection)
        for frame in connection:
            message = json.loads(frame)
            self.asked.append(message)
            for said in _answers(message):
                connection.send(json.dumps({"jsonrpc": "2.0", **said}))


def _answers(message: dict[str, Any]) -> list[dict[str, Any]]:
    answer = {"id": message.get("id")}
    match message.get("method"):
        case "initialize":
            info = {"name": "thread", "version": "1"}
            capabilities = {"loadSession": True}
            result = {"protocolVersion": 1, "agentInfo": info, "agentCapabilities": capabilities}
            return [answer | {"result": result}]
        case "session/new":
            return [answer | {"result": {"sessionId": "s"}}]
        case "session/load":
            return [_chunk("as before"), answer | {"result": {}}]
        case "session/prompt":
            said = message["params"]["prompt"][0]["text"]
            return [_chunk(f"you said {said}"), answer | {"result": {"stopReason": "end_turn"}}]
        case _:
            return []


def _chunk(text: str) -> dict[str, Any]:
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    return {"method": "session/update", "params": {"sessionId": "s", "update": update}}
