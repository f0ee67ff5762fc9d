"""What is drawn anew, and what is said of a session that no chat shows."""

from __future__ import annotations

from urllib.parse import quote

from acp_nvim.client.client import Client
from acp_nvim.client.session import Session
from acp_nvim.session.event import Event, Noticed, NoticeOver, SessionClosed, SessionOpened
from acp_nvim.session.state import SessionState
from acp_nvim.view.lists.sessions import is_other_work
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.session_list import kept_rows

MOVING = ("running", "cancelling", "loading")
"""States of a session in which its clock runs on screen."""


def touch(host: Host, session: Session) -> None:
    """Draw the chat of the session, if there is one."""
    chat = host.workspace.chat_of(session)
    if chat is not None:
        host.editor.screen.touch(chat.number)


def show(host: Host, session: Session, _before: SessionState, _event: Event) -> None:
    """Draw a chat of an earlier host: its session goes on."""
    chat = host.workspace.chat_of(session)
    if chat is not None and chat.suspended:
        session.apply(NoticeOver(chat.suspended))
        chat.suspended = ""
    if chat is not None and not chat.is_drawn:
        chat.is_drawn = True
        host.editor.screen.show(chat.number, chat.picture)


def touch_all(host: Host, client: Client) -> None:
    """Draw all chats with an agent."""
    for chat in host.workspace.chats.values():
        if chat.client is client:
            host.editor.screen.touch(chat.number)


def tick(host: Host) -> None:
    """Draw the clocks that run."""
    for chat in host.workspace.chats.values():
        if chat.session.state.status in MOVING or chat.login_since is not None:
            host.editor.screen.touch(chat.number)
            host.pulse.stir()
    for number in host.workspace.clocks():
        host.editor.screen.touch(number)


def list_work(host: Host, session: Session, before: SessionState, _event: Event) -> None:
    """Draw the sidebars if the session is at something else now."""
    sidebars = host.workspace.sidebars()
    if sidebars and is_other_work(before, session.state):
        for number in sidebars:
            host.editor.screen.touch(number)


def list_anew(host: Host, _session: Session, _before: SessionState, event: Event) -> None:
    """Draw the lists of the sessions; one that is closed is among those that are kept now."""
    if isinstance(event, SessionClosed) and host.workspace.lists:
        look_again(host)
    host.touch_lists()


def look_again(host: Host) -> None:
    """See what is kept of the sessions by now."""
    heads = host.store.heads()
    for it in host.workspace.lists.values():
        it.kept = kept_rows(heads, it.cwd, host.left_open, host.workspace.worktrees)


def name(host: Host, session: Session, _before: SessionState, event: SessionOpened) -> None:
    """Name the chat after the session."""
    chat = host.workspace.chat_of(session)
    if chat is not None:
        name_chat(host, chat, event.session_id)


def name_chat(host: Host, chat: Chat, session_id: str) -> None:
    """Name a chat after its session."""
    named = chat_name(chat.session.state.agent, session_id)
    host.tasks.start_soon(host.editor.chats.name, chat.number, named)


def notice(host: Host, session: Session, _before: SessionState, event: Noticed) -> None:
    """Say what stands in no chat: it is of the agent as a whole."""
    if session.id is None and host.workspace.chat_of(session) is None:
        host.editor.notifier.notice(f"{session.state.agent}: {event.text}")


def chat_name(agent: str, session_id: str, *more: str) -> str:
    """Return the name of a chat's buffer, or of a part of it, encoded outside of [A-Za-z0-9._-]."""
    return "acp://" + "/".join(map(_encode, (agent, session_id, *more)))


def _encode(name: str) -> str:
    return quote(name, safe="").replace("~", "%7E")
