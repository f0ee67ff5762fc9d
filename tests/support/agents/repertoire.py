"""All that an agent can do, one deed at a time: what the golden files show, files, commands, turns.

`deeds` gives them in an order that its random source decides.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.agents.voice import SESSION

GOLDEN = Path(__file__).parents[2] / "golden"
PREFIXES = ("update_", "ask_", "bad_", "state_")
ENDS = ("end_turn", "max_tokens", "refusal", "cancelled", "_odd")

Deed = tuple[str, Callable[[], None]]


class Repertoire:
    """One agent at work in `folder`. What the client says is taken, and judged by the schema."""

    def __init__(self, agent: StdioAgent, folder: Path, version: int) -> None:
        self._agent = agent
        self._folder = folder
        self._version = version
        self._prompt: dict[str, Any] | None = None
        self._count = 0

    def deeds(self, random: Random, files: tuple[Path, ...]) -> list[Deed]:
        """Return all of them, shuffled; `files` are written to, more than once."""
        deeds = [(it.stem, self._golden(it)) for it in self._messages()]
        deeds += [(f"end {reason}", lambda reason=reason: self._end(reason)) for reason in ENDS]
        deeds.append(("fail", self._fail))
        for number, path in enumerate([*files, *files]):
            deeds.append((f"disk {path.name}", lambda it=path, n=number: self._change(it, n)))
            if self._version == 1:
                deeds.append((f"read {path.name}", lambda it=path: self._read(it)))
                deeds.append((f"write {path.name}", lambda it=path, n=number: self._write(it, n)))
        if self._version == 1:
            deeds += [("terminal", self._terminal)] * 2
        random.shuffle(deeds)
        return deeds

    def take(self) -> None:
        """Take what the client has sent, until it has seen all that was sent to it."""
        self._count += 1
        barrier = f"barrier-{self._count}"
        self._agent.request("_test/barrier", {}, barrier)
        while (message := self._agent.next()).get("id") != barrier:
            if message.get("method") == "session/prompt":
                self._prompt = message
                self._begin(message)

    def exit(self) -> None:
        """End the process."""
        self._agent.exit()

    def runs(self) -> bool:
        """Say whether a turn runs."""
        return self._prompt is not None

    def _messages(self) -> list[Path]:
        files = sorted((GOLDEN / f"v{self._version}").glob("*.json"))
        return [it for it in files if it.name.startswith(PREFIXES)]

    def _golden(self, path: Path) -> Callable[[], None]:
        text = path.read_text(encoding="utf-8").replace('"/p', f'"{self._folder}')
        message = json.loads(text)
        params = message.get("params")
        if isinstance(params, dict) and "sessionId" in params:
            params["sessionId"] = SESSION

        def send() -> None:
            if "id" in message:
                self._ask(message["method"], params)
            else:
                self._agent.send(message)

        return send

    def _ask(self, method: str, params: Any) -> None:
        self._count += 1
        self._agent.request(method, params, f"deed-{self._count}")

    def _begin(self, prompt: dict[str, Any]) -> None:
        if self._version == 2:
            self._agent.reply(prompt, {})
            self._agent.update("state_update", state="running")

    def _end(self, reason: str) -> None:
        if self._version == 2:
            self._agent.update("state_update", state="idle", stopReason=reason)
        elif self._prompt:
            self._agent.end(self._prompt, reason)
        self._prompt = None

    def _fail(self) -> None:
        if self._version == 1 and self._prompt:
            self._agent.refuse(self._prompt, -32603, "no\nmoney \x1b[31m")
            self._prompt = None

    def _read(self, path: Path) -> None:
        self._ask("fs/read_text_file", {"sessionId": SESSION, "path": str(path)})

    def _write(self, path: Path, number: int) -> None:
        params = {"sessionId": SESSION, "path": str(path), "content": _anew(path, number)}
        self._ask("fs/write_text_file", params)

    def _change(self, path: Path, number: int) -> None:
        call = {"toolCallId": f"disk-{number}", "title": f"Edit {path.name}", "kind": "edit"}
        place = [{"path": str(path), "line": 1}]
        self._agent.update("tool_call", **call, status="in_progress", locations=place)
        whole = self._folder.with_name("whole")
        whole.write_text(_anew(path, number))
        whole.replace(path)  # a file that is half written would be seen so on a busy machine
        self._agent.update("tool_call_update", toolCallId=call["toolCallId"], status="completed")

    def _terminal(self) -> None:
        script = r"printf 'one\033[31mtwo\033]2;title\007\a\n%.0s' 1 2 3; exit 3"
        params = {"sessionId": SESSION, "command": "sh", "args": ["-c", script]}
        self._ask("terminal/create", params)


def _anew(path: Path, number: int) -> str:
    """Return the file with a line more above all and another end."""
    lines = path.read_text().splitlines() if path.exists() else []
    return "\n".join([f"agent {number}", *lines[:-1], f"last {number}"]) + "\n"
