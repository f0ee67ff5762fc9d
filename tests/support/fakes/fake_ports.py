"""Fakes of our own ports, for tests without an editor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
from msgspec.structs import asdict, replace

from acp_nvim.editor import (
    BufferOptions,
    Busy,
    Drawn,
    Files,
    Finding,
    Follower,
    HeldRows,
    LiveBuffer,
    NamedText,
    Notifier,
    OpenFile,
    Reviewer,
    Surroundings,
    TerminalScreens,
)
from acp_nvim.errors import FileProblem
from acp_nvim.files import disk
from acp_nvim.hunks import Hunk, apply
from acp_nvim.session.model import Selection
from acp_nvim.view.review.lists import QuickfixList
from acp_nvim.view.review.marks import Drawing, FileReview
from acp_nvim.view.review.overview import Overview

LINE_ENDS = {"unix": "\n", "dos": "\r\n", "mac": "\r"}


def save(path: str, buffer: LiveBuffer) -> None:
    end = LINE_ENDS[buffer.fileformat]
    text = end.join(buffer.lines) + (end if buffer.endofline else "")
    exact = ("\ufeff" if buffer.bom else "") + text
    Path(path).write_bytes(exact.encode(buffer.encoding or "utf-8", "surrogateescape"))


class FakeFiles(Files):
    """Buffers in memory that save to the real disk, as Neovim would, without encodings of its own.

    `before_change` runs once, before the next edit arrives: the user types meanwhile.
    `refuse` is why the editor cannot save, `holders` who else has files open, `busy` what the user
    is in the middle of, by path.
    """

    def __init__(self) -> None:
        self.buffers: dict[str, LiveBuffer] = {}
        self.changes: list[tuple[str, str, tuple[Hunk, ...]]] = []
        self.before_change: Callable[[], None] | None = None
        self.refuse: str | None = None
        self.formatter: Callable[[str], None] | None = None
        """What `BufWritePost` does to the file of that path."""
        self.keeps_inodes = False
        self.busy: dict[str, str] = {}
        self.holders: dict[str, str] = {}
        self.stamps: dict[str, str] = {}
        """By path the file as the user last saved it."""

    def open(self, path: Path, *lines: str, **fields: Any) -> LiveBuffer:
        """Open a buffer, modified when lines are given, else as the (UTF-8, unix) file is."""
        text = "" if lines or not path.exists() else path.read_text("utf-8")
        shown = lines or tuple(text.removesuffix("\n").split("\n"))
        ended = text.endswith("\n") or not text
        empty = not lines and not text
        buffer = LiveBuffer(len(self.buffers) + 1, 2, shown, bool(lines), endofline=ended)
        synced = "" if lines else disk.stamp(str(path))
        self.buffers[str(path)] = replace(buffer, empty=empty, synced=synced, **fields)
        return self.buffers[str(path)]

    def type(self, path: Path, *lines: str) -> None:
        """Change the text as a user does."""
        buffer = self.buffers[str(path)]
        tick = buffer.changedtick + 1
        self.buffers[str(path)] = replace(
            buffer, lines=lines or ("",), changedtick=tick, modified=True, empty=not lines
        )

    def save(self, path: Path) -> None:
        """Write the buffer to its file as a user does."""
        save(str(path), self.buffers[str(path)])
        stamp = self.stamps[str(path)] = disk.stamp(str(path))
        self.buffers[str(path)] = replace(
            self.buffers[str(path)], modified=False, saved=stamp, synced=stamp
        )

    def reload(self, path: Path) -> None:
        """Take what the disk holds, as 'autoread' does."""
        number, tick = self.buffers[str(path)].number, self.buffers[str(path)].changedtick
        self.open(path, number=number, changedtick=tick + 1)

    def lines(self, path: Path) -> list[str]:
        """Return what the buffer holds."""
        return list(self.buffers[str(path)].lines)

    async def loaded(self, path: str) -> LiveBuffer | None:
        return self.buffers.get(path)

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
        if self._change("write", buffer, hunks, options, stamp) is None:
            return None
        save(path, self.buffers[path])
        self._sync(path)
        if self.formatter is not None and not quiet:
            self.formatter(path)
        return self.buffers[path]

    async def follow(
        self,
        buffer: LiveBuffer,
        hunks: Sequence[Hunk],
        options: BufferOptions,
        *,
        stamp: str = "",
    ) -> bool:
        path = self._change("follow", buffer, hunks, options)
        if path is not None:
            self._sync(path, stamp)
        return path is not None

    async def check(self, buffer: LiveBuffer, hunks: Sequence[Hunk]) -> None:
        return

    async def edit(
        self,
        buffer: LiveBuffer,
        hunks: Sequence[Hunk],
        options: BufferOptions | None,
        *,
        settled: bool,
        stamp: str = "",
    ) -> bool:
        path = self._change("settle" if settled else "edit", buffer, hunks, options)
        if path is not None:
            self.buffers[path] = replace(self.buffers[path], modified=True)
            if settled:
                self._sync(path, stamp)
        return path is not None

    async def saved(self, path: str) -> str:
        return self.stamps.get(path, "")

    async def survey(self, roots: Sequence[str]) -> Sequence[OpenFile]:
        folders = tuple(f"{root.rstrip('/')}/" for root in roots)
        return [
            OpenFile(path, it.encoding, synced, it.number, it.changedtick, it.modified)
            for path in [*self.buffers]
            if path.startswith(folders) and (it := await self.loaded(path)) is not None
            for synced in ["" if it.written is not None else it.synced]
        ]

    async def merged(self, path: str) -> str:
        return ""

    async def in_place(self) -> bool:
        return self.keeps_inodes

    async def is_open_otherwise(self, path: str) -> bool:
        return False

    async def holder(self, path: str) -> str | None:
        return self.holders.get(path)

    async def selection(self, selection: Selection) -> Selection:
        return selection

    def _sync(self, path: str, stamp: str = "") -> None:
        self.buffers[path] = replace(self.buffers[path], synced=stamp or disk.stamp(path))

    def _change(
        self,
        verb: str,
        buffer: LiveBuffer,
        hunks: Sequence[Hunk],
        options: BufferOptions | None,
        stamp: str | None = None,
    ) -> str | None:
        if self.before_change:
            interrupt, self.before_change = self.before_change, None
            interrupt()
        path, now = next(
            (path, now) for path, now in self.buffers.items() if now.number == buffer.number
        )
        if now.changedtick != buffer.changedtick or stamp not in (None, disk.stamp(path)):
            return None
        if path in self.busy:
            raise Busy(self.busy[path])
        if self.refuse:
            raise FileProblem(self.refuse)
        self.changes.append((verb, path, tuple(hunks)))
        lines = tuple(apply(now.lines, hunks))
        self.buffers[path] = replace(
            now,
            lines=lines or ("",),
            changedtick=now.changedtick + 1,
            modified=False,
            empty=not lines or (now.empty and not hunks),
            **(asdict(options) if options else {}),
        )
        return path


class FakeSurroundings(Surroundings):
    """What the test says that there is."""

    def __init__(self) -> None:
        self.selected: Selection | None = None
        self.seen: Selection | None = None
        self.texts: dict[str, NamedText] = {}
        self.found: dict[str, tuple[Finding, ...]] = {}
        self.buffers: dict[str, NamedText] = {}
        self.around: dict[str, Selection] = {}
        self.files: tuple[str, ...] = ()

    async def selection(self) -> Selection | None:
        return self.selected

    async def viewport(self) -> Selection | None:
        return self.seen

    async def diagnostics(self, *, here: bool = False) -> Sequence[Finding]:
        return self.found.get("diagnostic" if here else "diagnostics", ())

    async def enclosing(self, kind: str) -> Selection | None:
        return self.around.get(kind)

    async def marks(self) -> Sequence[Finding]:
        return self.found.get("marks", ())

    async def open_files(self) -> Sequence[str]:
        return self.files

    async def quickfix(self) -> Sequence[Finding]:
        return self.found.get("quickfix", ())

    async def text(self, name: str) -> NamedText | None:
        return self.texts.get(name)

    async def buffer(self, name: str) -> NamedText | None:
        return self.buffers.get(name)


class FakeScreens(TerminalScreens):
    """Terminal buffers in memory: what was shown, and whether they were let go."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.shown: dict[int, bytearray] = {}
        self.forgotten: set[int] = set()
        self._typed: dict[int, Callable[[bytes], None]] = {}
        self._resized: dict[int, Callable[[int, int], None]] = {}

    def open(
        self, name: str, *, typed: Callable[[bytes], None], resized: Callable[[int, int], None]
    ) -> int:
        number = len(self.names) + 1
        self.names[number], self.shown[number] = name, bytearray()
        self._typed[number], self._resized[number] = typed, resized
        return number

    def write(self, number: int, data: bytes) -> None:
        self.shown[number] += data

    def forget(self, number: int) -> None:
        self.forgotten.add(number)

    def buffer(self, number: int) -> int | None:
        return None if number in self.forgotten else number

    async def show(self, number: int) -> bool:
        return number not in self.forgotten

    def typed(self, number: int, data: bytes) -> None:
        self._typed[number](data)

    def resized(self, number: int, rows: int, columns: int) -> None:
        self._resized[number](rows, columns)

    async def settled(self) -> bool:
        return True


