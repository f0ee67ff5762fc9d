"""Images that go along with the next prompt: pasted, dropped, taken out again."""

from __future__ import annotations

from typing import Any

from acp_nvim.commands.payloads.of_prompts import AttachImage, DropImage
from acp_nvim.errors import UserError
from acp_nvim.prompt import images
from acp_nvim.view.chat.attachment import label
from acp_nvim.workspace.host import Host


async def attach_image(host: Host, payload: AttachImage) -> dict[str, Any]:
    """Hold the image in a file or in the clipboard; answer its number and what it is."""
    chat = host.workspace.chat(payload.chat)
    client = chat.client
    if client is not None and client.info and not client.info.capabilities.image:
        raise UserError(f"{client.name} takes no images: nothing is attached")
    path = payload.path
    image = await (images.from_clipboard() if path is None else images.from_file(path))
    said = label(image, chat.session.state.cwd).strip("[]")
    return {"image": chat.images.hold(image), "detail": said}


def drop_image(host: Host, payload: DropImage) -> None:
    """The user does not want that image to go along."""
    host.workspace.chat(payload.chat).images.drop(payload.image)
