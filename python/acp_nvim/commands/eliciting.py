"""Elicitations of agents: show them, change their forms, answer them."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any

from acp_nvim.client.session import Session
from acp_nvim.errors import UserError
from acp_nvim.session.elicitation.address import judge
from acp_nvim.session.elicitation.model import Elicitation, Link
from acp_nvim.session.model import Question
from acp_nvim.view.question.elicitation import form_view
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host

TITLE = 200


def show(host: Host, session: Session, question: Question, elicitation: Elicitation) -> None:
    """Open the float of a new elicitation, and tell the user's scripts once it is there."""
    state = session.state
    data = {
        "agent": state.agent,
        "ask": question.id,
        "title": title(elicitation),
        "mode": elicitation.mode,
    }

    def announce() -> None:
        known = {"session": state.id} if state.id is not None else {}
        host.editor.notifier.event("AcpElicitationRequested", data | known)
        if host.workspace.options.permission.focus == "auto":
            host.editor.menus.focus(question.id, calmly=True)

    host.editor.menus.open(_view(host, session, question, elicitation), announce)


def title(elicitation: Elicitation) -> str:
    """Return the message as one line."""
    return one_line(elicitation.message, TITLE)


def fill(host: Host, payload: Mapping[str, Any]) -> None:
    """Change a field of a form; a late change does nothing."""
    ask_id = str(payload.get("ask"))
    option = payload.get("option")
    text = payload.get("text")
    filled = int(option) if option is not None else (None if text is None else str(text))
    if host.elicitations.fill(ask_id, int(payload.get("field", -1)), filled):
        _redraw(host, ask_id)


def respond(host: Host, question: Question, answer: Mapping[str, Any]) -> Awaitable[None] | None:
    """Accept, decline or cancel; raises `UserError` for what cannot be accepted."""
    action = answer.get("action")
    if action not in ("accept", "decline", "cancel"):
        raise UserError(f"an elicitation takes accept, decline or cancel, not {action}")
    wanted = question.elicitation.wanted if question.elicitation else None
    if action == "accept" and isinstance(wanted, Link):
        return _visit(host, question, wanted)
    content = answer.get("content")
    # an empty map may arrive from Lua as an empty list
    plain = content if isinstance(content, Mapping) else (None if content is None else {})
    if not host.elicitations.answer(question.id, action, plain):
        _redraw(host, question.id)
        raise UserError(_problems(host, question.id))
    return None


async def _visit(host: Host, question: Question, link: Link) -> None:
    """Open the link, now that the user has agreed, and tell the agent so (C-293, C-298)."""
    if refusal := judge(link.url).refusal:
        raise UserError(f"that address is not opened: {refusal}")
    if problem := await host.editor.menus.browse(link.url):
        raise UserError(f"the browser was not started: {problem}")
    host.elicitations.answer(question.id, "accept")


def _problems(host: Host, ask_id: str) -> str:
    """Return what is wrong with the form, without any answer in it."""
    errors = host.elicitations.draft(ask_id).errors
    said = "; ".join(f"{one_line(name, 40)}: {text}" for name, text in errors.items())
    return f"not sent: {said}"


def _redraw(host: Host, ask_id: str) -> None:
    for session in host.workspace.sessions():
        for question in session.state.questions:
            if question.id == ask_id and question.elicitation is not None:
                host.editor.menus.redraw(_view(host, session, question, question.elicitation))


def _view(host: Host, session: Session, question: Question, elicitation: Elicitation) -> Menu:
    agent = session.state.agent
    client, chat = host.workspace.client(agent), _chat(host, session)
    label = client.label if client is not None else agent
    drawn = form_view(elicitation, host.elicitations.draft(question.id), agent=label)
    return Menu(
        id=question.id,
        title=drawn.title,
        footer=drawn.footer,
        lines=drawn.lines,
        option_rows=tuple(row.row for row in drawn.rows),
        option_ids=(),
        detail=(),
        chat=chat.number if chat is not None else 0,
        form=drawn.rows,
    )


def _chat(host: Host, session: Session) -> Chat | None:
    """Return the session's chat, else the newest one of its agent, to show the float there."""
    own = [
        chat
        for chat in host.workspace.chats.values()
        if chat.session.state.agent == session.state.agent
    ]
    return host.workspace.chat_of(session) or next(reversed(own), None)
