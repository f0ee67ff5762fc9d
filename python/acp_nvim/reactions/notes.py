"""What goes along with the next prompt: found out after what may have changed it, and shown."""

from __future__ import annotations

from typing import Final

import anyio

from acp_nvim.client.session import Session
from acp_nvim.history.author import SessionKey
from acp_nvim.review.notes import Notes
from acp_nvim.session.event import Event
from acp_nvim.session.state import SessionState
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host

REST: Final = 0.2
"""Seconds until it is found out again: of many writes, not for each."""


def look_again(host: Host, session: Session, _before: SessionState, _event: Event) -> None:
    """Look again, if a chat shows the session."""
    chat = host.workspace.chat_of(session)
    if chat is not None:
        refresh(host, chat)


def look_around(host: Host, _session: Session, _before: SessionState, _event: Event) -> None:
    """A prompt has taken comments along: look again wherever these are shown."""
    for chat in host.workspace.chats.values():
        if any(key == "comments" for key, *_ in chat.noted.labels):
            refresh(host, chat)


def refresh(host: Host, chat: Chat) -> None:
    """Find out soon what goes along with the chat's next prompt; what is asked meanwhile, once."""
    chat.noted.wanted = True
    if not chat.noted.sought:
        chat.noted.sought = True
        host.tasks.start_soon(_find_out, host, chat)


async def _find_out(host: Host, chat: Chat) -> None:
    try:
        while chat.noted.wanted:
            if not chat.session.state.is_running:
                await host.review.sync.drain()  # what the agent has done itself it knows
            # what changes after it was drawn is told; what changed before, nobody tells
            await host.review.presenter.settled()
            chat.noted.wanted = False  # what was asked for until now is found out by this
            show(host, chat, await _draft(host, chat))
            await anyio.sleep(REST)
    finally:
        chat.noted.sought = False


async def _draft(host: Host, chat: Chat) -> Notes:
    if chat.session.state.is_running:  # what the agent has not seen is found out afterwards
        return Notes()
    return await host.review.notes.draft(key_of(chat), host.workspace.roots(chat.session))


def show(host: Host, chat: Chat, draft: Notes) -> None:
    """Show in the prompt what goes along, if that is not what it shows already."""
    labels = tuple((note.key, note.label, note.size) for note in draft.notes)
    if labels != chat.noted.labels:
        chat.noted.labels = labels
        host.editor.chats.notes(chat.number, labels)


def key_of(chat: Chat) -> SessionKey:
    """Return the agent and the session of a chat."""
    return chat.session.state.key
