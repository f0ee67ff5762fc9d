"""What becomes of a buffer when the disk has something new.

In place, by the lines that differ, so that marks, cursor and undo stay. Into unsaved edits what
the disk has new is merged; where both changed the same place the user's text stays. `settle`
decides, purely; `DiskSync` carries it out. Nobody says whether who writes a file had read
what the disk held, or has an older text in mind and writes all of it anew: see `history.versions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.editor import BufferOptions, Files, LiveBuffer
from acp_nvim.errors import FileProblem
from acp_nvim.files.baselines.comparison import DiskChange
from acp_nvim.files.encoding import WIDE, Misfit, clean, encoded, is_misread
from acp_nvim.files.live import LiveFile
from acp_nvim.files.text import buffer_text, form_edits, options_of, reconciled, written_text
from acp_nvim.history.form import Even, same_lines
from acp_nvim.history.versions import carried, have_in_common, nearest
from acp_nvim.hunks import ConflictRegion, Hunk, split_lines


class Candidate(Struct, frozen=True):
    """A text that a change may have been made of, as agents read it.

    `encoding`: that of the buffer by which it was read, "" without one. `has_unsaved`: there may be
    text of the user's in it that no disk had.
    """

    text: str
    encoding: str
    has_unsaved: bool = False


def as_carried(version: str, before: str | None, after: str | None) -> str | None:
    """Return a version with what somebody made of a newer one, as agents read it; None: no file."""
    if before is None or after is None:
        return None if after is None else clean(after)
    return clean(carried(*map(clean, (version, before, after))))


Candidates: TypeAlias = tuple[Candidate, ...]
"""Texts that a change of the disk may have been made of, besides what the disk held; of two that
are as near the first counts."""


def merge_base(
    found: Candidates,
    before: str,
    after: str,
    encoding: str,
    held: str | None = None,
    *,
    unsaved: str = "",
) -> str:
    """Return what `after` was made of, where the disk held `before`: both exact texts, of a buffer
    with that encoding. `held`: the same where `before` is the base of what it held. `unsaved`: what
    the buffer has, if that is not on the disk."""
    if before == after or not found:
        return before
    if before and after and (before[:1] in WIDE) != (after[:1] in WIDE):
        return before  # the one has characters, the other bytes that are none
    last = (before,) if held is None else (before, held)
    versions = (
        it for it in _exact(found, before, after, encoding) if _may_be_of(it, after, last, unsaved)
    )
    base = nearest((*versions, *last), after)
    return before if base == held else base


def _may_be_of(version: str, after: str, last: tuple[str, ...], unsaved: str) -> bool:
    """Return whether a text may have been made of a version that has unsaved lines of the user's:
    not if it has none of them, and nothing that the disk did not have. They would go."""
    if not unsaved:
        return True
    own, now, user, *had = (
        frozenset(lines) for lines in Even(version, after, unsaved, *last).lines
    )
    on_disk = frozenset[str]().union(*had)
    return bool(now - on_disk) or own & user <= on_disk | now


def _exact(found: Candidates, before: str, after: str, encoding: str) -> Iterator[str]:
    for it in found:
        if it.encoding != encoding and is_misread(it.text, before, it.encoding, encoding):
            continue  # its lines would be taken for others'
        with suppress(Misfit):  # then the change was made of none of its lines
            text = encoded("", it.text, before, encoding, sure=False)
            if not it.has_unsaved or have_in_common(text, after):
                yield text


class Followed(Struct, frozen=True):
    """What became of a change of the disk: the live text before and after, None for no file.

    Where it was merged, `theirs` is the disk's text, made upon `base`, and `conflicts` are places
    of `after` where the user's text stays against it.
    """

    before: str | None
    after: str | None
    base: str = ""
    theirs: str = ""
    conflicts: tuple[ConflictRegion, ...] = ()

    def read(self, live: LiveFile) -> Followed:
        """Return it as the texts of that file are read."""
        before, after, base, theirs = map(
            live.read, (self.before, self.after, self.base, self.theirs)
        )
        return replace(self, before=before, after=after, base=base or "", theirs=theirs or "")


class BufferEdit(Struct, frozen=True):
    """Line hunks for a buffer; `follows`: it equals the disk then, so that it is not modified.

    `settled`: Neovim forgets that the file has changed on disk.
    """

    hunks: Sequence[Hunk]
    options: BufferOptions | None = None
    follows: bool = False
    settled: bool = False


class Settlement(Struct, frozen=True):
    """What is to be done to the buffer, None: nothing; and what became of the file by it, None:
    nothing, or it was the user who wrote."""

    edit: BufferEdit | None = None
    followed: Followed | None = None


NOTHING = Settlement()


class Moved(FileProblem):
    """The disk no longer holds what it was seen to hold: it is to be looked at again."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} keeps changing on disk")


