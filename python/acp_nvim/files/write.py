"""How a file gets another text, through its buffer where it is open, else on the disk.

`write`: an agent's whole text, merged with the user's (C-229 to C-236). `put`: the text that a
decision of the user's leaves, exact to the byte. All of it happens, or nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.aside import aside_if_large
from acp_nvim.editor import BufferOptions, Files, LiveBuffer
from acp_nvim.errors import FileProblem
from acp_nvim.files import disk
from acp_nvim.files.baselines.snapshot import UNKNOWN, Text, Unknown
from acp_nvim.files.encoding import UTF_8, NotRead, codec, encoded, exact_bytes
from acp_nvim.files.live import LiveFile, with_buffer
from acp_nvim.files.text import buffer_text, form_edits, merged
from acp_nvim.history.attributes import UNKNOWN_ATTRIBUTES, FileAttributes
from acp_nvim.history.form import Even, with_ends_of
from acp_nvim.hunks import ConflictRegion, Hunk, diff

ATTEMPTS = 5
"""How often a write begins anew because the user types meanwhile, or Neovim reads the file."""


async def _unheard(_before: str | None, _after: str) -> None:
    """Nobody wants to know."""


class WriteRequest(Struct, frozen=True):
    """What an agent wants a file to be: `content`, which it made of `base` (None: no file)."""

    path: str
    base: Text
    content: str
    returned: Text = UNKNOWN
    """The base with what the user has taken back of it, of which the agent was not told."""
    told: Text = UNKNOWN
    """What a note has told the agent that the file holds, since it has read or written it."""
    begun: Callable[[str | None, str], Awaitable[None]] = _unheard
    """Told the exact live texts before anything is changed: it is settled what will be written."""


class WriteResult(Struct, frozen=True):
    """The exact live text before, None where no file was, and after."""

    before: str | None
    after: str
    taken: bool = True
    """The agent's text is in it."""
    encoding: str | None = None
    """Of the buffer that it was written through; None: to the disk, for there was none."""
    disk: str | None = None
    """What the disk held."""
    saved: str = ""
    """The stamp of the file as the user had last written it."""
    stamp: str = ""
    """Of the file that the buffer has saved; "" if it has not."""
    left: str | None = None
    """What the disk held when the buffer was last saved, by us or by a formatter."""

    def read(self, live: LiveFile) -> WriteResult:
        """Return it as the texts of that file are read."""
        before, after = live.read(self.before), live.read(self.after) or ""
        disk, left = live.read(self.disk), live.read(self.left)
        return replace(self, before=before, after=after, disk=disk, left=left)


class WasTakenBack(FileProblem):
    """The user, or another program, has taken back what the agent writes once more, or goes on
    from."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"your change of {path} was undone by the user, or by another program: "
            "nothing was written; read it again and repeat what is still wanted",
            "the change that it continues was undone: the agent was told so",
        )


class GoesAgainst(FileProblem):
    """The agent writes again what the user has changed, and it was told of that."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} was changed by the user, as you were told, and your text has the lines from "
            "before: nothing was written; read it again and repeat your edit",
            "it has lines that you have changed, as the agent was told: the agent was told so",
        )


class WriteConflict(FileProblem):
    """The user has changed the same places; nothing was written. `base` and `content` are exact."""

    def __init__(
        self, request: WriteRequest, base: str, places: Iterable[ConflictRegion], *, on_disk: bool
    ) -> None:
        self.base = base
        self.content = request.content
        self.places = tuple((place.first, place.last) for place in places)
        self.on_disk = on_disk
        line = self.places[0][0] + 1
        super().__init__(
            f"{request.path} was changed by the user since you read it, at line {line}: "
            "read it again and repeat your edit",
            f"you have also changed line {line}: :Acp review",
        )


