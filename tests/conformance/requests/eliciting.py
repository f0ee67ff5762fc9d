"""Elicitations as the tests of several groups need them: asked, shown, refused."""

from __future__ import annotations

from typing import Any

from acp_nvim.client.session import Session
from acp_nvim.session.model import ElicitationQuestion, Question
from acp_nvim.view.question.elicitation import elicitation_menu
from acp_nvim.view.question.menu import Menu
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import Stage
from tests.unit.view.look import looks

URL = "https://accounts.example.com/login?token=1"


def request_form(stage: Stage, request_id: Any = "e", **fields: Any) -> None:
    """Let the agent send a form."""
    params = {"mode": "form", "message": "m", "sessionId": SESSION, "requestedSchema": {}}
    stage.agent.request("elicitation/create", params | fields, request_id)


def request_link(stage: Stage, url: str = URL, request_id: Any = "e", **fields: Any) -> None:
    """Let the agent send a link."""
    params = {"mode": "url", "message": "m", "sessionId": SESSION, "elicitationId": "l", "url": url}
    stage.agent.request("elicitation/create", params | fields, request_id)


async def opened(stage: Stage, session: Session, count: int = 1) -> Question:
    """Wait until so many questions are open; return the newest."""
    await stage.until(lambda: len(session.state.questions) == count)
    return session.state.questions[-1]


async def ask_form(
    stage: Stage, session: Session, properties: Any, *, message: str = "m", **fields: Any
) -> Question:
    """Let the agent send a form of these properties, and return it once it is open."""
    required = {"required": fields.pop("required")} if "required" in fields else {}
    schema = {"requestedSchema": {"type": "object", "properties": properties, **required}}
    request_form(stage, message=message, **(schema | fields))
    return await opened(stage, session)


async def refused(stage: Stage, *, without: str = "", **fields: Any) -> str:
    """Let the agent send a form that is refused; return why."""
    params = {"mode": "form", "message": "m", "sessionId": SESSION, "requestedSchema": {}} | fields
    params.pop(without, None)
    error = (await stage.agent.ask("elicitation/create", params))["error"]
    assert error["code"] == -32602
    return str(error["message"])


def float_of(stage: Stage, session: Session, question: Question | None = None) -> Menu:
    """Return the float of that question, or of the oldest one."""
    question = question or session.state.questions[0]
    assert isinstance(question, ElicitationQuestion)
    return elicitation_menu(question, stage.questions.draft(question.id), agent="Scripted")


def float_text(stage: Stage, session: Session, question: Question | None = None) -> str:
    """Return the lines of that float."""
    return "\n".join(looks(float_of(stage, session, question).lines))