def settle(
    live: LiveFile,
    change: DiskChange | None,
    *,
    saved: str,
    kept: bool,
    same: bool,
    in_step: bool = False,
    candidates: Candidates = (),
) -> Settlement:
    """Return how the buffer of that file, if it has one, is brought up to the disk.

    `change` is what is known of how the disk has changed, as the buffer's encoding has it;
    `saved`: the stamp of the file as the user has last written it, "" if not here; `kept`:
    somebody keeps what the disk has against the user's text, so that Neovim need not ask about it;
    `same`: the disk is known to hold what it held, though its time may be another; `in_step`: what
    it held when the buffer was read from it, or written, which Neovim may have read with loss;
    `candidates`: what the change may have been made of. Raises `FileProblem` if the disk holds no
    text.
    """
    if _is_users(live, saved):
        return NOTHING
    if _is_as_written(live):
        return _touched(live, same=same)
    live, change = _since_written(live, change)
    if live.buffer is None or _has_read(live, live.buffer):
        return Settlement(
            followed=None if change is None else Followed(change.before, change.after)
        )
    touched = _is_touched(live)
    if not live.buffer.modified:
        if change is None and live.stamp and live.stamp == live.buffer.synced:
            return NOTHING  # what differs an autocommand has made: Neovim does not call it modified
        text = live.on_disk if in_step and live.on_disk is not None else live.held
        if live.stamp and live.stamp == saved:  # the user has written it from another buffer
            taken = _take(live, live.buffer, text, change, (), touched=touched, kept=kept)
            return replace(taken, followed=None)
        return _take(live, live.buffer, text, change, candidates, touched=touched, kept=kept)
    if change is None:
        return _touched(live, same=same)
    return _merge(live, live.buffer, change, candidates, kept=kept)


def needs_disk(live: LiveFile, change: DiskChange | None, saved: str, *, same: bool) -> bool:
    """Return whether `settle` goes by what the disk holds, which must be what was seen then."""
    if live.buffer is None or _is_users(live, saved):
        return False
    is_idle = live.buffer.modified and change is None and not same
    return not _has_read(live, live.buffer) and not is_idle


def as_gone(live: LiveFile, change: DiskChange | None) -> LiveFile:
    """Return it as gone where what has taken its place is no file: a folder, a pipe."""
    is_none = live.problem is not None and change is not None and change.after is None
    return replace(live, disk=None, problem=None, stamp="") if is_none else live


async def carry_out(files: Files, live: LiveFile, edit: BufferEdit | None) -> bool:
    """Edit the buffer; False if it has changed meanwhile. Raises `FileProblem`."""
    buffer, stamp = live.buffer, live.stamp
    if buffer is None or edit is None:
        return True
    if edit.follows and edit.options is not None:
        return await files.follow(buffer, edit.hunks, edit.options, stamp=stamp)
    settled = edit.settled
    return await files.edit(buffer, edit.hunks, edit.options, settled=settled, stamp=stamp)


async def last_saved(files: Files, live: LiveFile, change: DiskChange | None) -> str:
    """Return the stamp of the file as the user has last written it, "" if that is no matter."""
    if live.buffer is not None:
        return live.buffer.saved
    return "" if change is None or not live.stamp else await files.saved(live.path)


def _is_users(live: LiveFile, saved: str) -> bool:
    """Return whether the file is as the user has written it, and the buffer stays as it is."""
    if not live.stamp or live.stamp != saved:
        return False
    return live.buffer is None or live.buffer.modified or live.buffer.synced == live.stamp


def _is_touched(live: LiveFile) -> bool:
    """Return whether the file has another time than the one that Neovim knows."""
    synced = live.buffer.synced if live.buffer is not None else ""
    return bool(live.stamp and synced) and live.stamp != synced


def _touched(live: LiveFile, *, same: bool) -> Settlement:
    """Nothing is new: at most Neovim is to know that the file's time tells nothing."""
    return Settlement(BufferEdit((), settled=True)) if same and _is_touched(live) else NOTHING


def _is_as_written(live: LiveFile) -> bool:
    """Return whether the disk has what the user has written last, and gone on from, though no event
    has told of that."""
    buffer = live.buffer
    if buffer is None or not buffer.modified or not buffer.written or live.disk is None:
        return False
    return written_text(buffer, buffer.written, live.disk) == live.disk


