"""Brings one open buffer up to the disk when an agent, or a command of its, changed the file.

In place, by the lines that differ, so that marks, cursor and undo stay. Into unsaved edits what
the disk has new is merged; where both changed the same place the user's text stays.
"""

from __future__ import annotations

from dataclasses import dataclass

from acp_nvim.editor import Files, LiveBuffer
from acp_nvim.errors import Code, RequestFailed
from acp_nvim.files import disk
from acp_nvim.files.baselines.baselines import UNKNOWN, DiskChange
from acp_nvim.files.baselines.snapshot import Text
from acp_nvim.files.text import buffer_form, buffer_text, reconciled
from acp_nvim.hunks import ConflictRegion, diff, split_lines

ATTEMPTS = 5
"""How often a buffer, or a file, that changes meanwhile is tried again."""


class Moved(RequestFailed):
    """The disk no longer holds what it was seen to hold: it is to be looked at again."""

    def __init__(self, path: str) -> None:
        super().__init__(Code.INTERNAL_ERROR, f"{path} keeps changing on disk")


@dataclass(frozen=True, slots=True)
class Followed:
    """What became of a change of the disk: the live text before and after, None for no file.

    `conflicts` are places of `after` where the user's text stays against `theirs`, the disk's.
    """

    before: str | None
    after: str | None
    base: str = ""
    theirs: str = ""
    conflicts: tuple[ConflictRegion, ...] = ()


async def follow(
    files: Files,
    path: str,
    change: DiskChange | None,
    *,
    kept: bool = False,
    same: bool = False,
    held: Text = UNKNOWN,
) -> Followed | None:
    """Bring the buffer of that resolved path, if it has one, up to the disk.

    `change` is what is known of how the disk has changed, as the buffer's encoding has it; `kept`:
    somebody keeps what the disk has against the user's text, so that Neovim need not ask about it;
    `same`: the disk is known to hold what it held, though its time may be another; `held`: what it
    held a moment ago. None if there was nothing to be done, or it was the user who wrote. Raises
    `RequestFailed` when it cannot be done now, `Moved` if the disk holds something else by now;
    nothing has changed.
    """
    for _ in range(ATTEMPTS):
        buffer = await files.loaded(path)
        if buffer is None:
            return None if change is None else await closed(files, change)
        stamp = disk.stamp(path)
        if stamp and stamp == buffer.saved:
            return None
        if stamp and stamp == buffer.synced and buffer.modified:
            # Neovim has read it before the user went on.
            return None if change is None else Followed(change.before, change.after)
        touched = bool(stamp and buffer.synced) and stamp != buffer.synced
        if buffer.modified and change is None:
            # Nothing new: at most Neovim is to know that the file's time tells nothing.
            done = not (touched and same) or await files.edit(buffer, (), None, settled=True)
            followed = None
        else:
            now = await _now(path, buffer)
            if held is not UNKNOWN and now != held:
                raise Moved(path)
            done, followed = await _bring(files, buffer, now, change, kept=kept, touched=touched)
        if done:
            return followed
    raise RequestFailed(Code.INTERNAL_ERROR, f"{path} keeps changing")


async def closed(files: Files, change: DiskChange) -> Followed | None:
    """Return what became of a file that is in no buffer; None if it was the user who wrote it."""
    stamp = disk.stamp(change.path)
    if stamp and stamp == await files.saved(change.path):
        return None
    return Followed(change.before, change.after)


async def _bring(
    files: Files,
    buffer: LiveBuffer,
    now: str | None,
    change: DiskChange | None,
    *,
    kept: bool,
    touched: bool,
) -> tuple[bool, Followed | None]:
    """Bring the buffer up to what the disk holds now; False if it changed meanwhile."""
    if buffer.modified:
        return await _merge(files, buffer, now, change, kept=kept)
    return await _take(files, buffer, now, change, touched=touched)


async def _now(path: str, buffer: LiveBuffer) -> str | None:
    """Return what the disk holds, None: no file; raises `RequestFailed` if it is no text."""
    try:
        return (await disk.read(path, buffer.encoding or "utf-8")).text
    except RequestFailed as error:
        if error.code == Code.RESOURCE_NOT_FOUND:
            return None
        raise


async def _take(
    files: Files, buffer: LiveBuffer, now: str | None, change: DiskChange | None, *, touched: bool
) -> tuple[bool, Followed | None]:
    """Make the unmodified buffer equal the disk; of a file that is gone it keeps the text."""
    live = buffer_text(buffer)
    before = _before(buffer, live, now, change)
    if now is None:
        if change is None or change.before is None:
            return True, None
        # An empty buffer was opened where the file had been: what was there is what was last seen.
        return True, Followed(change.before if buffer.empty else live, None)
    if now != live or touched:
        lines, options = buffer_form(now, buffer)
        if not await files.follow(buffer, diff(buffer.lines, lines), options):
            return False, None
    return True, None if before == now else Followed(before, now)


def _before(
    buffer: LiveBuffer, live: str, now: str | None, change: DiskChange | None
) -> str | None:
    """Return what there was before the disk changed: the user may have saved since the last look,
    or Neovim has read the file anew by itself."""
    if change is None:
        return live
    was_gone = change.before is None and not buffer.saved
    return change.before if now in (live, None) or was_gone else live


async def _merge(
    files: Files, buffer: LiveBuffer, now: str | None, change: DiskChange | None, *, kept: bool
) -> tuple[bool, Followed | None]:
    """Bring into unsaved edits what the disk has new; nothing if it is not known what that is."""
    if change is None or (now is None and change.before is None):
        return True, None
    live, base = buffer_text(buffer), change.before or ""
    if now is None:
        whole = ConflictRegion(0, len(split_lines(live)), ())
        return True, Followed(live, live, base, "", (whole,))
    text, conflicts = reconciled(base, live, now)
    if text != live or kept or not conflicts:
        lines, options = buffer_form(text, buffer)
        hunks = diff(buffer.lines, lines)
        if not await files.edit(buffer, hunks, options, settled=kept or not conflicts):
            return False, None
    return True, Followed(live, text, base, now, conflicts)
