"""An agent made with the official Python SDK that asks for values, and to visit an address.

It says what it was told. Run as a program.
"""

from __future__ import annotations

import asyncio
from typing import Any

import acp
from acp.schema import (
    ElicitationFormSessionMode,
    ElicitationSchema,
    ElicitationUrlSessionMode,
    InitializeResponse,
    NewSessionResponse,
    PromptResponse,
)

SCHEMA = ElicitationSchema.model_validate(
    {
        "properties": {
            "name": {"type": "string", "title": "Name"},
            "age": {"type": "integer"},
            "news": {"type": "boolean", "default": True},
            "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        },
        "required": ["name"],
    }
)
URL = "https://accounts.example.com/login"


class Elicitor:
    """Asks twice in each turn."""

    def on_connect(self, conn: Any) -> None:
        self._client = conn

    async def initialize(self, protocol_version: int, **told: Any) -> InitializeResponse:
        modes = told["client_capabilities"].elicitation
        assert modes.form is not None and modes.url is not None
        return InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, cwd: str, **_: Any) -> NewSessionResponse:
        return NewSessionResponse(session_id="sdk-1")

    async def prompt(self, prompt: list[Any], session_id: str, **_: Any) -> PromptResponse:
        form = ElicitationFormSessionMode(session_id=session_id, requested_schema=SCHEMA)
        answer = await self._client.create_elicitation("Who are you?", form)
        await self._say(session_id, f"{answer.action} {getattr(answer, 'content', None)}\n\n")
        link = ElicitationUrlSessionMode(session_id=session_id, elicitation_id="l", url=URL)
        answer = await self._client.create_elicitation("Log in", link)
        await self._client.complete_elicitation("l")
        await self._say(session_id, f"{answer.action} {getattr(answer, 'content', None)}\n\n")
        return PromptResponse(stop_reason="end_turn")

    async def _say(self, session_id: str, text: str) -> None:
        await self._client.session_update(session_id, acp.update_agent_message_text(text))

    async def cancel(self, session_id: str, **_: Any) -> None:
        pass


if __name__ == "__main__":
    asyncio.run(acp.run_agent(Elicitor()))  # type: ignore[arg-type]
