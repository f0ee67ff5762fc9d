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
from acp_nvim.workspace.workspace import Desk

BUSY = ("running", "cancelling")
"""States in which an agent may be changing files: what it has not seen is found out afterwards."""


def notes(desk: Desk, payload: Mapping[str, Any]) -> None:
    """Find out what goes along now; the prompt shows it when it has changed."""
    chat = desk.chats.get(payload.get("chat") or 0)
    if chat is not None:
        refresh(desk, chat)


def note_text(desk: Desk, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Answer the ops that draw that note; without a `key` all that the prompt shows."""
    wanted = payload.get("key")
    shown = desk.ground.lessons.shown(_key(desk.chat(payload.get("chat"))))
    texts = [note.text for note in shown.notes if wanted in (None, note.key)]
    return {"ops": [to_plain(Replace(0, 1, diff_lines("\n".join(texts))))]}


def drop_note(desk: Desk, payload: Mapping[str, Any]) -> None:
    """The user does not want that note to go along; the agent will not hear of it."""
    chat = desk.chat(payload.get("chat"))
    which = payload.get("key")
    if which == "rejected" or which == "changed":
        desk.ground.lessons.drop(_key(chat), which)
    _show(desk, chat, desk.ground.lessons.shown(_key(chat)))


def happened(desk: Desk, chat: Chat | None, event: Event) -> None:
    """Look again after what may have changed it; `chat` is None if no chat shows the session."""
    if chat is not None and isinstance(event, PromptSent | TurnEnded | SessionOpened):
        refresh(desk, chat)


def refresh(desk: Desk, chat: Chat) -> None:
    """Find out soon what goes along with the chat's next prompt; what is asked meanwhile, once."""
    chat.noted.wanted = True
    if not chat.noted.sought:
        chat.noted.sought = True
        desk.ground.start_soon(_find_out, desk, chat)


async def _find_out(desk: Desk, chat: Chat) -> None:
    try:
        while chat.noted.wanted:
            chat.noted.wanted = False
            _show(desk, chat, await _draft(desk, chat))
    finally:
        chat.noted.sought = False


async def _draft(desk: Desk, chat: Chat) -> Notes:
    if chat.session.state.status in BUSY:
        return Notes()
    await desk.ground.disk.drain()  # what the agent has done itself it knows
    return await desk.ground.lessons.draft(_key(chat), desk.roots(chat.session))


def _show(desk: Desk, chat: Chat, draft: Notes) -> None:
    labels = tuple((note.key, note.label) for note in draft.notes)
    if labels != chat.noted.labels:
        chat.noted.labels = labels
        desk.ground.show_notes(chat.number, [{"key": key, "label": it} for key, it in labels])


def _key(chat: Chat) -> SessionKey:
    return chat.session.state.agent, chat.session.id or ""
