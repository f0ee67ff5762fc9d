"""Talks to be disturbed: those that are recorded, and one of golden files for each version."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.replay import SESSIONS, Line, Message, recorded

GOLDEN = SESSIONS.parent
SESSION = "s1"
NEVER = "terminal/create"
"""What is disturbed is never run."""


@dataclass(frozen=True, slots=True)
class Talk:
    """One session from its start: all lines of both sides, as in a log."""

    name: str
    version: int
    session: str
    log: Path | None = None
    """None: it is made up of golden files."""

    def lines(self, project: Path) -> list[Line]:
        """Return it, as if its project were in that folder."""
        return recorded(self.log, project) if self.log else _made_up(self.version)

    def said(self) -> list[Message]:
        """Return the agent's messages."""
        return [message for source, message in self.lines(Path("/p")) if source == "agent"]


@cache
def golden(version: int) -> tuple[Message, ...]:
    """Return what an agent may say by itself: notifications and requests, of that session."""
    messages = [json.loads(it.read_text("utf-8")) for it in _files(version)]
    return tuple(it for it in messages if it.get("method") not in (None, NEVER))


def talks() -> list[Talk]:
    """Return all of them."""
    logs = [
        Talk(log.stem, _version(log), _session(log), log)
        for log in sorted(SESSIONS.glob("*.jsonl"))
    ]
    return [*logs, Talk("golden-1", 1, SESSION), Talk("golden-2", 2, SESSION)]


def _files(version: int) -> Iterator[Path]:
    return iter(sorted((GOLDEN / f"v{version}").glob("*.json")))


def _version(log: Path) -> int:
    """Return the version of the protocol that a recorded talk is in."""
    return int(recorded(log, Path("/p"))[0][1]["params"]["protocolVersion"])


def _session(log: Path) -> str:
    results = (message.get("result") for _, message in recorded(log, Path("/p")))
    return next(str(it["sessionId"]) for it in results if it and "sessionId" in it)


def _made_up(version: int) -> list[Line]:
    first, then, last = _calls(version)
    return [
        ("client", {"id": 0, "method": "initialize", "params": {}}),
        ("agent", {"jsonrpc": "2.0", "id": 0, "result": first}),
        ("client", {"id": 1, "method": "session/new", "params": {}}),
        ("agent", {"jsonrpc": "2.0", "id": 1, "result": then}),
        ("client", {"id": 2, "method": "session/prompt", "params": {"prompt": _GO}}),
        *(("agent", of_session(message, SESSION)) for message in golden(version)),
        ("agent", {"jsonrpc": "2.0", "id": 2, "result": last}),
    ]


_GO = [{"type": "text", "text": "go"}]


def _calls(version: int) -> tuple[Any, Any, Any]:
    """Return what the agent answers to `initialize`, `session/new` and `session/prompt`."""
    if version == 1:
        return {"protocolVersion": 1}, {"sessionId": SESSION}, {"stopReason": "end_turn"}
    info = {"name": "scripted", "version": "1"}
    first = {"protocolVersion": 2, "info": info, "capabilities": {"session": {}}}
    return first, {"sessionId": SESSION}, {"messageId": "u1"}


def of_session(message: Message, session: str, number: int = 0) -> Message:
    """Return the message as one of that session; a request has an id of its own."""
    params = message.get("params")
    if isinstance(params, dict) and "sessionId" in params:
        message = message | {"params": params | {"sessionId": session}}
    return message | {"id": f"golden-{number}-{message['id']}"} if "id" in message else message
