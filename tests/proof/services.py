"""The plugin's services as `app` puts them together, without agents: each call is awaited."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from acp_nvim.files.baselines.baselines import Baselines
from acp_nvim.files.recorder import Recorder
from acp_nvim.files.roots import Roots
from acp_nvim.files.service import FileService
from acp_nvim.files.sync import DiskSync
from acp_nvim.ledger.conflict import Conflict
from acp_nvim.ledger.delta import Author
from acp_nvim.ledger.hunk import ReviewHunk
from acp_nvim.nvim.files import NvimFiles
from acp_nvim.review.decisions import Decisions, Undone
from acp_nvim.review.log import EditLog, Turn
from acp_nvim.session.request import ReadFileRequest, WriteFileRequest
from acp_nvim.storage.edits import EditStore
from tests.proof.world import World

SESSIONS = ("s0", "s1")


@dataclass(frozen=True, slots=True)
class Record:
    """What the recorder was told of one file."""

    path: str
    before: str | None
    after: str | None
    author: Author


class Log(Recorder):
    """Passes on what the books are told, and remembers it."""

    def __init__(self, books: EditLog) -> None:
        self._books = books
        self.records: list[Record] = []
        self.conflicts: dict[str, Conflict] = {}

    def wrote(self, path: str, before: str | None, after: str | None, author: Author) -> None:
        if before != after:
            self.records.append(Record(path, before, after, author))
        self._books.wrote(path, before, after, author)

    def conflicted(self, conflict: Conflict) -> None:
        self.conflicts[conflict.path] = conflict
        self._books.conflicted(conflict)

    def settled(self, path: str) -> None:
        self.conflicts.pop(path, None)
        self._books.settled(path)


class Services:
    """What a client does for its agents, and what the user's commands do."""

    def __init__(self, world: World) -> None:
        self.world = world
        clock = itertools.count(1)

        def now() -> float:
            return float(next(clock))

        self._now = now
        store = EditStore(lambda: str(world.folder.parent))
        self.edits = EditLog(store, now=now, changed=lambda path: None)
        self.log = Log(self.edits)
        self.roots = Roots(str(world.folder))
        files = NvimFiles(world.lua)
        self.watch = DiskSync(
            files,
            fail,
            baselines=Baselines(quiet=0),
            recorder=self.log,
            author=lambda path: self._turns.get(SESSIONS[0]),
        )
        self._turns: dict[str, Author] = {}
        self.service = FileService(files, author=self.author, recorder=self.log, watch=self.watch)
        self.review = Decisions(self.edits, files, self.watch)

    def author(self, session: str) -> Author:
        """Return the turn that runs; one always does."""
        return self._turns[session]

    async def begin_turn(self, session: int) -> None:
        """Begin the next turn; what the disk has now is nobody's."""
        name = SESSIONS[session]
        last = self._turns.get(name)
        turn = 1 if last is None else last.turn + 1
        self._turns[name] = Author("agent", name, turn, self._now(), f"call {name}.{turn}")
        await self.watch.prepare(self.roots)

    async def read(self, session: int, name: str) -> str:
        """Return what the agent gets; "" for a file that is not there."""
        ask = ReadFileRequest(SESSIONS[session], self.world.path(name))
        return (await self.service.read(ask, self.roots, empty_for_missing=True)).content

    async def write(self, session: int, name: str, text: str) -> None:
        """Write as the agent asks. Raises `RequestFailed`."""
        ask = WriteFileRequest(SESSIONS[session], self.world.path(name), text)
        await self.service.write(ask, self.roots)

    async def look(self, session: int, name: str) -> None:
        """The agent's tool call names that file."""
        async with self.watch.still():
            await self.watch.settle(self.world.path(name), self.author(SESSIONS[session]))

    async def sweep(self, session: int) -> None:
        """Anything may have changed."""
        self.watch.sweep(self.author(SESSIONS[session]), self.roots)
        await self.watch.caught_up()

    def observe(self, name: str, text: str | None) -> None:
        """Fold in what the user did: the text is the live one, and the disk is settled."""
        self.edits.saw(self.world.path(name), text)

    def changes(self, name: str) -> tuple[ReviewHunk, ...]:
        """Return what is pending in a file."""
        return self.edits.changes(self.world.path(name))

    def everything(self, name: str) -> str:
        """Return all lines that the books have of a file, those that are gone among them."""
        ledger = self.edits.ledger(self.world.path(name))
        return "".join(line for span in ledger.weave for line in span.lines) if ledger else ""

    def turns(self) -> list[Turn]:
        """Return what can be taken back, the newest last."""
        found = [turn for name in SESSIONS for turn in self.edits.turns(("agent", name))]
        return sorted(found, key=lambda turn: turn.author.began)

    async def redo(self, session: str) -> Undone | None:
        """Return what was taken back last."""
        return await self.review.redo(("agent", session))


def fail(error: BaseException) -> None:
    """Let no fault pass."""
    raise error