async def write(
    files: Files, live: LiveFile, request: WriteRequest, look: Callable[[], Awaitable[LiveFile]]
) -> WriteResult:
    """Write, with the user's edits since the base, a file that is as `live` says.

    `look` says how it is when it has changed meanwhile. Raises `FileProblem`, or `WriteConflict`.
    """
    for _ in range(ATTEMPTS):
        if disk.stamp(live.path) == live.stamp:
            through = _to_disk if live.buffer is None else _through
            try:
                written = await through(files, live, _as_exact(live, request))
            except NotRead as problem:
                raise FileProblem(f"{live.path} stays as it is: {problem}") from problem
            if written is not None:
                return written
        live = await look()
    raise FileProblem(f"{request.path} keeps changing: try again later")


def _as_exact(live: LiveFile, request: WriteRequest) -> WriteRequest:
    """Return the request in exact texts; a line that the agent has only read is as it was. Who
    writes line feeds into a file of CRLF means lines: the file keeps its ends.

    Raises `Misfit` if the file's encoding cannot hold what is new.
    """
    path, encoding = request.path, live.encoding
    base: Text = request.base
    old = live.newest or ""
    if isinstance(base, str):
        base = old = encoded(path, base, old, encoding, sure=False)
    returned, told = (
        encoded(path, it, old, encoding, sure=False) if isinstance(it, str) else it
        for it in (request.returned, request.told)
    )
    content = with_ends_of(live.exact or "", encoded(path, request.content, old, encoding))
    return replace(request, base=base, returned=returned, told=told, content=content)


async def _to_disk(files: Files, live: LiveFile, request: WriteRequest) -> WriteResult | None:
    """Write a file that is not open here; None if it changed meanwhile."""
    holder = await files.holder(live.path)
    if holder is not None:
        raise FileProblem(
            f"{live.path} is open in {holder}, which would overwrite it: it must be closed there",
        )
    now, text, saved = live.on_disk, request.content, await files.saved(live.path)
    if now is not None:
        base = request.base if isinstance(request.base, str) else now
        text = await aside_if_large(partial(_merge, request, base, now, now), now, text)
    if disk.stamp(live.path) != live.stamp:
        return None
    if text != now:
        data = exact_bytes(live.path, text)
        await request.begun(now, text)
        in_place = now is not None and await files.in_place()
        if not await disk.write(live.path, data, in_place=in_place, seen=live.stamp):
            return None
    return WriteResult(now, text, disk=now, saved=saved)


async def _through(files: Files, live: LiveFile, request: WriteRequest) -> WriteResult | None:
    """Write through the open buffer; None if it changed meanwhile."""
    buffer = live.buffer
    if buffer is None:
        return None
    on_disk = live.on_disk
    await _check(files, live, buffer)
    text, before, ours = _sides(live, buffer, request)
    if buffer.modified and request.base is UNKNOWN and request.content == on_disk:
        # Some agents write the disk first and then tell us. What the user's edits were made upon
        # was never seen, so a merge could take either side's back: leave both.
        kept = WriteResult(text, text, taken=False, encoding=live.encoding, disk=on_disk)
        return replace(kept, saved=buffer.saved, left=live.on_disk)
    editing = partial(_edit, request, buffer, ours, on_disk)
    both, hunks, options = await aside_if_large(editing, ours, request.content)
    encoding = options.encoding or "utf-8"
    result = WriteResult(before, both, encoding=encoding, disk=on_disk, saved=buffer.saved)
    saved = both == on_disk and not buffer.modified
    if saved:
        result = replace(result, left=live.on_disk)
        if both == text:
            return result
    exact_bytes(live.path, both)
    await request.begun(before, both)
    if saved:
        return result if await files.follow(buffer, hunks, options) else None
    written = await files.write(live.path, buffer, hunks, options, stamp=live.stamp)
    return None if written is None else await _as_formatted(live.path, result, written)


def _sides(
    live: LiveFile, buffer: LiveBuffer, request: WriteRequest
) -> tuple[str, str | None, str]:
    """Return what the buffer has, what there was before the write, None: no file, and what it is
    merged with."""
    on_disk = live.on_disk
    text = buffer_text(buffer) if buffer.modified else live.held
    # A text that only the editor still has is the user's once an agent has read it and goes on.
    is_read = bool(text) and request.base == text
    before = None if on_disk is None and not (buffer.modified or is_read) else text
    return text, before, text if on_disk is None or buffer.modified else on_disk


