"""What an agent of ACP v2 says, as short calls, and what a file of the schema looks like."""

from __future__ import annotations

from typing import Any

from acp_nvim.client.session import Session
from tests.support.agents.scripted_agent import SESSION, ScriptedAgent
from tests.support.stage import Stage


def text(said: str) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": said}


def state(agent: ScriptedAgent, name: str, **fields: Any) -> None:
    """Say what the agent is at."""
    agent.update("state_update", state=name, **fields)


async def begin(stage: Stage, session: Session, said: str = "go") -> None:
    """Send a prompt, take it and be at work."""
    request = await stage.turn(session, said)
    stage.agent.reply(request, {"messageId": "u1"})
    state(stage.agent, "running")
    await stage.agent.quiet()


def ask(agent: ScriptedAgent, request_id: Any = 1, **fields: Any) -> None:
    """Ask for a permission."""
    options = [
        {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
        {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    ]
    params = {"sessionId": SESSION, "title": "May I?", "options": options} | fields
    agent.request("session/request_permission", params, request_id)
