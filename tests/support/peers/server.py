"""A remote agent on the official Python SDK, over HTTP and WebSockets, that does as it is told.

`say:TEXT`, `stream:N`, `ask:`, `read:PATH`, `slow:N`. Run as a program, with the peers' packages on
its path; prints its address. argv: PORT, and a file that keeps the sessions over a restart.
"""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
from pathlib import Path
from typing import Any

import acp.schema as schema
from acp import PROTOCOL_VERSION
from acp.http.asgi import create_asgi_app
from hypercorn.asyncio import serve
from hypercorn.config import Config

KEPT = Path(sys.argv[2])
STORE: dict[str, dict[str, Any]] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
OPTIONS = [
    schema.PermissionOption(option_id="y", name="Yes", kind="allow_once"),
    schema.PermissionOption(option_id="n", name="No", kind="reject_once"),
]


class Agent:
    """One connection."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._cancelled: set[str] = set()

    async def initialize(self, protocol_version: int, **_: Any) -> Any:
        sessions = schema.SessionCapabilities(list=schema.SessionListCapabilities())
        return schema.InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_capabilities=schema.AgentCapabilities(
                load_session=True, session_capabilities=sessions
            ),
            agent_info=schema.Implementation(name="remote-py", version="1"),
        )

    async def new_session(self, cwd: str, **_: Any) -> Any:
        session_id = uuid.uuid4().hex
        STORE[session_id] = {"cwd": cwd, "log": []}
        KEPT.write_text(json.dumps(STORE))
        return schema.NewSessionResponse(session_id=session_id)

    async def list_sessions(self, **_: Any) -> Any:
        known = [schema.SessionInfo(session_id=it, cwd=STORE[it]["cwd"]) for it in STORE]
        return schema.ListSessionsResponse(sessions=known)

    async def load_session(self, cwd: str, session_id: str, **_: Any) -> Any:
        for kind, text in STORE[session_id]["log"]:
            await self._tell(session_id, kind, text)
        return schema.LoadSessionResponse()

    async def cancel(self, session_id: str, **_: Any) -> None:
        self._cancelled.add(session_id)

    async def prompt(self, prompt: list[Any], session_id: str, **_: Any) -> Any:
        text = prompt[0].text  # what goes along comes after it
        STORE[session_id]["log"].append(("user", text))
        self._cancelled.discard(session_id)
        verb, _, rest = text.partition(":")
        await getattr(self, f"_{verb}")(session_id, rest)
        KEPT.write_text(json.dumps(STORE))
        is_cancelled = session_id in self._cancelled
        return schema.PromptResponse(stop_reason="cancelled" if is_cancelled else "end_turn")

    async def _say(self, session_id: str, text: str) -> None:
        STORE[session_id]["log"].append(("agent", text))
        await self._tell(session_id, "agent", text)

    async def _stream(self, session_id: str, count: str) -> None:
        for number in range(int(count)):
            await self._say(session_id, f"{number} ")

    async def _ask(self, session_id: str, _rest: str) -> None:
        call = schema.ToolCallUpdate(tool_call_id="t1", title="may I")
        answer = await self._client.request_permission(
            session_id=session_id, tool_call=call, options=OPTIONS
        )
        await self._say(session_id, f"answer {answer.outcome.option_id}")

    async def _read(self, session_id: str, path: str) -> None:
        read = await self._client.read_text_file(session_id=session_id, path=path)
        await self._say(session_id, f"read {read.content}")

    async def _slow(self, session_id: str, count: str) -> None:
        for number in range(int(count)):
            if session_id in self._cancelled:
                break
            await self._say(session_id, f"tick {number} ")
            await asyncio.sleep(0.05)

    async def _tell(self, session_id: str, kind: str, text: str) -> None:
        made = schema.UserMessageChunk if kind == "user" else schema.AgentMessageChunk
        content = schema.TextContentBlock(type="text", text=text)
        update = made(session_update=f"{kind}_message_chunk", content=content)
        await self._client.session_update(session_id=session_id, update=update)


async def main() -> None:
    config = Config()
    config.bind = [f"127.0.0.1:{sys.argv[1]}"]
    config.accesslog = None
    app = create_asgi_app(lambda client: Agent(client))  # type: ignore[arg-type, return-value]
    await serve(app, config)  # type: ignore[arg-type]


if __name__ == "__main__":
    asyncio.run(main())
