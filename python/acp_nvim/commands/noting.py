"""What goes along with the next prompt besides the user's words: shown, read, and dropped."""

from __future__ import annotations

from typing import Any

from acp_nvim.commands.payloads import OfChat
from acp_nvim.commands.payloads.of_prompts import DropNote, OfNote
from acp_nvim.reactions.notes import key_of, refresh, show
from acp_nvim.view.diff.text import diff_lines
from acp_nvim.view.op import Replace
from acp_nvim.workspace.host import Host


def notes(host: Host, payload: OfChat) -> None:
    """Find out what goes along now; the prompt shows it when it has changed."""
    chat = host.workspace.chats.get(payload.chat)
    if chat is not None:
        refresh(host, chat)


def note_text(host: Host, payload: OfNote) -> dict[str, Any]:
    """Answer the ops that draw that note; without a `key` all that the prompt shows."""
    wanted = payload.key
    shown = host.review.notes.shown(key_of(host.workspace.chat(payload.chat)))
    texts = [note.text for note in shown.notes if wanted in (None, note.key)]
    return {"ops": [Replace(0, -1, diff_lines("\n".join(texts)))]}


def drop_note(host: Host, payload: DropNote) -> None:
    """The user does not want that note to go along; the agent will not hear of it."""
    chat = host.workspace.chat(payload.chat)
    host.review.notes.drop(key_of(chat), payload.key)
    show(host, chat, host.review.notes.shown(key_of(chat)))
