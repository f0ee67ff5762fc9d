"""A project in a folder, an editor in memory, and all of the plugin that has to do with files."""

from __future__ import annotations

import os
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest

from acp_nvim.editor import Files
from acp_nvim.errors import RequestFailed
from acp_nvim.files.baselines.baselines import Baselines
from acp_nvim.files.baselines.memory import Memory
from acp_nvim.files.event import (
    Conflicted,
    ConflictSettled,
    DiskChanged,
    FileEvent,
    FileRead,
    FileWritten,
    TakenBack,
    WriteRefused,
)
from acp_nvim.files.knowledge import Knowledge
from acp_nvim.files.roots import Roots
from acp_nvim.files.service import FileService
from acp_nvim.files.sync import DiskSync
from acp_nvim.history.author import Author, SessionKey
from acp_nvim.history.conflict import Conflict
from acp_nvim.questions.questions import Questions
from acp_nvim.reactions.files import on_file
from acp_nvim.review.comments import Comments
from acp_nvim.review.decisions import Decisions
from acp_nvim.review.log import EditLog, Turn
from acp_nvim.review.notes import PromptNotes
from acp_nvim.review.outcome import Undone
from acp_nvim.review.recovery import Recovery
from acp_nvim.session.origin import Stretch
from acp_nvim.session.request import ReadFileRequest, WriteFileRequest
from acp_nvim.storage.edits import EditStore
from acp_nvim.workspace.host import Host
from tests.support.fakes.fake_ports import FakeFiles, FakeNotifier

AGENT = Author("a", "s", 1, 0.0)


def author(turn: int = 1, session: str = "s", agent: str = "gemini") -> Author:
    """Return a turn of an agent, with its prompt."""
    return Author(agent, session, turn, began=float(turn), prompt=f"prompt {turn}")


