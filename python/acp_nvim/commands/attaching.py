"""Images that go along with the next prompt: pasted, dropped, taken out again."""

from __future__ import annotations

from typing import Any

from acp_nvim.errors import UserError
from acp_nvim.prompt import images
from acp_nvim.view.chat.attachment import label
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
