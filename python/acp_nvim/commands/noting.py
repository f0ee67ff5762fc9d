"""What goes along with the next prompt besides the user's words: shown, read, and dropped."""

from __future__ import annotations

from typing import Any, Literal

from acp_nvim.reactions.notes import key_of, refresh, show
from acp_nvim.view.diff.text import diff_lines
from acp_nvim.view.op import Replace
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host


def notes(host: Host, chat: int) -> None:
    """Find out what goes along now; the prompt shows it when it has changed."""
    shown = host.workspace.chats.get(chat)
    if shown is not None:
        refresh(host, shown)


def note_text(host: Host, chat: Chat, key: str | None = None) -> dict[str, Any]:
    """Answer the ops that draw that note; without a `key` all that the prompt shows."""
    shown = host.review.notes.shown(key_of(chat))
    texts = [note.text for note in shown.notes if key in (None, note.key)]
    return {"ops": [Replace(0, -1, diff_lines("\n".join(texts)))]}


def drop_note(host: Host, chat: Chat, key: Literal["comments", "rejected", "changed"]) -> None:
    """The user does not want that note to go along; the agent will not hear of it."""
    host.review.notes.drop(key_of(chat), key)
    show(host, chat, host.review.notes.shown(key_of(chat)))
