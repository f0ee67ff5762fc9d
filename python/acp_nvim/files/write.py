"""An agent's whole text for one file, brought together with the user's and written.

Through the buffer where the file is open, else to the disk. All of it happens, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from acp_nvim.editor import BufferOptions, Files, LiveBuffer
from acp_nvim.errors import AskFailed, Code
from acp_nvim.files import disk
from acp_nvim.files.baselines.snapshot import UNKNOWN, Text
from acp_nvim.files.disk import DiskText
from acp_nvim.files.text import (
    buffer_form,
    buffer_text,
    clean,
    encode,
    merge_lines,
)
from acp_nvim.hunks import Conflict, Hunk, apply, diff, reconcile

ATTEMPTS = 5
"""How often a write begins anew because the user types meanwhile."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What an agent wants a file to be: `content`, which it made of `base` (None: no file)."""

    path: str
    base: Text
    content: str


@dataclass(frozen=True, slots=True)
class Written:
    """The exact live text before, None where no file was, and after."""

    before: str | None
    after: str
    taken: bool = True
    """The agent's text is in it."""
    through: bool = True
    """Through a buffer; else to the disk, for there was none."""


class Clashed(AskFailed):
    """The user has changed the same places; nothing was written. `told`: what the user reads."""

    def __init__(self, wish: Wish, base: str, places: Iterable[Conflict], *, on_disk: bool) -> None:
        self.base = base
        self.places = tuple((place.first, place.last) for place in places)
        self.on_disk = on_disk
        line = self.places[0][0] + 1
        self.told = f"you have changed line {line}, too: your text stays, and the agent was told so"
        super().__init__(
            Code.INTERNAL_ERROR,
            f"{wish.path} was changed by the user since you read it, at line {line}: "
            "read it again and repeat your edit",
        )


async def write(files: Files, wish: Wish) -> Written:
    """Fulfil the wish, with the user's edits since its base. Raises `AskFailed`, or `Clashed`."""
    for _ in range(ATTEMPTS):
        buffer = await files.loaded(wish.path)
        if buffer is None:
            return await _to_disk(files, wish)
        written = await _through(files, wish, buffer)
        if written is not None:
            return written
    raise AskFailed(Code.INTERNAL_ERROR, f"{wish.path} keeps changing: try again later")


async def _to_disk(files: Files, wish: Wish) -> Written:
    """Write a file that is not open here."""
    holder = await files.holder(wish.path)
    if holder is not None:
        raise AskFailed(
            Code.INTERNAL_ERROR,
            f"{wish.path} is open in {holder}, which would overwrite it: it must be closed there",
        )
    now = await _now(wish.path)
    if now is None:
        await disk.write(wish.path, wish.content.encode())
        return Written(None, wish.content, through=False)
    base = wish.base if isinstance(wish.base, str) else now.text
    text = _merge(wish, base, now.text, now.text)
    if text != now.text:
        await disk.write(wish.path, encode(text, now.encoding))
    return Written(now.text, text, through=False)


async def _through(files: Files, wish: Wish, buffer: LiveBuffer) -> Written | None:
    """Write through the open buffer; None if it changed meanwhile."""
    if buffer.readonly or not buffer.modifiable:
        how = "read-only" if buffer.readonly else "not modifiable"
        raise AskFailed(Code.INTERNAL_ERROR, f"{wish.path} is {how} in the user's editor")
    found = await _now(wish.path, buffer.encoding or "utf-8")
    on_disk = None if found is None else clean(found.text)
    live = buffer_text(buffer)
    before = None if found is None and not buffer.modified else live
    ours = clean(live) if on_disk is None or buffer.modified else on_disk
    if buffer.modified and wish.base is UNKNOWN and wish.content == on_disk:
        # Some agents write the disk first and then tell us. What the user's edits were made upon
        # was never seen, so a merge could take either side's back: leave both.
        return Written(live, live, taken=False)
    text = _merge(wish, _base(wish, buffer, ours, on_disk), ours, on_disk)
    lines, options = buffer_form(text, buffer)
    hunks = diff([clean(line) for line in buffer.lines], lines)
    after = buffer_text(_edited(buffer, hunks, options))
    saved = text == on_disk and not buffer.modified
    if saved and after == live:
        return Written(before, after)
    if not await (files.follow if saved else files.write)(buffer, hunks, options):
        return None
    return Written(before, after)


def _base(wish: Wish, buffer: LiveBuffer, ours: str, on_disk: str | None) -> str:
    """Return the text that the agent's and the user's have in common, as far as that is known."""
    if isinstance(wish.base, str):
        return wish.base
    if not buffer.modified:
        return ours
    return "" if wish.base is None or on_disk is None else on_disk


async def _now(path: str, encoding: str = "") -> DiskText | None:
    """Return what the disk holds, None if there is no file. Raises `AskFailed` if it is no text."""
    try:
        return await disk.read(path, encoding)
    except AskFailed as error:
        if error.code != Code.RESOURCE_NOT_FOUND:
            raise
        return None


def _edited(buffer: LiveBuffer, hunks: Sequence[Hunk], options: BufferOptions) -> LiveBuffer:
    """Return the buffer as it is after an edit: lines that stayed may hold what is no text."""
    lines = tuple(apply(buffer.lines, hunks))
    return replace(
        buffer,
        lines=lines,
        empty=not lines or (buffer.empty and not hunks),
        fileformat=options.fileformat,
        encoding=options.encoding,
        bom=options.bom,
        endofline=options.endofline,
    )


def _merge(wish: Wish, base: str, ours: str, on_disk: str | None) -> str:
    """Return the agent's text with what the user changed since `base`. Raises `Clashed`."""
    if base == ours:
        return wish.content
    old, lines, new = merge_lines(base, ours, wish.content)
    outcome = reconcile(old, lines, new)
    if outcome.conflicts:
        raise Clashed(wish, base, outcome.conflicts, on_disk=on_disk == wish.content)
    return "".join(apply(lines, outcome.hunks))
