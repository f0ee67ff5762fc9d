"""The editor's live files, by `lua/acp/files/live.lua`: implements `editor.Files`.

A buffer's lines come as exact texts (`files.encoding`), and go back so. What they are in Neovim is
in UTF-8; where that is not their 'fileencoding', Neovim itself says which bytes they would be,
for its codecs are not Python's, and what does not come back as it was has none.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from msgspec.structs import asdict, replace

from acp_nvim.editor import BufferOptions, Busy, Files, LiveBuffer, OpenFile
from acp_nvim.errors import FileProblem
from acp_nvim.files import disk
from acp_nvim.files.encoding import (
    HALVES,
    LATIN_1,
    MARKS,
    SURROGATES,
    UNCODED,
    UTF_8,
    NotRead,
    codec,
    decoded,
    encoded_line,
    exact_bytes,
)
from acp_nvim.files.text import buffer_text
from acp_nvim.hunks import Hunk, applied, bare_lines
from acp_nvim.session.model import Selection

ATTEMPTS = 3
"""At a long buffer that is read in portions; a user who types all the time is not waited for."""
REMEMBERED = 64
"""So many buffers' lines are kept, for those that are asked for again and again."""


class NvimFiles(Files):
    """Calls Lua by name, as `await lua("acp.files.live.read", path)`."""

    def __init__(self, lua: Callable[..., Awaitable[Any]]) -> None:
        self._lua = lua
        self._last: dict[str, LiveBuffer] = {}
        self._busy: set[str] = set()
        """Paths whose last write the user's hands were in the way of."""

    async def loaded(self, path: str) -> LiveBuffer | None:
        """Return the loaded file buffer of that resolved path, or None.

        The lines of those asked for last come from here as long as they are as they were.
        """
        last = self._last.get(path)
        known = () if last is None else (last.number, last.changedtick)
        found = await self._read(path, *known)
        if last is not None and found and found.get("encoding", last.encoding) != last.encoding:
            # it has no changedtick of its own
            last, found = None, await self._read(path)
        buffer: LiveBuffer | None = None
        if found and last is not None and "lines" not in found:
            buffer = replace(last, **await self._with_written(found))
        elif found:
            buffer = await self._live(found)
        self._last.pop(path, None)
        if buffer is None:
            return None
        self._last[path] = buffer
        if len(self._last) > REMEMBERED:
            del self._last[next(iter(self._last))]
        return buffer

    def known(self, path: str) -> LiveBuffer | None:
        """Return it as it was read last, with our own edits since."""
        return self._last.get(path)

    async def survey(self, roots: Sequence[str]) -> Sequence[OpenFile]:
        """Return all loaded file buffers below the resolved roots, in one call."""
        found = await self._lua("acp.files.live.survey", list(roots))
        return tuple(OpenFile(*each) for each in found)

    async def write(
        self,
        path: str,
        buffer: LiveBuffer,
        hunks: Sequence[Hunk],
        options: BufferOptions,
        *,
        quiet: bool = False,
        stamp: str | None = None,
    ) -> LiveBuffer | None:
        """Edit and save in one step; None if buffer or file have changed. Raises `FileProblem`."""
        lines = applied(buffer.lines, hunks)
        empty = not lines or (buffer.empty and not hunks)
        now = replace(buffer, lines=lines, empty=empty, modified=False, **asdict(options))
        more = (quiet,) if stamp is None else (quiet, stamp)
        if path in self._busy:  # it waits: no file is made for each try
            await self._change("acp.files.live.write", buffer, hunks, options)
            self._busy.discard(path)
        async with disk.beside(path, exact_bytes(path, buffer_text(now))) as place:
            try:
                outcome = await self._change(
                    "acp.files.live.write", buffer, hunks, options, *place, *more
                )
            except Busy:
                self._busy.add(path)
                raise
        if "ok" not in outcome:
            return None
        if (live := outcome.get("live")) is not None:
            return await self._live(live)
        return replace(now, changedtick=outcome.get("tick", 0), synced=outcome.get("synced", ""))

    async def follow(
        self,
        buffer: LiveBuffer,
        hunks: Sequence[Hunk],
        options: BufferOptions,
        *,
        stamp: str = "",
    ) -> bool:
        """Make the buffer equal the disk; False if it has changed. Raises `FileProblem`."""
        arguments = (buffer, hunks, options, stamp, buffer.modified)
        return "ok" in await self._change("acp.files.live.follow", *arguments)

    async def edit(
        self,
        buffer: LiveBuffer,
        hunks: Sequence[Hunk],
        options: BufferOptions | None,
        *,
        settled: bool,
        stamp: str = "",
    ) -> bool:
        """Edit without saving; False if the buffer has changed. Raises `FileProblem`."""
        arguments = (buffer, hunks, options, settled, stamp)
        return "ok" in await self._change("acp.files.live.edit", *arguments)

    async def check(self, buffer: LiveBuffer, hunks: Sequence[Hunk]) -> None:
        """Raise `NotRead` if the buffer cannot have these lines, or Neovim may not read them so."""
        is_bad = any(map(SURROGATES.search, (line for hunk in hunks for line in hunk.lines)))
        if is_bad and codec(buffer.encoding) == UTF_8:
            raise NotRead("it holds bytes that are not UTF-8, which Neovim may have read otherwise")
        await self._plain(hunks, buffer.encoding)

    async def saved(self, path: str) -> str:
        """Return the stamp of the file as the user last wrote it here."""
        return str(await self._lua("acp.files.stamps.saved", path))

    async def merged(self, path: str) -> str:
        """Return the stamp of the file whose text Lua has brought in by itself."""
        return str(await self._lua("acp.files.live.merged", path))

    async def in_place(self) -> bool:
        """Return whether the user wants files to be written into."""
        return bool(await self._lua("acp.files.save.in_place"))

    async def is_open_otherwise(self, path: str) -> bool:
        """Return whether another plugin reads and writes the file."""
        return await self._lua("acp.files.buffers.otherwise", path) is not None

    async def holder(self, path: str) -> str | None:
        """Return who else has the file open, or None."""
        found: str | None = await self._lua("acp.files.live.holder", path)
        return found

    async def selection(self, selection: Selection) -> Selection:
        """Return it as it stands now and drop its mark; unchanged if its buffer is gone."""
        now = await self._lua("acp.prompt.attachment.selected", selection.buffer, selection.mark)
        if not now:
            return selection
        lines = tuple(now["lines"])
        return replace(selection, first=now["first"], last=now["last"], lines=lines)

    async def _change(
        self,
        function: str,
        buffer: LiveBuffer,
        hunks: Sequence[Hunk],
        options: BufferOptions | None,
        *more: object,
    ) -> dict[str, Any]:
        plain = await self._plain(hunks, buffer.encoding)
        settings = options and _plain_options(options)
        outcome: dict[str, Any] = await self._lua(
            function, buffer.number, buffer.changedtick, plain, settings, *more
        )
        if doing := outcome.get("busy"):
            raise Busy(doing)
        if reason := outcome.get("error"):
            raise FileProblem(f"The user's editor refuses: {reason}")
        if "tick" in outcome:
            self._edited(buffer, hunks, outcome["tick"])
        return outcome

    async def _read(self, path: str, *known: int) -> dict[str, Any] | None:
        """Return what Lua says of that buffer; with many lines in portions, all of one moment."""
        found: dict[str, Any] | None = await self._lua("acp.files.live.read", path, *known)
        for _ in range(ATTEMPTS):
            if not found or "count" not in found:
                return found
            as_it_was = found["number"], found["changedtick"]
            lines = await self._portions(*as_it_was, found["count"])
            found = await self._lua("acp.files.live.read", path, *as_it_was)
            if lines is not None and found and not {"count", "lines"} & found.keys():
                return found | {"lines": lines, "empty": False}
        found = await self._lua("acp.files.live.read", path, None, None, True)
        return found

    async def _portions(self, number: int, tick: int, count: int) -> str | None:
        """Return the lines of a buffer as it is at that changedtick; None if it is another."""
        lines, done = [], 0
        while done < count:
            portion = await self._lua("acp.files.live.lines", number, tick, done)
            if portion is None:
                return None
            lines.append(portion)
            done += portion.count("\n") + 1
        return "\n".join(lines)

    async def _live(self, found: dict[str, Any]) -> LiveBuffer:
        lines = bare_lines(found["lines"] + "\n", "\n")
        lines = await self._exact(lines, found.get("encoding", ""))
        return LiveBuffer(**(await self._with_written(found) | {"lines": lines}))

    async def _with_written(self, found: dict[str, Any]) -> dict[str, Any]:
        written = found.get("written")
        if written:
            written = await self._exact(tuple(written), found.get("encoding", ""))
        return found | {"written": None if written is None else tuple(written)}

    async def _exact(self, lines: tuple[str, ...], encoding: str) -> tuple[str, ...]:
        """Return what lines of a buffer are on disk."""
        if _is_plain(encoding):
            return lines
        if codec(encoding) == LATIN_1:
            with suppress(UnicodeError):
                data = "\n".join(lines).encode(LATIN_1)
                return tuple(data.decode(UTF_8, "surrogateescape").split("\n"))
            return tuple(encoded_line(line, LATIN_1) for line in lines)
        found = await self._lua("acp.files.coding.encode", list(lines), encoding)
        return tuple(
            UNCODED + line if it is False else it for line, it in zip(lines, found, strict=True)
        )

    async def _plain(self, hunks: Sequence[Hunk], encoding: str) -> list[list[Any]]:
        """Return the hunks with the lines that the buffer is to have. Raises `NotRead`."""
        lines = [line for hunk in hunks for line in hunk.lines]
        if encoding.startswith("ucs-2") and any(map(HALVES.search, lines)):
            raise NotRead(f"Neovim cannot read its bytes as {encoding} so that they come back")
        if not _is_plain(encoding):
            lines = await self._held(lines, encoding)
        rest = iter(lines)
        return [[it.first, it.last, list(islice(rest, len(it.lines)))] for it in hunks]

    async def _held(self, lines: list[str], encoding: str) -> list[str]:
        if codec(encoding) == LATIN_1:
            return [decoded(line, LATIN_1) for line in lines]
        # a line that has no bytes is as it was in the buffer
        coded = ["" if line.startswith(UNCODED) else line for line in lines]
        found = await self._lua("acp.files.coding.decode", coded, encoding)
        held = [
            line[1:] if line.startswith(UNCODED) else it
            for line, it in zip(lines, found, strict=True)
        ]
        if False in held:
            raise NotRead(f"Neovim cannot read its bytes as {encoding} so that they come back")
        return held

    def _edited(self, buffer: LiveBuffer, hunks: Sequence[Hunk], tick: int) -> None:
        """Know the lines after our own edit, too, without reading them again."""
        lines = applied(buffer.lines, hunks)
        for path, last in self._last.items():
            if last.number == buffer.number and any(lines):
                self._last[path] = replace(last, lines=lines, changedtick=tick, empty=False)


def _is_plain(encoding: str) -> bool:
    """Return whether a buffer's lines are exact texts as they are."""
    return codec(encoding) in (UTF_8, *MARKS)


def _plain_options(options: BufferOptions) -> dict[str, Any]:
    """Return Neovim's names and values."""
    return {
        "fileformat": options.fileformat,
        "fileencoding": options.encoding,
        "bomb": options.bom,
        "endofline": options.endofline,
        "endoffile": options.endoffile,
    }
