"""What follows when a question to the user opens, changes or closes: its menu, and who is told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from acp_nvim.client.session import Session
from acp_nvim.questions.preview import Previewed, PreviewService
from acp_nvim.session.event import QuestionClosed, QuestionOpened
from acp_nvim.session.model import PermissionQuestion, Question
from acp_nvim.session.proposal.proposal import Preview, proposals
from acp_nvim.session.state import SessionState
from acp_nvim.view.announcement import asked
from acp_nvim.view.question.elicitation import elicitation_menu
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.question.permission import permission_menu
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host


def show(host: Host, session: Session, _before: SessionState, event: QuestionOpened) -> None:
    """Open the menu of a new question, and tell the user's scripts once it is there.

    An elicitation needs no chat.
    """
    question = event.question
    if isinstance(question, PermissionQuestion) and host.workspace.chat_of(session) is None:
        return
    announcement = asked(session.state, question)

    def opened() -> None:
        host.editor.notifier.event(*announcement)
        if host.workspace.options.permission.focus == "auto":
            host.editor.menus.focus(question.id, calmly=True)

    better = _better(host, session, question)
    host.editor.menus.open(menu(host, session, question), opened, better)


def hide(host: Host, _session: Session, _before: SessionState, event: QuestionClosed) -> None:
    """Take the question's menu away."""
    host.editor.menus.close(event.id)


def redraw(host: Host, question_id: str) -> None:
    """Draw the form of a question as it is filled in now."""
    if found := find(host, question_id):
        host.editor.menus.redraw(menu(host, *found))


def find(host: Host, question_id: str) -> tuple[Session, Question] | None:
    """Return the open question of that id, and the session that it is of."""
    for session in host.workspace.sessions():
        for question in session.state.questions:
            if question.id == question_id:
                return session, question
    return None


def menu(
    host: Host, session: Session, question: Question, previews: Sequence[Preview] = ()
) -> Menu:
    """Return how a question looks."""
    state, agent, chat = session.state, label(host, session), _chat(host, session)
    if isinstance(question, PermissionQuestion):
        drawn = permission_menu(
            question,
            state.tool_call(question.tool_call_id),
            agent=agent,
            cwd=state.cwd,
            said=state.said,
            previews=previews,
        )
    else:
        drawn = elicitation_menu(question, host.questions.draft(question.id), agent=agent)
    return replace(drawn, chat=0 if chat is None else chat.number)


def label(host: Host, session: Session) -> str:
    """Return what the agent is called."""
    client = host.workspace.client(session.state.agent)
    return session.state.agent if client is None else client.label


async def gather(
    host: Host, session: Session, question: PermissionQuestion
) -> tuple[Previewed, ...]:
    """Return what the question is about, as the files are now."""
    call = session.state.tool_call(question.tool_call_id)
    if call is None:
        return ()
    return await PreviewService(host.editor.files).gather(call, host.workspace.roots(session))


def _better(
    host: Host, session: Session, question: Question
) -> Callable[[], Awaitable[Menu]] | None:
    """Return what finds out how the files would be; None if the question does not say."""
    call, cwd = session.state.tool_call(question.tool_call_id), session.state.cwd
    if not isinstance(question, PermissionQuestion) or call is None or not proposals(call, cwd):
        return None
    return partial(_with_previews, host, session, question)


async def _with_previews(host: Host, session: Session, question: PermissionQuestion) -> Menu:
    found = await gather(host, session, question)
    return menu(host, session, question, [it for it, _ in found])


def _chat(host: Host, session: Session) -> Chat | None:
    """Return the session's chat, else the newest one of its agent, to show the menu there."""
    chats = host.workspace.chats.values()
    own = [chat for chat in chats if chat.session.state.agent == session.state.agent]
    return host.workspace.chat_of(session) or next(reversed(own), None)
