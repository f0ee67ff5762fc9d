"""What becomes of a buffer when the disk has something new: decided here, carried out by `sync`.

In place, by the lines that differ, so that marks, cursor and undo stay. Into unsaved edits what
the disk has new is merged; where both changed the same place the user's text stays. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acp_nvim.editor import BufferOptions, Files, LiveBuffer
from acp_nvim.files.baselines.comparison import DiskChange
from acp_nvim.files.live import LiveFile
from acp_nvim.files.text import buffer_form, buffer_text, options_of, reconciled
from acp_nvim.hunks import ConflictRegion, Hunk, diff, split_lines


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


@dataclass(frozen=True, slots=True)
class BufferEdit:
    """Line hunks for a buffer; `follows`: it equals the disk then, so that it is not modified.

    `settled`: Neovim forgets that the file has changed on disk.
    """

    hunks: Sequence[Hunk]
    options: BufferOptions | None = None
    follows: bool = False
    settled: bool = False


@dataclass(frozen=True, slots=True)
class Settlement:
    """What is to be done to the buffer, None: nothing; and what became of the file by it, None:
    nothing, or it was the user who wrote."""

    edit: BufferEdit | None = None
    followed: Followed | None = None


NOTHING = Settlement()


def settle(
    live: LiveFile,
    change: DiskChange | None,
    *,
    saved: str,
    kept: bool,
    same: bool,
    in_step: bool = False,
) -> Settlement:
    """Return how the buffer of that file, if it has one, is brought up to the disk.

    `change` is what is known of how the disk has changed, as the buffer's encoding has it;
    `saved`: the stamp of the file as the user has last written it, "" if not here; `kept`:
    somebody keeps what the disk has against the user's text, so that Neovim need not ask about it;
    `same`: the disk is known to hold what it held, though its time may be another; `in_step`: what
    it held when the buffer was read from it, or written, which Neovim may have read with loss.
    Raises `FileProblem` if the disk holds no text.
    """
    if live.stamp and live.stamp == saved:
        return NOTHING
    if live.buffer is None or _has_read(live, live.buffer):
        return Settlement(
            followed=None if change is None else Followed(change.before, change.after)
        )
    touched = bool(live.stamp and live.buffer.synced) and live.stamp != live.buffer.synced
    if not live.buffer.modified:
        return _take(live, live.buffer, change, touched=touched, in_step=in_step)
    if change is None:
        # Nothing new: at most Neovim is to know that the file's time tells nothing.
        return Settlement(BufferEdit((), settled=True)) if touched and same else NOTHING
    return _merge(live, live.buffer, change, kept=kept)


def needs_disk(live: LiveFile, change: DiskChange | None, saved: str) -> bool:
    """Return whether `settle` goes by what the disk holds, which must be what was seen then."""
    if live.buffer is None or (live.stamp and live.stamp == saved):
        return False
    return not _has_read(live, live.buffer) and not (live.buffer.modified and change is None)


async def carry_out(files: Files, buffer: LiveBuffer | None, edit: BufferEdit | None) -> bool:
    """Edit the buffer; False if it has changed meanwhile. Raises `FileProblem`."""
    if buffer is None or edit is None:
        return True
    if edit.follows and edit.options is not None:
        return await files.follow(buffer, edit.hunks, edit.options)
    return await files.edit(buffer, edit.hunks, edit.options, settled=edit.settled)


def _has_read(live: LiveFile, buffer: LiveBuffer) -> bool:
    """Return whether Neovim had read the file as it is, before the user went on."""
    return bool(live.stamp) and live.stamp == buffer.synced and buffer.modified


def _take(
    live: LiveFile,
    buffer: LiveBuffer,
    change: DiskChange | None,
    *,
    touched: bool,
    in_step: bool,
) -> Settlement:
    """Make the unmodified buffer equal the disk; of a file that is gone it keeps the text."""
    now = live.on_disk
    text = now if in_step and now is not None else live.held
    before = _before(buffer, text, now, change)
    if now is None:
        if change is None or change.before is None:
            return NOTHING
        # An empty buffer was opened where the file had been: what was there is what was last seen.
        return Settlement(followed=Followed(change.before if buffer.empty else text, None))
    edit = None
    if now != text or touched:
        form = (buffer.lines, options_of(buffer)) if now == text else buffer_form(now, buffer)
        edit = BufferEdit(diff(buffer.lines, form[0]), form[1], follows=True)
    return Settlement(edit, None if before == now else Followed(before, now))


def _before(
    buffer: LiveBuffer, text: str, now: str | None, change: DiskChange | None
) -> str | None:
    """Return what there was before the disk changed: the user may have saved since the last look,
    or Neovim has read the file anew by itself."""
    if change is None:
        return text
    if buffer.read_at in change.stamps:
        # what it stood for, whatever Neovim made of that as it read it
        return change.before
    was_gone = change.before is None and not buffer.saved
    return change.before if now in (text, None) or was_gone else text


def _merge(live: LiveFile, buffer: LiveBuffer, change: DiskChange, *, kept: bool) -> Settlement:
    """Bring into unsaved edits what the disk has new."""
    text, now, base = buffer_text(buffer), live.on_disk, change.before or ""
    if now is None and change.before is None:
        return NOTHING
    if now is None:
        whole = ConflictRegion(0, len(split_lines(text)), ())
        return Settlement(followed=Followed(text, text, base, "", (whole,)))
    both, conflicts = reconciled(base, text, now)
    edit = None
    if both != text or kept or not conflicts:
        lines, options = buffer_form(both, buffer)
        edit = BufferEdit(diff(buffer.lines, lines), options, settled=kept or not conflicts)
    return Settlement(edit, Followed(text, both, base, now, conflicts))
