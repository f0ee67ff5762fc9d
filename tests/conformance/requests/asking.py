"""Permissions as the tests of several groups need them: asked, cancelled, answered."""

from __future__ import annotations

from typing import Any

from acp_nvim.client.session import Session
from tests.support.stage import Stage

CANCELLED = {"outcome": {"outcome": "cancelled"}}


def selected(option_id: str) -> dict[str, Any]:
    """Return the answer with that option."""
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


async def asked(stage: Stage, session: Session, *ids: Any) -> dict[str, Any]:
    """Start a turn in which these permissions are open; return the prompt request."""
    request = await stage.turn(session)
    for request_id in ids:
        stage.agent.request_permission(request_id, toolCall={"toolCallId": f"call-{request_id}"})
    await stage.until(lambda: len(session.state.questions) == len(ids))
    return request