def _since_written(live: LiveFile, change: DiskChange | None) -> tuple[LiveFile, DiskChange | None]:
    """Return both as of the user's last write of which no event has told, if it is known and the
    disk holds something else by now: who wrote that has written upon it."""
    buffer = live.buffer
    if buffer is None or buffer.written is None or change is None or live.disk is None:
        return live, change
    now = live.disk
    lines = buffer.written if buffer.modified else buffer.lines
    text = written_text(buffer, lines, now)
    if not lines or text == now:
        return live, change
    seen = replace(live, buffer=replace(buffer, written=None))
    return seen, replace(change, before=text, stamps=())


def _has_read(live: LiveFile, buffer: LiveBuffer) -> bool:
    """Return whether Neovim had read the file as it is, before the user went on."""
    return bool(live.stamp) and live.stamp == buffer.synced and buffer.modified


def _take(
    live: LiveFile,
    buffer: LiveBuffer,
    text: str,
    change: DiskChange | None,
    candidates: Candidates,
    *,
    touched: bool,
    kept: bool,
) -> Settlement:
    """Make the unmodified buffer, which has that text, equal the disk, but for what the disk has
    of an older text.

    Of a file that is gone it keeps the text.
    """
    now = live.on_disk
    before = _before(buffer, text, now, change)
    if before is None and text and clean(text, live.encoding) in (it.text for it in candidates):
        before = text  # the file was gone: of what only the editor has the agent has gone on
    if now is None:
        return _gone(buffer, text, change)
    is_users = buffer.written is not None
    if before is not None and not is_users:
        # What the user had is `before` also where Neovim has read the file anew by itself.
        base = merge_base(candidates, before, now, live.encoding)
        if base != before:
            return _merged(buffer, Followed(before, before, base, now), kept=kept)
    has_come = change is not None and change.before is None  # Neovim would ask about a new file
    # the user's write is known from now on
    is_new = now != text or touched or has_come or is_users
    edit: BufferEdit | None = None
    if is_new:
        hunks, options = ((), options_of(buffer)) if now == text else form_edits(now, buffer)
        edit = BufferEdit(hunks, options, follows=True)
    return Settlement(edit, None if before == now else Followed(before, now))


def _gone(buffer: LiveBuffer, text: str, change: DiskChange | None) -> Settlement:
    if change is None or change.before is None:
        return NOTHING
    # An empty buffer was opened where the file had been: what was there is what was last seen.
    return Settlement(followed=Followed(change.before if buffer.empty else text, None))


def _before(
    buffer: LiveBuffer, text: str, now: str | None, change: DiskChange | None
) -> str | None:
    """Return what there was before the disk changed: the user may have saved since the last look,
    or Neovim has read the file anew by itself."""
    if change is None or (buffer.written is not None and now == text):
        return text
    if buffer.read_at in change.stamps:
        # what it stood for, whatever Neovim made of that as it read it
        return change.before
    if buffer.saved and buffer.read_at == buffer.saved:
        return text
    was_gone = change.before is None and not buffer.saved
    return change.before if now in (text, None) or was_gone else text


def _merge(
    live: LiveFile, buffer: LiveBuffer, change: DiskChange, candidates: Candidates, *, kept: bool
) -> Settlement:
    """Bring into unsaved edits what the disk has new."""
    text, now, before = buffer_text(buffer), live.on_disk, change.before
    if now is None and before is None:
        return NOTHING
    if now is None:
        whole = ConflictRegion(0, len(split_lines(text)), ())
        return Settlement(followed=Followed(text, text, before or "", "", (whole,)))
    is_users = buffer.written is not None
    known = () if is_users else candidates
    base = ""
    if before is not None:
        base = merge_base(known, before, now, live.encoding, change.held, unsaved=text)
    return _merged(buffer, Followed(text, text, base, now), kept=kept)


def _merged(buffer: LiveBuffer, found: Followed, *, kept: bool) -> Settlement:
    """Merge the disk into the text that the user has; what the disk lacks is unsaved then."""
    both, conflicts = reconciled(found.base, found.before or "", found.theirs)
    if not (buffer.modified or conflicts) and same_lines(both, found.theirs):
        both = found.theirs  # nothing is unsaved: how lines end the disk says
    if buffer.written is not None:
        conflicts = ()  # it was the user who wrote there, and has gone on
    hunks, options = form_edits(both, buffer)
    settled = kept or not conflicts
    follows = both == found.theirs and not conflicts
    is_new = settled or not buffer.modified or both != buffer_text(buffer)
    edit = BufferEdit(hunks, options, follows, settled) if is_new else None
    return Settlement(edit, replace(found, after=both, conflicts=conflicts))


def joined(first: DiskChange | None, second: DiskChange) -> DiskChange:
    """Return two changes, one after the other, as one."""
    return second if first is None else replace(second, before=first.before, stamps=first.stamps)