async def _as_formatted(path: str, result: WriteResult, written: LiveBuffer) -> WriteResult:
    """Return it with what a formatter has made of the text on `BufWritePost`: that is the agent's
    doing, and goes when its text goes. The file need not have it, also where the buffer is not
    modified."""
    now = buffer_text(written)
    left = now if now == result.after else (await with_buffer(path, written)).on_disk
    return replace(result, after=now, stamp=written.synced, left=left)


async def _check(files: Files, live: LiveFile, buffer: LiveBuffer) -> None:
    """Raise `FileProblem` if the buffer must not be saved."""
    if buffer.locked:
        raise FileProblem(
            f"{live.path} is {buffer.locked} in the user's editor",
            f"its buffer is {buffer.locked}",
        )
    on_disk = live.on_disk
    is_plain = on_disk is None or (on_disk.isascii() and codec(buffer.encoding) == UTF_8)
    if buffer.modified and on_disk is not None and not is_plain:
        # what Neovim has not read of it as it is would be gone
        hunks, _ = await aside_if_large(partial(form_edits, on_disk, buffer), on_disk)
        await files.check(buffer, hunks)


def _edit(
    request: WriteRequest, buffer: LiveBuffer, ours: str, on_disk: str | None
) -> tuple[str, tuple[Hunk, ...], BufferOptions]:
    """Return the merged text, and what makes it of the buffer. Raises `WriteConflict`."""
    both = _merge(request, _base(request, buffer, ours, on_disk), ours, on_disk)
    return both, *form_edits(both, buffer)


def _base(request: WriteRequest, buffer: LiveBuffer, ours: str, on_disk: str | None) -> str:
    """Return the text that the agent's and the user's have in common, as far as that is known."""
    if isinstance(request.base, str):
        return request.base
    if not buffer.modified:
        return ours
    return "" if request.base is None or on_disk is None else on_disk


def _merge(request: WriteRequest, base: str, ours: str, on_disk: str | None) -> str:
    """Return the agent's text with what the user changed since `base`.

    Raises `WriteConflict`; `WasTakenBack` or `GoesAgainst` if that would not be all that the agent
    has asked for.
    """
    if base == ours:
        return request.content
    both, outcome = merged(base, ours, request.content)
    if not isinstance(request.returned, Unknown):
        returned = request.returned or ""
        asked, found = merged(returned, ours, request.content)
        apart = bool(found.conflicts)
        back = _is_back(base, returned, ours, request.content) if apart else asked != both
        if back and (apart or not outcome.conflicts):
            raise WasTakenBack(request.path)
    if outcome.conflicts:
        is_on_disk = on_disk == request.content
        raise WriteConflict(request, base, outcome.conflicts, on_disk=is_on_disk)
    if both == ours and isinstance(request.told, str):  # it comes to nothing
        asked, _ = merged(request.told, ours, request.content)
        if {*asked.splitlines()} - {*both.splitlines()}:  # what is only left out stays
            raise GoesAgainst(request.path)
    return both


def _is_back(base: str, returned: str, ours: str, content: str) -> bool:
    """Return whether lines of the base that the content has were taken out by what was taken back,
    or lines that it has not are there again; what the user has edited since is neither."""
    old, new, live, wanted = Even(base, returned, ours, content).lines
    hunks = diff(old, new)
    gone = {row for it in hunks for row in old[it.first : it.last]} & {*wanted}
    came = ({row for it in hunks for row in it.lines} - {*wanted}) & {*live}
    return bool(gone or came)


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
                _check_unlocked(live, live.buffer)
                edits = form_edits(text, live.buffer)
                if not await files.edit(live.buffer, *edits, settled=settled):
                    return False
                dress(live.path, attributes.mode)
                return True
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


async def _write(
    files: Files, live: LiveFile, buffer: LiveBuffer, text: str, attributes: FileAttributes
) -> bool:
    _check_unlocked(live, buffer)
    hunks, options = form_edits(text, buffer)
    disk.make_folders(live.path)
    disk.check_writable(live.path)
    if live.problem is not None:
        raise live.problem  # what nobody could read is not written over
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
    if live.problem is not None:
        raise live.problem
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
