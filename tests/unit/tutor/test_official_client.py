"""The tutor against the client of the official Python SDK, which validates every message."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import acp
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    FileSystemCapabilities,
    ReadTextFileResponse,
    RequestPermissionResponse,
    WriteTextFileResponse,
)

from tests.unit.tutor.client import tutor_environment


class Editor:
    """The smallest client: one file, every permission granted."""

    def __init__(self) -> None:
        self.text = "one\n"
        self.updates: list[str] = []

    def on_connect(self, conn: Any) -> None:
        pass

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.updates.append(update.session_update)

    async def request_permission(self, options: list[Any], **_: Any) -> RequestPermissionResponse:
        chosen = AllowedOutcome(option_id=options[0].option_id, outcome="selected")
        return RequestPermissionResponse(outcome=chosen)

    async def read_text_file(self, **_: Any) -> ReadTextFileResponse:
        return ReadTextFileResponse(content=self.text)

    async def write_text_file(self, content: str, **_: Any) -> WriteTextFileResponse:
        self.text = content
        return WriteTextFileResponse()


async def test_an_edit_with_the_official_client(tmp_path: Path):
    editor = Editor()
    files = FileSystemCapabilities(read_text_file=True, write_text_file=True)
    async with acp.spawn_agent_process(
        editor,  # type: ignore[arg-type]
        *(sys.executable, "-P", "-m", "acp_tutor"),
        env=tutor_environment(),
    ) as (connection, _):
        await connection.initialize(1, client_capabilities=ClientCapabilities(fs=files))
        session = await connection.new_session(cwd=str(tmp_path), mcp_servers=[])
        await connection.set_session_mode(session_id=session.session_id, mode_id="quiet")
        response = await connection.prompt(
            session_id=session.session_id, prompt=[acp.text_block("/edit notes.txt")]
        )
    assert response.stop_reason == "end_turn"
    assert editor.text == "one\ntutor was here: 1\n"
    assert {
        "plan",
        "tool_call",
        "tool_call_update",
        "agent_message_chunk",
    } <= set(editor.updates)
