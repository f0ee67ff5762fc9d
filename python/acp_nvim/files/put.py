"""Makes a file another text, exact to the byte: a restored line is the line that it was.

For the review; what an agent writes is merged first (`write`). Through the buffer where there is
one, as one step of undo, else on disk.
"""

from __future__ import annotations

from contextlib import suppress

from msgspec.structs import replace

from acp_nvim.editor import Files, LiveBuffer
from acp_nvim.errors import FileProblem
from acp_nvim.files import disk
from acp_nvim.files.baselines.snapshot import UNKNOWN, Text
from acp_nvim.files.encoding import NotRead, exact_bytes
from acp_nvim.files.live import LiveFile
from acp_nvim.files.text import buffer_text, form_edits
from acp_nvim.history.attributes import UNKNOWN_ATTRIBUTES, FileAttributes

ATTEMPTS = 5
"""How often a buffer that Neovim reads meanwhile is written again."""


async def put(
    files: Files,
    live: LiveFile,
    text: str | None,
    attributes: FileAttributes = UNKNOWN_ATTRIBUTES,
    *,
    settled: bool = False,
    saves: bool = False,
) -> bool:
    """Make the file hold this text, None: let it be gone; False if it changed meanwhile.

    `attributes` are the mode that it gets, if any, and which one it was. A buffer with unsaved
    edits is changed, but not saved for the user, unless it `saves`; any other file is.
    `settled`: with this text the user has decided on what the disk holds, so that Neovim need not
    ask at `:w`. Raises `FileProblem`, and then nothing has changed.
    """
    if text is None:
        return await _remove(files, live)
    if live.buffer is not None:
        try:
            if live.buffer.modified and not saves:
                return await _edit(files, live, live.buffer, text, settled=settled)
            return await _write(files, live, live.buffer, text, attributes)
        except NotRead as problem:
            raise stays(live.path, problem) from problem
    disk.check_writable(live.path)
    disk.make_folders(live.path)
    seen = _own(live, attributes)
    data, mode = exact_bytes(live.path, text), attributes.mode
    in_place = await files.in_place()
    return seen is not None and await disk.write(
        live.path, data, in_place=in_place, mode=mode, seen=seen
    )


def dress(path: str, mode: int) -> None:
    """Give the file that mode, if any; without it its text is there all the same."""
    if mode:
        with suppress(FileProblem):
            disk.set_mode(path, mode)


def left_by_put(live: LiveFile, text: str | None, *, saves: bool = False) -> Text:
    """Return what `put` has made the disk hold; `UNKNOWN`: it is as it was."""
    is_unsaved = live.buffer is not None and live.buffer.modified and not saves
    return UNKNOWN if is_unsaved and text is not None else text


def _own(live: LiveFile, attributes: FileAttributes) -> str | None:
    """Return the stamp of the file, which is of its own now; None if it changed meanwhile."""
    if disk.stamp(live.path) != live.stamp:
        return None
    disk.make_own(live.path, attributes.inode)
    return disk.stamp(live.path)


def stays(path: str, problem: NotRead) -> FileProblem:
    """Return what the user is told where only the buffer is in the way."""
    return FileProblem(f"{path} stays as it is: {problem}; without its buffer it could be done")


def _check_readable(live: LiveFile) -> None:
    """Raise `FileProblem` if the disk holds what nobody could read: it is not written over."""
    if live.problem is not None:
        raise live.problem


async def _edit(
    files: Files, live: LiveFile, buffer: LiveBuffer, text: str, *, settled: bool
) -> bool:
    _check_unlocked(live, buffer)
    return await files.edit(buffer, *form_edits(text, buffer), settled=settled)


async def _write(
    files: Files, live: LiveFile, buffer: LiveBuffer, text: str, attributes: FileAttributes
) -> bool:
    _check_unlocked(live, buffer)
    hunks, options = form_edits(text, buffer)
    disk.make_folders(live.path)
    disk.check_writable(live.path)
    _check_readable(live)
    exact_bytes(live.path, text)
    seen = _own(live, attributes)
    written = seen is not None and await files.write(live.path, buffer, hunks, options, stamp=seen)
    if not written:
        return False
    await _insist(files, live.path, written, text)
    dress(live.path, attributes.mode)
    return True


async def _insist(files: Files, path: str, buffer: LiveBuffer, text: str) -> None:
    """Write the text again where a formatter has made another of the buffer, or of the file, which
    Neovim may be about to read: what was there before the agent was not the formatter's."""
    for _ in range(ATTEMPTS):
        if buffer_text(buffer) == text and disk.stamp(path) == buffer.synced:
            return
        if await files.write(path, buffer, *form_edits(text, buffer), quiet=True) is not None:
            return
        now = await files.loaded(path)
        if now is None or now.modified:
            return  # the user has gone on
        buffer = now


def _check_unlocked(live: LiveFile, buffer: LiveBuffer) -> None:
    if buffer.locked:
        raise FileProblem(f"{live.path} is {buffer.locked}: nothing was changed in it")


async def _remove(files: Files, live: LiveFile) -> bool:
    """Remove the file; its buffer is emptied, where `u` brings the text back."""
    buffer = live.buffer
    disk.check_removable(live.path)
    _check_readable(live)
    if buffer is not None and disk.stamp(live.path) == live.stamp:
        hunks, options = form_edits("", buffer)
        # what the user writes there next is to have a line end
        options = replace(options, endofline=True)
        if buffer.modified:
            if not await files.edit(buffer, hunks, options, settled=True):
                return False
        elif not await files.follow(buffer, hunks, options, stamp=live.stamp):
            return False
    if disk.stamp(live.path) != live.stamp:
        return False
    disk.remove(live.path)
    await files.saved(live.path)  # it is gone, as the editor sees: whoever makes it anew is another
    return True
