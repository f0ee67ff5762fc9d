"""The UI probe: what the user would see of a session, as text."""

from __future__ import annotations

from acp_nvim.client.session import Session
from acp_nvim.session.model import PermissionQuestion, Question
from acp_nvim.view.chat.transcript import render
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.question.permission import permission_menu
from acp_nvim.view.status import winbar
from tests.unit.view.look import looks


def chat(session: Session, *opened: str) -> list[str]:
    """Return the lines of the chat, those entries toggled, without empty ones."""
    drawn = render(session.state, frozenset(opened), None)
    return [line for block in drawn.blocks for line in looks(block.lines) if line]


def shows(session: Session, text: str, *opened: str) -> bool:
    """Say whether a line of the chat holds that text."""
    return any(text in line for line in chat(session, *opened))


def bar(session: Session, now: float = 0.0) -> str:
    """Return the winbar."""
    return winbar(session.state, title="Scripted", now=now).text


def menu(session: Session, question: Question | None = None) -> Menu:
    """Return the menu of that question, or of the oldest one."""
    state = session.state
    question = question or state.questions[0]
    assert isinstance(question, PermissionQuestion)
    tool = state.tool_call(question.tool_call_id)
    return permission_menu(question, tool, agent="Scripted", cwd=state.cwd, said="")


def menu_text(session: Session, question: Question | None = None) -> str:
    """Return the lines of that menu."""
    return "\n".join(looks(menu(session, question).lines))
