"""An agent made with the official Python SDK, as anybody would write one.

Its turn: a plan, a read of the file named in the prompt, a tool call with a permission, and, if
that is given, a write. Run as a program.
"""

from __future__ import annotations

import asyncio
from typing import Any

import acp
from acp.schema import (
    AgentCapabilities,
    Implementation,
    InitializeResponse,
    NewSessionResponse,
    PermissionOption,
    PlanEntry,
    PromptCapabilities,
    PromptResponse,
    ToolCallUpdate,
)

OPTIONS = [
    PermissionOption(option_id="yes", name="Shout", kind="allow_once"),
    PermissionOption(option_id="no", name="Stay quiet", kind="reject_once"),
]


class Shouter:
    """Puts a file into capitals."""

    def on_connect(self, conn: Any) -> None:
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        return InitializeResponse(
            protocol_version=protocol_version,
            agent_capabilities=AgentCapabilities(
                prompt_capabilities=PromptCapabilities(embedded_context=True)
            ),
            agent_info=Implementation(name="shouter", title="Shouter", version="1.0"),
        )

    async def new_session(self, cwd: str, **_: Any) -> NewSessionResponse:
        return NewSessionResponse(session_id="sdk-1")

    async def prompt(self, prompt: list[Any], session_id: str, **_: Any) -> PromptResponse:
        client, path = self._client, prompt[0].text
        await client.session_update(
            session_id,
            acp.update_plan([PlanEntry(content="shout", priority="high", status="pending")]),
        )
        read = await client.read_text_file(path=path, session_id=session_id)
        call = acp.start_tool_call("call-1", "Shout", kind="edit", status="pending")
        await client.session_update(session_id, call)
        answer = await client.request_permission(
            session_id=session_id, tool_call=ToolCallUpdate(tool_call_id="call-1"), options=OPTIONS
        )
        allowed = getattr(answer.outcome, "option_id", None) == "yes"
        if allowed:
            text = read.content.upper()
            await client.write_text_file(content=text, path=path, session_id=session_id)
        status = "completed" if allowed else "failed"
        await client.session_update(session_id, acp.update_tool_call("call-1", status=status))
        for word in ("It ", "is ", "**done**."):
            await client.session_update(session_id, acp.update_agent_message_text(word))
        return PromptResponse(stop_reason="end_turn")

    async def cancel(self, session_id: str, **_: Any) -> None:
        pass


if __name__ == "__main__":
    asyncio.run(acp.run_agent(Shouter()))  # type: ignore[arg-type]
