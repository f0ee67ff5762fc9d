"""An agent's whole text for one file, brought together with the user's and written.

Through the buffer where the file is open, else to the disk. All of it happens, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from acp_nvim.editor import BufferOptions, Files, LiveBuffer
from acp_nvim.errors import Code, RequestFailed
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
from acp_nvim.hunks import ConflictRegion, Hunk, apply, diff, reconcile

ATTEMPTS = 5
"""How often a write begins anew because the user types meanwhile."""


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """What an agent wants a file to be: `content`, which it made of `base` (None: no file)."""

    path: str
    base: Text
    content: str


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The exact live text before, None where no file was, and after."""

    before: str | None
    after: str
    taken: bool = True
    """The agent's text is in it."""
    through: bool = True
    """Through a buffer; else to the disk, for there was none."""


class WriteConflict(RequestFailed):
    """The user has changed the same places; nothing was written. `told`: what the user reads."""

    def __init__(
        self, request: WriteRequest, base: str, places: Iterable[ConflictRegion], *, on_disk: bool
    ) -> None:
        self.base = base
        self.places = tuple((place.first, place.last) for place in places)
        self.on_disk = on_disk
        line = self.places[0][0] + 1
        self.told = f"you have changed line {line}, too: your text stays, and the agent was told so"
        super().__init__(
            Code.INTERNAL_ERROR,
            f"{request.path} was changed by the user since you read it, at line {line}: "
            "read it again and repeat your edit",
        )


async def write(files: Files, request: WriteRequest) -> WriteResult:
    """Write, with the user's edits since the base. Raises `RequestFailed`, or `WriteConflict`."""
    for _ in range(ATTEMPTS):
        buffer = await files.loaded(request.path)
        if buffer is None:
            return await _to_disk(files, request)
        written = await _through(files, request, buffer)
        if written is not None:
            return written
    raise RequestFailed(Code.INTERNAL_ERROR, f"{request.path} keeps changing: try again later")


async def _to_disk(files: Files, request: WriteRequest) -> WriteResult:
    """Write a file that is not open here."""
    holder = await files.holder(request.path)
    if holder is not None:
        raise RequestFailed(
            Code.INTERNAL_ERROR,
            f"{request.path} is open in {holder}, which would overwrite it: "
            "it must be closed there",
        )
    now = await _now(request.path)
    if now is None:
        await disk.write(request.path, request.content.encode())
        return WriteResult(None, request.content, through=False)
    base = request.base if isinstance(request.base, str) else now.text
    text = _merge(request, base, now.text, now.text)
    if text != now.text:
        await disk.write(request.path, encode(text, now.encoding))
    return WriteResult(now.text, text, through=False)


async def _through(files: Files, request: WriteRequest, buffer: LiveBuffer) -> WriteResult | None:
    """Write through the open buffer; None if it changed meanwhile."""
    if buffer.readonly or not buffer.modifiable:
        how = "read-only" if buffer.readonly else "not modifiable"
        raise RequestFailed(Code.INTERNAL_ERROR, f"{request.path} is {how} in the user's editor")
    found = await _now(request.path, buffer.encoding or "utf-8")
    on_disk = None if found is None else clean(found.text)
    live = buffer_text(buffer)
    before = None if found is None and not buffer.modified else live
    ours = clean(live) if on_disk is None or buffer.modified else on_disk
    if buffer.modified and request.base is UNKNOWN and request.content == on_disk:
        # Some agents write the disk first and then tell us. What the user's edits were made upon
        # was never seen, so a merge could take either side's back: leave both.
        return WriteResult(live, live, taken=False)
    text = _merge(request, _base(request, buffer, ours, on_disk), ours, on_disk)
    lines, options = buffer_form(text, buffer)
    hunks = diff([clean(line) for line in buffer.lines], lines)
    after = buffer_text(_edited(buffer, hunks, options))
    saved = text == on_disk and not buffer.modified
    if saved and after == live:
        return WriteResult(before, after)
    if not await (files.follow if saved else files.write)(buffer, hunks, options):
        return None
    return WriteResult(before, after)


def _base(request: WriteRequest, buffer: LiveBuffer, ours: str, on_disk: str | None) -> str:
    """Return the text that the agent's and the user's have in common, as far as that is known."""
    if isinstance(request.base, str):
        return request.base
    if not buffer.modified:
        return ours
    return "" if request.base is None or on_disk is None else on_disk


async def _now(path: str, encoding: str = "") -> DiskText | None:
    """Return what the disk holds, None: no file. Raises `RequestFailed` if it is no text."""
    try:
        return await disk.read(path, encoding)
    except RequestFailed as error:
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


def _merge(request: WriteRequest, base: str, ours: str, on_disk: str | None) -> str:
    """Return the agent's text with what the user changed since `base`. Raises `WriteConflict`."""
    if base == ours:
        return request.content
    old, lines, new = merge_lines(base, ours, request.content)
    outcome = reconcile(old, lines, new)
    if outcome.conflicts:
        raise WriteConflict(request, base, outcome.conflicts, on_disk=on_disk == request.content)
    return "".join(apply(lines, outcome.hunks))