class FakeFollower(Follower):
    """An editor that notes where it was asked to go; `refusals`: how often it will not now."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, int | None]] = []
        self.posted: list[str] = []
        self.refusals = 0
        self.gave_in = anyio.Event()

    async def start(self) -> None:
        self.posted.append("start")

    async def show(self, path: str, line: int | None) -> bool:
        self.shown.append((path, line))
        if self.refusals:
            self.refusals -= 1
            return False
        self.gave_in.set()
        return True

    async def window(self) -> int | None:
        return 1000

    def clear(self) -> None:
        self.posted.append("clear")

    def stop(self) -> None:
        self.posted.append("stop")


class FakeReviewer(Reviewer):
    """Keeps what was drawn last for each file, the lists, and where it went.

    `outcomes` are the answers to the next drawings; after these each is "ok".
    """

    def __init__(self) -> None:
        self.drawn: dict[str, Drawing] = {}
        self.made: tuple[QuickfixList, ...] = ()
        self.updated: tuple[QuickfixList, ...] = ()
        self.has_lists = True
        self.reviews: tuple[FileReview, ...] = ()
        self.commented: tuple[str, ...] = ()
        self.is_on = False
        self.opened = 0
        self.went: list[tuple[str, int]] = []
        self.outcomes: list[Drawn] = []
        self.overviews: dict[int, Overview] = {}

    async def draw(self, path: str, tick: int, drawing: Drawing) -> Drawn:
        outcome: Drawn = self.outcomes.pop(0) if self.outcomes else "ok"
        if outcome == "ok":
            self.drawn[path] = drawing
        return outcome

    async def update_lists(self, lists: Sequence[QuickfixList], *, make: bool = False) -> None:
        self.updated = tuple(lists)
        self.made = self.updated if make else self.made

    async def files(
        self, reviews: Sequence[FileReview], commented: Sequence[str] = (), *, on: bool = False
    ) -> bool:
        self.reviews = tuple(reviews)
        self.commented = tuple(commented)
        self.is_on = on
        return self.has_lists

    async def overview(self, buffer: int, whole: Overview) -> None:
        self.overviews[buffer] = whole

    async def held(self, buffer: int, mark: int) -> HeldRows | None:
        return None  # no buffer of these

    async def open_list(self) -> None:
        self.opened += 1

    async def go(self, path: str, line: int) -> None:
        self.went.append((path, line))


class FakeNotifier(Notifier):
    """Keeps what the user, and the user's scripts, were told."""

    def __init__(self) -> None:
        self.notices: list[str] = []
        self.attended: list[tuple[int, str, bool]] = []
        self.events: list[tuple[str, Mapping[str, Any]]] = []
        self.faults: list[BaseException] = []

    def notice(self, text: str, *, warning: bool = False, passing: bool = False) -> None:
        self.notices.append(text)

    def attend(self, chat: int, text: str, *, warning: bool = False) -> None:
        self.attended.append((chat, text, warning))

    def event(self, name: str, data: Mapping[str, Any], *, at_once: bool = False) -> None:
        self.events.append((name, data))

    def redact(self, safe: Callable[[str], str]) -> None:
        """Nothing of a fake is kept."""

    def fault(self, error: BaseException) -> None:
        self.faults.append(error)
