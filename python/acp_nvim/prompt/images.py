"""Images that the user pastes or drops into a prompt: read at once, for what was dropped may go.

The user has named the file, so it may be anywhere; it must be a plain one that holds an image.
"""

from __future__ import annotations

import base64
import itertools
import os
import shlex
from collections.abc import Sequence
from urllib.parse import unquote

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
_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_MOST = 10


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


async def from_text(text: str) -> list[tuple[str, Image]]:
    """Return name and image of each file that a text names, if it names nothing else."""
    paths = await to_thread.run_sync(named, text)
    return [(os.path.basename(path), await from_file(path)) for path in paths]


def named(text: str) -> list[str]:
    """Return the images that a text names, if it names nothing else; of some words as a shell has
    them: file managers and terminals quote what is dropped."""
    found: list[str] = []
    for line in map(str.strip, text.splitlines()):
        try:
            words = [line] if _path(line) else shlex.split(line)
        except ValueError:  # a quotation mark alone
            return []
        paths = list(filter(None, map(_path, words)))
        if len(paths) < len(words) or len(found) + len(paths) > _MOST:
            return []
        found += paths
    return found


def _path(text: str) -> str | None:
    """Return the path of a file whose name is that of an image, if the text is one."""
    path = unquote(text.removeprefix("file://")) if text.startswith("file://") else text
    path = os.path.expanduser(path)
    is_one = os.path.isabs(path) and path.lower().endswith(_ENDINGS) and os.path.isfile(path)
    return path if is_one else None


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
