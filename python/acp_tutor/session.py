"""What a scene can do in a session: speak, think, plan, show a tool call, ask, read, write.

The vocabulary of the protocol, one method each. Called by `scenes`; `agent` makes sessions.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import Any

from acp_tutor.connection import Connection, RequestFailed

MODES = [
    {"id": "guide", "name": "Guide mode", "description": "Explains what it does and what to press"},
    {"id": "quiet", "name": "Quiet mode", "description": "Does its work and says little"},
]
OPTIONS = [
    {"optionId": "allow-once", "name": "Yes", "kind": "allow_once"},
    {"optionId": "allow-always", "name": "Yes, and do not ask again", "kind": "allow_always"},
    {"optionId": "reject-once", "name": "No", "kind": "reject_once"},
    {"optionId": "reject-always", "name": "No, and do not ask again", "kind": "reject_always"},
]
_WORDS = re.compile(r"\s*\S+\s*|\s+")


@dataclass(frozen=True, slots=True)
class Abilities:
    """Which file methods the client serves."""

    read: bool = False
    write: bool = False

    @classmethod
    def of(cls, params: dict[str, Any]) -> Abilities:
        """Return what the parameters of `initialize` offer."""
        capabilities = params.get("clientCapabilities")
        files = capabilities.get("fs") if isinstance(capabilities, dict) else None
        if not isinstance(files, dict):
            return cls()
        return cls(files.get("readTextFile") is True, files.get("writeTextFile") is True)


class TurnCancelled(Exception):
    """The client withdrew a question because the turn is cancelled."""


class Session:
    """One conversation; `delay` is the time between two words, in seconds."""

    def __init__(
        self, id: str, cwd: str, connection: Connection, abilities: Abilities, delay: float
    ) -> None:
        self.id = id
        self.cwd = cwd
        self.abilities = abilities
        self.mode = "guide"
        self.turns = 0
        self.last_path: str | None = None
        self.lesson = 0
        """The one that the user is at, from 1; 0 before the first."""
        self.before_edit = ""
        """What the file held before it was edited last."""
        self.standing: bool | None = None
        """What the user said to edits for good, if anything."""
        self._connection = connection
        self._delay = delay
        self._messages = 0
        self._calls = 0

    def update(self, update_kind: str, /, **fields: Any) -> None:
        """Send a `session/update`."""
        update = {"sessionUpdate": update_kind, **fields}
        self._connection.notify("session/update", {"sessionId": self.id, "update": update})

    async def pause(self, words: int = 1) -> None:
        """Wait as long as that many words take; a cancel arrives here."""
        await asyncio.sleep(self._delay * words)

    async def say(self, markdown: str) -> None:
        """Stream a message, word by word."""
        await self._stream("agent_message_chunk", markdown)

    async def explain(self, markdown: str) -> None:
        """Stream a message that only a learner wants."""
        if self.mode == "guide":
            await self.say(markdown)

    async def think(self, text: str) -> None:
        """Stream a thought."""
        await self._stream("agent_thought_chunk", text)

    async def _stream(self, kind: str, text: str) -> None:
        self._messages += 1
        for word in _WORDS.findall(text):
            content = {"type": "text", "text": word}
            self.update(kind, content=content, messageId=f"{self.id}-message-{self._messages}")
            await self.pause()

    def say_at_once(self, markdown: str) -> None:
        """Send a message whole: there is no time left."""
        self._messages += 1
        content = {"type": "text", "text": markdown}
        message = f"{self.id}-message-{self._messages}"
        self.update("agent_message_chunk", content=content, messageId=message)

    def plan(self, steps: tuple[str, ...], done: int) -> None:
        """Show a plan: the first `done` steps completed, the next one in progress."""
        entries = [
            {"content": step, "priority": "medium", "status": _plan_status(position - done)}
            for position, step in enumerate(steps)
        ]
        self.update("plan", entries=entries)

    def start_call(self, title: str, kind: str, **fields: Any) -> str:
        """Show a new tool call, pending; return its id."""
        self._calls += 1
        call = f"{self.id}-call-{self._calls}"
        self.update(
            "tool_call", toolCallId=call, title=title, kind=kind, status="pending", **fields
        )
        return call

    def update_call(self, call: str, **fields: Any) -> None:
        """Change what is shown of a tool call."""
        self.update("tool_call_update", toolCallId=call, **fields)

    async def ask(self, call: str, **fields: Any) -> str:
        """Ask permission for a tool call and return the id of the option chosen.

        `fields` are what the question shows again of the call; it may be nothing.
        Raises `TurnCancelled`, and `RequestFailed` if the client cannot ask.
        """
        tool_call = {"toolCallId": call, **fields}
        result = await self._connection.request(
            "session/request_permission",
            {"sessionId": self.id, "toolCall": tool_call, "options": OPTIONS},
        )
        outcome = result.get("outcome")
        if not isinstance(outcome, dict) or outcome.get("outcome") != "selected":
            raise TurnCancelled
        return str(outcome.get("optionId"))

    async def read_file(self, path: str) -> str:
        """Return the text of a file as the editor has it. Raises `RequestFailed`."""
        params = {"sessionId": self.id, "path": path}
        content = (await self._connection.request("fs/read_text_file", params)).get("content")
        if not isinstance(content, str):
            raise RequestFailed("the answer holds no content")
        self.last_path = path
        return content

    async def write_file(self, path: str, content: str) -> None:
        """Write a whole file through the editor. Raises `RequestFailed`."""
        params = {"sessionId": self.id, "path": path, "content": content}
        await self._connection.request("fs/write_text_file", params)


def _plan_status(distance: int) -> str:
    if distance < 0:
        return "completed"
    return "in_progress" if distance == 0 else "pending"
