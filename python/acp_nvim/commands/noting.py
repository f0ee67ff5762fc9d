"""What goes along with the next prompt besides the user's words: shown, read, and dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acp_nvim.ledger.delta import SessionKey
from acp_nvim.review.notes import Notes
from acp_nvim.session.event import Event, PromptSent, SessionOpened, TurnEnded
from acp_nvim.view.diff.text import diff_lines
from acp_nvim.view.op import Replace, to_plain
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host

BUSY = ("running", "cancelling")
"""States in which an agent may be changing files: what it has not seen is found out afterwards."""


def notes(host: Host, payload: Mapping[str, Any]) -> None:
    """Find out what goes along now; the prompt shows it when it has changed."""
    chat = host.workspace.chats.get(payload.get("chat") or 0)
    if chat is not None:
        refresh(host, chat)


def note_text(host: Host, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Answer the ops that draw that note; without a `key` all that the prompt shows."""
    wanted = payload.get("key")
    shown = host.review.notes.shown(_key(host.workspace.chat(payload.get("chat"))))
    texts = [note.text for note in shown.notes if wanted in (None, note.key)]
    return {"ops": [to_plain(Replace(0, 1, diff_lines("\n".join(texts))))]}


def drop_note(host: Host, payload: Mapping[str, Any]) -> None:
    """The user does not want that note to go along; the agent will not hear of it."""
    chat = host.workspace.chat(payload.get("chat"))
    which = payload.get("key")
    if which == "rejected" or which == "changed":
        host.review.notes.drop(_key(chat), which)
    _show(host, chat, host.review.notes.shown(_key(chat)))


def happened(host: Host, chat: Chat | None, event: Event) -> None:
    """Look again after what may have changed it; `chat` is None if no chat shows the session."""
    if chat is not None and isinstance(event, PromptSent | TurnEnded | SessionOpened):
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
            chat.noted.wanted = False
            _show(host, chat, await _draft(host, chat))
    finally:
        chat.noted.sought = False


async def _draft(host: Host, chat: Chat) -> Notes:
    if chat.session.state.status in BUSY:
        return Notes()
    await host.review.sync.caught_up()  # what the agent has done itself it knows
    return await host.review.notes.draft(_key(chat), host.workspace.roots(chat.session))


def _show(host: Host, chat: Chat, draft: Notes) -> None:
    labels = tuple((note.key, note.label) for note in draft.notes)
    if labels != chat.noted.labels:
        chat.noted.labels = labels
        host.editor.chats.notes(chat.number, labels)


def _key(chat: Chat) -> SessionKey:
    return chat.session.state.agent, chat.session.id or ""
