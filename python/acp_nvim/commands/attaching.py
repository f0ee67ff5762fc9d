"""What goes along with the next prompt besides the user's words: images, and notes of ours. Each
can be taken out."""

from __future__ import annotations

from typing import Any, Literal

from acp_nvim.errors import UserError
from acp_nvim.prompt import images
from acp_nvim.reactions.notes import key_of, refresh, show
from acp_nvim.view.chat.attachment import label
from acp_nvim.view.diff.change import diff_lines
from acp_nvim.view.op import Replace
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host


async def attach_image(host: Host, chat: Chat, text: str | None = None) -> list[dict[str, Any]]:
    """Hold the images that a text names, or that in the clipboard; answer what each is.

    All or none are held: none where the text is another one.
    """
    if text is None:
        found = [("image", await images.from_clipboard())]
    else:
        found = await images.from_text(text)
    client = chat.client
    if found and client is not None and client.info and not client.info.capabilities.image:
        raise UserError(f"{client.name} takes no images: nothing is attached")
    return [
        {
            "image": chat.images.hold(image),
            "name": one_line(name, 200),
            "detail": label(image, chat.session.state.cwd).strip("[]"),
        }
        for name, image in found
    ]


def drop_image(host: Host, chat: Chat, image: int) -> None:
    """The user does not want that image to go along."""
    chat.images.drop(image)


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