class FileRig:
    """The parts are as the app puts them together; `kept` is where the histories are.

    What happens follows from the app's own table; `events` has all of it. Each look at the clock is
    a second later. `turns` has the turn of each session by its id, and `running` says whose turn
    runs at a path. A fault is raised, but where a test takes them from `faults`.
    """

    def __init__(
        self,
        folder: Path,
        kept: Path | None = None,
        files: Any = None,
        baselines: Baselines | None = None,
    ) -> None:
        self.folder = folder
        self.roots = Roots(str(folder))
        self.files: FakeFiles = files or FakeFiles()
        self.faults: list[BaseException] = []
        self.events: list[FileEvent] = []
        self.changed: list[str] = []
        self.seconds = 0.0
        self.turns: dict[str, Author] = {"s": AGENT}
        self.running: dict[str, Author] = {}
        """By the name of a file; "" stands for all."""
        self.store = EditStore(lambda: str(kept or folder.with_name(f"{folder.name}.kept")))
        weakref.finalize(self, self.store.journal.drop)
        self.knowledge = Knowledge()
        ports: Files = self.files
        baselines = baselines or Baselines()
        baselines.keep_in(Memory(self.store.journal.see))
        self.comments = Comments(ports, self.store.comments, self.changed.append)
        self.lessons = PromptNotes(
            ports, self.knowledge, self.store.lessons, self.comments, self.faults.append
        )
        self.edits = EditLog(self.store, now=self.now, changed=self.changed.append)
        self.sync = DiskSync(
            ports,
            self.on_file,
            self.faults.append,
            knowledge=self.knowledge,
            books=self.edits,
            author=lambda path: self.running.get(Path(path).name) or self.running.get(""),
            baselines=baselines,
        )
        self.said: list[str] = []
        """What the user was told of turns that were killed."""
        self.recovery = Recovery(
            self.store,
            self.edits,
            self.sync,
            ports,
            self.said.append,
            is_here=lambda folder: folder == os.getcwd(),
        )
        self.review = Decisions(self.edits, ports, self.sync, self.on_file)
        self.service = FileService(
            "a",
            ports,
            self.sync,
            self.knowledge,
            self.on_file,
            lambda it, _path: self.turns.get(it),
            self.edits.noted,
        )

        self.notifier = FakeNotifier()
        self.host = cast(
            Host,
            SimpleNamespace(
                review=SimpleNamespace(
                    log=self.edits,
                    notes=self.lessons,
                    knowledge=self.knowledge,
                    decisions=self.review,
                ),
                workspace=SimpleNamespace(session=lambda *_: None),
                editor=SimpleNamespace(notifier=self.notifier),
                follow=SimpleNamespace(touched=lambda *_: None),
                questions=Questions(),
            ),
        )

    def now(self) -> float:
        """Return a time, another one at each call."""
        self.seconds += 1
        return self.seconds

    # --- what follows from what happens

    def on_file(self, event: FileEvent) -> None:
        """Let the app's table work on the parts that are here."""
        self.events.append(event)
        on_file(self.host, event)

    # --- what has happened

    @property
    def deltas(self) -> list[tuple[str, str | None, str | None, Author]]:
        """What was counted to an agent: the path, its text before and after, whose."""
        return [
            (it.path, it.before, it.after, it.author)
            for it in self.events
            if isinstance(it, FileWritten | DiskChanged)
            and it.author is not None
            and it.before != it.after
        ]

    @property
    def texts(self) -> list[tuple[str | None, str | None]]:
        """The texts of what was counted to an agent."""
        return [(before, after) for _, before, after, _ in self.deltas]

    @property
    def named(self) -> list[tuple[str, str | None, str | None]]:
        """The same with the names of the files."""
        return [(Path(path).name, before, after) for path, before, after, _ in self.deltas]

    @property
    def conflicts(self) -> list[Conflict]:
        """The conflicts that came up."""
        return [it.conflict for it in self.events if isinstance(it, Conflicted)]

    @property
    def settled(self) -> list[str]:
        """The paths in which the agent's text was taken."""
        return [it.path for it in self.events if isinstance(it, ConflictSettled)]

    @property
    def told(self) -> list[tuple[str, str, str]]:
        """What agents have read and written through us: what, the session's id, the path."""
        return [
            ("read" if isinstance(it, FileRead) else "written", it.session[1], it.path)
            for it in self.events
            if isinstance(it, FileRead | FileWritten)
        ]

    @property
    def refused(self) -> list[tuple[str, str, str]]:
        """The session's id, the path and the reason of each write that was refused."""
        return [
            (it.session[1], it.path, it.reason)
            for it in self.events
            if isinstance(it, WriteRefused)
        ]

    @property
    def learned(self) -> list[tuple[SessionKey, str, str | None]]:
        """What was taken back of which agent's work: the path, and what it had left."""
        return [(it.session, it.path, it.theirs) for it in self.events if isinstance(it, TakenBack)]

    # --- files

    def file(self, text: str | bytes, name: str = "a") -> Path:
        """Make the disk hold that, as any program could."""
        path = self.folder / name
        path.write_bytes(text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text)
        return path

    def names(self, paths: tuple[str, ...]) -> list[str]:
        """Return the paths relative to the folder."""
        return [str(Path(path).relative_to(self.folder)) for path in paths]

    # --- the agent

    async def read(self, path: Path, session: str = "s", **window: int) -> str:
        """Let an agent read through us."""
        request = ReadFileRequest(session, str(path), **window)
        return (await self.service.read(request, self.roots)).content

    async def write(self, path: Path, content: str, session: str = "s") -> None:
        """Let an agent write through us."""
        await self.service.write(WriteFileRequest(session, str(path), content), self.roots)

    async def failure(self, path: Path, content: str | None = None) -> RequestFailed:
        """Return why an agent cannot read the file, or write that."""
        with pytest.raises(RequestFailed) as caught:
            await (self.read(path) if content is None else self.write(path, content))
        return caught.value

    async def agent(self, path: Path, text: str | None, by: Author | None = None) -> None:
        """Let an agent change a file on disk, as its own tools do; None: remove it."""
        async with self.sync.exclusive():
            await self.sync.sync(str(path), None)
            if text is None:
                path.unlink()
            else:
                path.write_bytes(text.encode("utf-8", "surrogateescape"))
            await self.sync.sync(str(path), by or author())

    # --- the end

    def kill(self) -> None:
        """Kill the host; histories are as they are on disk. The rig is of no use from now on."""
        self.store.journal.drop()

    async def restore(self) -> None:
        """Take up what another host has left."""
        await self.recovery.run()

    # --- looking

    async def begin(self) -> None:
        """Begin a turn."""
        await self.sync.prepare(self.roots)

    async def look(self, path: Path, by: Author | None = AGENT) -> None:
        """Bring the buffer of that file up to the disk."""
        async with self.sync.exclusive():
            await self.sync.sync(str(path), by)

    async def passed(self) -> None:
        """Let the passes do what they were told."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.sync.run)
            await self.idle()
            tasks.cancel_scope.cancel()

    async def idle(self) -> None:
        """Wait until the pass that has begun is over."""
        await anyio.wait_all_tasks_blocked()
        async with self.sync.exclusive():
            return

    # --- the user

    async def undo(self, number: int = 1, session: str = "s", agent: str = "gemini") -> Undone:
        """Take a turn back."""
        return await self.review.undo(self.turn(number, session, agent))

    async def redo(self, session: str = "s", agent: str = "gemini") -> Undone | None:
        """Return what was taken back last."""
        batch = self.edits.last_undo([Stretch((agent, session))])
        return None if batch is None else await self.review.redo(batch)

    def turn(self, number: int = 1, session: str = "s", agent: str = "gemini") -> Turn:
        """Return a turn that can be taken back."""
        turns = self.edits.turns(Stretch((agent, session)))
        return next(it for it in turns if it.author.turn == number)

    async def hunks(self, path: Path) -> list[tuple[int, str, str]]:
        """Return row, removed and added lines (as `a|b`) of each pending hunk, as it is now."""
        seen = await self.review.look(str(path))
        return [
            (it.first, *("|".join(line.rstrip("\r\n") for line in side) for side in sides))
            for it in seen.review.pending
            if (sides := (it.removed, it.added))
        ]
