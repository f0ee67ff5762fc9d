"""The UI probe: what the user would see of a session, as text."""

from __future__ import annotations

from acp_nvim.client.session import Session
from acp_nvim.session.model import Question
from acp_nvim.session.state import ToolCall
from acp_nvim.view.chat.transcript import render
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.question.permission import ask_view
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
    return winbar(session.state, title="Scripted", now=now)


def menu(session: Session, question: Question | None = None) -> Menu:
    """Return the menu of that question, or of the oldest one."""
    state = session.state
    question = question or state.questions[0]
    tool = state.entry(f"tool:{question.tool_call_id}")
    known = tool if isinstance(tool, ToolCall) else None
    return ask_view(question, known, agent="Scripted", cwd=state.cwd, said="")


def menu_text(session: Session, question: Question | None = None) -> str:
    """Return the lines of that menu."""
    return "\n".join(looks(menu(session, question).lines))
