"""Images that the user pastes or drops into a prompt: read at once, for what was dropped may go.

The user has named the file, so it may be anywhere; it must be a plain one that holds an image.
"""

from __future__ import annotations

import base64
import itertools
import os
from collections.abc import Sequence

from anyio import to_thread

from acp_nvim.errors import FileProblem, UserError
from acp_nvim.files import disk
from acp_nvim.prompt import clipboard
from acp_nvim.session.content import Image

KINDS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
"""How files begin that hold an image."""


class HeldImages:
    """The images that go along with the next prompt of a chat, by number."""

    def __init__(self) -> None:
        self._images: dict[int, Image] = {}
        self._numbers = itertools.count(1)

    def hold(self, image: Image) -> int:
        """Keep an image; return its number."""
        number = next(self._numbers)
        self._images[number] = image
        return number

    def get(self, numbers: Sequence[int]) -> tuple[Image, ...]:
        """Return these images; raises `UserError` for one that is not held."""
        if any(number not in self._images for number in numbers):
            raise UserError("an image is not there any more: attach it again")
        return tuple(self._images[number] for number in numbers)

    def drop(self, *numbers: int) -> None:
        """Forget these images."""
        for number in numbers:
            self._images.pop(number, None)


async def from_file(path: str) -> Image:
    """Return the image in a file; raises `UserError`."""
    path = await to_thread.run_sync(os.path.realpath, path)
    name = os.path.basename(path)
    if disk.size(path) > clipboard.LARGEST:
        raise UserError(f"{name} is not attached: it is larger than {clipboard.LARGEST_TOLD}")
    try:
        data = await disk.read_bytes(path)
    except FileProblem as problem:
        raise UserError(f"{name} is not attached: {problem}") from problem
    kind = _kind(data)
    if kind is None:
        raise UserError(f"{name} is not attached: it holds no png, jpg, gif or webp")
    return await to_thread.run_sync(_encoded, data, kind)


async def from_clipboard() -> Image:
    """Return the image in the clipboard; raises `UserError`."""
    return await to_thread.run_sync(_encoded, await clipboard.image(), "image/png")


def _kind(data: bytes) -> str | None:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in KINDS if data.startswith(start)), None)


def _encoded(data: bytes, kind: str) -> Image:
    return Image(base64.b64encode(data).decode("ascii"), kind)
