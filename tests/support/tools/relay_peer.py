"""An MCP client without an event loop: the test speaks to the relay as an agent would.

with RelayPeer(server) as peer:
    peer.initialize()
    peer.call("open_files")
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any

PATIENCE = 40.0
"""Seconds after which an answer that does not come is a failure."""


class RelayPeer:
    """A relay in a process of its own, started as `session/new` has said."""

    def __init__(self, server: Mapping[str, Any]) -> None:
        self._process = subprocess.Popen(
            [server["command"], *server["args"]],
            env={"PATH": os.environ["PATH"]} | {it["name"]: it["value"] for it in server["env"]},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._rest = b""
        self._count = 0
        self.notifications: list[dict[str, Any]] = []
        self._answers: dict[Any, dict[str, Any]] = {}

    def __enter__(self) -> RelayPeer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End it as an agent does."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._process.stdout.close()

    def ended(self) -> int:
        """Wait until it has ended by itself; return its code."""
        return self._process.wait(PATIENCE)

    @property
    def pid(self) -> int:
        return self._process.pid

    # --- messages

    def send(self, method: str, params: Any = None, **more: Any) -> None:
        """Send a message."""
        told = {} if params is None else {"params": params}
        self.write(
            json.dumps({"jsonrpc": "2.0", "method": method, **told, **more}).encode() + b"\n"
        )

    def write(self, data: bytes) -> None:
        """Write to its stdin."""
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def ask(self, method: str, params: Any = None) -> int:
        """Send a request and return its id."""
        self._count += 1
        self.send(method, params, id=self._count)
        return self._count

    def answer(self, number: Any) -> dict[str, Any]:
        """Return the answer to a request."""
        deadline = time.monotonic() + PATIENCE
        while number not in self._answers:
            self._take(deadline)
        return self._answers.pop(number)

    def request(self, method: str, params: Any = None) -> Any:
        """Send a request and return its result."""
        answer = self.answer(self.ask(method, params))
        assert "error" not in answer, answer
        return answer["result"]

    def until_notified(self, method: str) -> dict[str, Any]:
        """Wait for a notification, and return it."""
        deadline = time.monotonic() + PATIENCE
        while not (found := [it for it in self.notifications if it["method"] == method]):
            self._take(deadline)
        return found[0]

    def _take(self, deadline: float) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        ready, _, _ = select.select([stdout], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, "no answer"
        data = os.read(stdout.fileno(), 65_536)
        assert data, "the relay has ended"
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "method" in message:
                self.notifications.append(message)
            else:
                self._answers[message["id"]] = message

    # --- MCP

    def initialize(self, version: str = "2025-11-25") -> dict[str, Any]:
        """Shake hands."""
        info = {"name": "test", "version": "1"}
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
        result = self.request("initialize", params)
        self.send("notifications/initialized")
        return dict(result)

    def begin(self, tool: str, **arguments: Any) -> int:
        """Call a tool and return the id of the request."""
        params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": tool}}
        return self.ask("tools/call", params)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return what it gives; its error is a failure."""
        result = self.answer(self.begin(tool, **arguments))["result"]
        assert not result["isError"], result["content"][0]["text"]
        return dict(result.get("structuredContent") or {"text": result["content"][0]["text"]})

    def said(self, number: int) -> str:
        """Return the words of the answer to a call, whether a result or an error."""
        answer = self.answer(number)
        if "error" in answer:
            return str(answer["error"]["message"])
        return str(answer["result"]["content"][0]["text"])

    def refused(self, tool: str, **arguments: Any) -> str:
        """Call a tool and return the sentence on why it gives nothing."""
        result = self.answer(self.begin(tool, **arguments))["result"]
        assert result["isError"], result
        return str(result["content"][0]["text"])
