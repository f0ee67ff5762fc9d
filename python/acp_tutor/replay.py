"""`python -m acp_tutor.replay FILE`: an agent that says again what a log of `:Acp log` holds.

For a user who wants to see a conversation once more, or to show one that went wrong. What it says
follows the client: before each line the client must have said as many as it had said in the log, so
each prompt brings the next turn, whatever its text. Called by a person's configuration only.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

Message: TypeAlias = dict[str, Any]

ACTS = ("fs/write", "terminal/")
"""Requests that a replay does not repeat: they would change the user's files once more."""


@dataclass(frozen=True, slots=True)
class Line:
    """A message of the log; `agent` if the agent said it."""

    agent: bool
    message: Message


def read_log(lines: Iterable[str]) -> list[Line]:
    """Return the messages of a log in order; raises ValueError for a line that was cut."""
    found = []
    for number, text in enumerate(lines, 1):
        entry = json.loads(text)
        if entry["from"] in ("client", "agent"):
            try:
                message = json.loads(entry["line"])
            except ValueError:
                if entry["from"] == "client" or entry["line"].endswith(" characters)"):
                    said = f"line {number} is cut: record with log.level 'debug'"
                    raise ValueError(said) from None
                continue  # noise of the agent's
            found.append(Line(entry["from"] == "agent", message))
    return _harmless(found)


def _harmless(lines: list[Line]) -> list[Line]:
    """Leave out what would be done again: writing files, running commands, and the answers."""
    acts = {
        json.dumps(it.message.get("id"))
        for it in lines
        if it.agent and str(it.message.get("method")).startswith(ACTS)
    }
    return [it for it in lines if not _belongs(it, acts)]


def _belongs(line: Line, acts: set[str]) -> bool:
    asks = line.agent and str(line.message.get("method")).startswith(ACTS)
    answers = not line.agent and "method" not in line.message
    return asks or (answers and json.dumps(line.message.get("id")) in acts)


class Player:
    """Takes what the client says and answers with the agent's next lines; no I/O of its own."""

    def __init__(self, lines: Iterable[Line], write: Callable[[Message], None]) -> None:
        self._lines = deque(lines)
        self._write = write
        self._heard: list[Message] = []
        self._ids: dict[str, Any] = {}

    def receive(self, message: Message) -> None:
        """Take a message of the client's, and say all that came after its like in the log."""
        self._heard.append(message)
        if "method" in message and "id" in message and not self._expected(message["method"]):
            self._refuse(message)
            return
        self.go_on()

    def go_on(self) -> None:
        """Say what the agent said until it waited for the client."""
        while self._lines:
            line = self._lines[0]
            if line.agent:
                self._say(line.message)
            elif not self._was_heard(line.message):
                return
            self._lines.popleft()

    def _say(self, message: Message) -> None:
        if "method" not in message:
            message = message | {"id": self._ids.get(json.dumps(message["id"]), message["id"])}
        self._write(message)

    def _was_heard(self, wanted: Message) -> bool:
        """Tell whether the client has said the like, and remember under which id."""
        for position, message in enumerate(self._heard):
            if _alike(message, wanted):
                del self._heard[position]
                if "method" in wanted:
                    self._ids[json.dumps(wanted.get("id"))] = message.get("id")
                return True
        # a notification, such as a cancel, need not come again
        return "method" in wanted and "id" not in wanted

    def _expected(self, method: str) -> bool:
        return any(not it.agent and it.message.get("method") == method for it in self._lines)

    def _refuse(self, message: Message) -> None:
        self._heard.remove(message)
        error = {"code": -32601, "message": f"the log holds no further {message['method']}"}
        self._write({"jsonrpc": "2.0", "id": message["id"], "error": error})


def _alike(message: Message, wanted: Message) -> bool:
    if "method" in wanted:
        return bool(message.get("method") == wanted["method"])
    return "method" not in message and message.get("id") == wanted.get("id")


def _write(message: Message) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> int:
    """Play the log until the input ends; return the exit code."""
    if len(arguments) != 1:
        print("usage: python -m acp_tutor.replay FILE", file=sys.stderr)
        return 2
    try:
        lines = read_log(Path(arguments[0]).read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError, KeyError) as error:
        print(f"{arguments[0]} cannot be replayed: {error}", file=sys.stderr)
        return 1
    player = Player(lines, _write)
    for line in sys.stdin:
        player.receive(json.loads(line))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
