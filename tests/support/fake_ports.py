"""Fakes of our own ports, for tests without an editor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from acp_nvim.errors import AskFailed, Code
from acp_nvim.hunks import Hunk, apply
from acp_nvim.ports import BufferOptions, Files, LiveBuffer
from acp_nvim.session.noun import Selection

LINE_ENDS = {"unix": "\n", "dos": "\r\n", "mac": "\r"}


def save(path: str, buffer: LiveBuffer) -> None:
    end = LINE_ENDS[buffer.fileformat]
    text = end.join(buffer.lines) + (end if buffer.endofline else "")
    exact = ("\ufeff" if buffer.bom else "") + text
    Path(path).write_bytes(exact.encode(buffer.encoding or "utf-8", "surrogateescape"))


class FakeFiles(Files):
    """Buffers in memory that save to the real disk, as Neovim would, without encodings of its own.

    `before_change` runs once, before the next edit arrives: the user types meanwhile.
    `refuse` is why the editor cannot save.
    """

    def __init__(self) -> None:
        self.buffers: dict[str, LiveBuffer] = {}
        self.changes: list[tuple[str, str, tuple[Hunk, ...]]] = []
        self.before_change: Callable[[], None] | None = None
        self.refuse: str | None = None

    def open(self, path: Path, *lines: str, **fields: Any) -> LiveBuffer:
        """Open a buffer, modified when lines are given, else as the (UTF-8, unix) file is."""
        text = "" if lines or not path.exists() else path.read_text("utf-8")
        shown = lines or tuple(text.removesuffix("\n").split("\n"))
        ended = text.endswith("\n") or not text
        empty = not lines and not text
        buffer = LiveBuffer(len(self.buffers) + 1, 2, shown, bool(lines), endofline=ended)
        self.buffers[str(path)] = replace(buffer, empty=empty, **fields)
        return self.buffers[str(path)]

    def edit(self, path: Path, *lines: str) -> None:
        """Change the text as a user does."""
        buffer = self.buffers[str(path)]
        tick = buffer.changedtick + 1
        self.buffers[str(path)] = replace(
            buffer, lines=lines, changedtick=tick, modified=True, empty=False
        )

    def lines(self, path: Path) -> list[str]:
        """Return what the buffer holds."""
        return list(self.buffers[str(path)].lines)

    async def loaded(self, path: str) -> LiveBuffer | None:
        return self.buffers.get(path)

    async def loaded_paths(self, roots: Sequence[str]) -> Sequence[str]:
        return [p for p in self.buffers if any(p.startswith(f"{root}/") for root in roots)]

    async def write(
        self, buffer: LiveBuffer, hunks: Sequence[Hunk], options: BufferOptions
    ) -> bool:
        path = self._change("write", buffer, hunks, options)
        if path is None:
            return False
        save(path, self.buffers[path])
        return True

    async def follow(
        self, buffer: LiveBuffer, hunks: Sequence[Hunk], options: BufferOptions
    ) -> bool:
        return self._change("follow", buffer, hunks, options) is not None

    async def selection(self, selection: Selection) -> Selection:
        return selection

    def _change(
        self, verb: str, buffer: LiveBuffer, hunks: Sequence[Hunk], options: BufferOptions
    ) -> str | None:
        if self.before_change:
            interrupt, self.before_change = self.before_change, None
            interrupt()
        path, now = next(
            (path, now) for path, now in self.buffers.items() if now.number == buffer.number
        )
        if now.changedtick != buffer.changedtick:
            return None
        if self.refuse:
            raise AskFailed(Code.INTERNAL_ERROR, self.refuse)
        self.changes.append((verb, path, tuple(hunks)))
        self.buffers[path] = replace(
            now,
            lines=tuple(apply(now.lines, hunks)),
            changedtick=now.changedtick + 1,
            modified=False,
            empty=False,
            fileformat=options.fileformat,
            encoding=options.encoding,
            bom=options.bom,
            endofline=options.endofline,
        )
        return path
