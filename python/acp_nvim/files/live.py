"""What a file holds for the user at this moment: the text in the editor, else that of the disk."""

from __future__ import annotations

from dataclasses import dataclass

from acp_nvim.editor import Files, LiveBuffer
from acp_nvim.errors import Code, RequestFailed
from acp_nvim.files import disk
from acp_nvim.files.text import buffer_text, clean
from acp_nvim.view.review.note import Held, Unreadable


@dataclass(frozen=True, slots=True)
class Live:
    """What a file holds; `unsaved`: the editor has it, the disk has not."""

    text: Held
    unsaved: bool = False


async def live_text(files: Files | None, path: str) -> Live:
    """Return what that resolved path holds, as `fs/read_text_file` would; None asks no editor."""
    buffer = None if files is None else await files.loaded(path)
    if buffer is not None and buffer.modified:
        return Live(_shown(buffer), unsaved=True)
    encoding = "" if buffer is None else buffer.encoding or "utf-8"
    try:
        return Live(clean((await disk.read(path, encoding)).text))
    except RequestFailed as error:
        if error.code != Code.RESOURCE_NOT_FOUND:
            return Live(Unreadable())
    if buffer is None or not buffer_text(buffer):
        return Live(None)
    return Live(_shown(buffer), unsaved=True)  # deleted behind the user, who has it still


def _shown(buffer: LiveBuffer) -> Held:
    text = buffer_text(buffer)
    return Unreadable() if "\0" in text else clean(text)
