"""An agent in a process of its own whose every step the test decides, without an event loop.

The process (`relay.py`) only hands bytes on to the test, which plays the agent; each line that it
gets is judged by the schema. Every wait has a limit, nothing sleeps.

    stage = AgentStage(folder)
    with Neovim({"agents": {"scripted": stage.options()}}) as nvim:
        nvim.command("AcpStart scripted")
        agent = stage.accept()
        agent.initialize()
"""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Any

from tests.support.agents.voice import SESSION, Voice, parse
from tests.support.schema import validate_client_message

PATIENCE = 40
"""Seconds after which a line that does not come is a failure."""

RELAY = Path(__file__).with_name("relay.py")
CHUNK = 1 << 16


class AgentStage:
    """Where the processes of an agent report to the test."""

    def __init__(self, folder: Path) -> None:
        self.path = str(folder / "agent.sock")
        self._server = socket.socket(socket.AF_UNIX)
        self._server.settimeout(PATIENCE)
        self._server.bind(self.path)
        self._server.listen()
        self._agents: list[StdioAgent] = []

    def options(self) -> dict[str, Any]:
        """Return how to start the agent, for `vim.g.acp.agents`."""
        return {"command": sys.executable, "args": ["-P", "-S", str(RELAY), self.path]}

    def accept(self, version: int = 1) -> StdioAgent:
        """Return the agent that was started, which speaks that version of the protocol.

        Raises TimeoutError if none was.
        """
        self._agents.append(StdioAgent(self._server.accept()[0], version))
        return self._agents[-1]

    def close(self) -> None:
        """End all agents."""
        for agent in self._agents:
            agent.exit()
        self._server.close()


class StdioAgent(Voice):
    """One process of the agent."""

    def __init__(self, link: socket.socket, version: int = 1) -> None:
        super().__init__()
        self._link = link
        self._version = version
        self._link.settimeout(PATIENCE)
        self.received: list[dict[str, Any]] = []
        """Every message of the client, in order."""
        self._messages: list[dict[str, Any]] = []
        self._count = 0
        self._rest = b""
        pid, _, rest = link.recv(CHUNK).partition(b"\n")
        self.pid = int(pid)
        self._feed(rest)

    def write(self, data: bytes) -> None:
        """Write to stdout."""
        self._link.sendall(data)

    def exit(self) -> None:
        """End with code 0, once all that was written is handed on."""
        self._link.close()

    # --- from the client

    def next(self) -> dict[str, Any]:
        """Return the client's next message."""
        while not self._messages:
            data = self._link.recv(CHUNK)
            assert data, "the client closed stdin"
            self._feed(data)
        return self._messages.pop(0)

    def expect(self, method: str) -> dict[str, Any]:
        """Return the next message, which must be a call of that method."""
        message = self.next()
        assert message.get("method") == method, f"expected {method}, got {message}"
        return message

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return the response, which must be the next message."""
        self._count += 1
        request_id = f"ask-{self._count}"
        self.request(method, {"sessionId": SESSION, **params}, request_id)
        return self.answer_to(request_id)

    def answer_to(self, request_id: Any) -> dict[str, Any]:
        """Return the response to a request, which must be the next message."""
        message = self.next()
        assert "method" not in message and message["id"] == request_id, f"unexpected: {message}"
        return message

    def quiet(self) -> None:
        """Prove that the client has sent nothing: the barrier's answer is the next line."""
        self.ask("_test/barrier")

    def closed(self) -> None:
        """Wait until the client closes stdin, or ends the process; nothing may come before."""
        try:
            data = self._link.recv(CHUNK)
        except ConnectionResetError:
            data = b""
        assert not data and not self._messages, f"the client still sent {data!r}"

    # --- whole steps

    def initialize(self, **result: Any) -> dict[str, Any]:
        """Take `initialize`, answer it, and return it."""
        message = self.expect("initialize")
        self.reply(message, {"protocolVersion": 1, **result})
        return message

    def open(self, session: str = SESSION, **result: Any) -> dict[str, Any]:
        """Take `session/new`, answer it, and return it."""
        message = self.expect("session/new")
        self.reply(message, {"sessionId": session, **result})
        return message

    def prompted(self) -> dict[str, Any]:
        """Take a prompt; answer it with `end`."""
        return self.expect("session/prompt")

    def end(self, prompt: dict[str, Any], reason: str = "end_turn") -> None:
        """End the turn of that prompt."""
        self.reply(prompt, {"stopReason": reason})

    def _feed(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for raw in lines:
            message = parse(raw)
            asked = self.asked.get(json.dumps(message.get("id")))
            validate_client_message(message, asked, self._version)
            self.received.append(message)
            self._messages.append(message)
