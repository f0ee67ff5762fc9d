"""The plugin's parts for files as `app` puts them together, without agents: calls are awaited."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.files.event import Conflicted, ConflictSettled, FileEvent
from acp_nvim.history.author import Author
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.nvim.files import NvimFiles
from acp_nvim.review.log import Turn
from acp_nvim.review.outcome import Undone
from acp_nvim.session.origin import Stretch
from acp_nvim.session.request import ReadFileRequest
from tests.proof import steps
from tests.proof.codings import Coding
from tests.proof.world import World
from tests.support.files.baselines import plain
from tests.support.files.file_rig import FileRig

SESSIONS = tuple(f"s{number}" for number in range(steps.SESSIONS))


class Record(Struct, frozen=True):
    """What was counted to an agent in one file."""

    path: str
    before: str | None
    after: str | None
    author: Author


class Log(FileRig):
    """Remembers what was counted to an agent, and which conflicts there are."""

    def __init__(self, world: World) -> None:
        self.records: list[Record] = []
        self.standing: dict[str, Conflict] = {}
        files = NvimFiles(world.lua)
        super().__init__(world.folder, None, files, plain(quiet=0))
        world.at_end = self.kill

    def on_file(self, event: FileEvent) -> None:
        """Let the app's table work, and let no fault pass."""
        super().on_file(event)
        self.records += (Record(*delta) for delta in self.deltas)
        self.events.clear()
        match event:
            case Conflicted(conflict):
                self.standing[conflict.path] = conflict
            case ConflictSettled(path):
                self.standing.pop(path, None)


def supposed(author: Author) -> Author:
    """Return whose a change is that is only found on the disk."""
    return replace(author, how="found")


class Services:
    """What a client does for its agents, and what the user's commands do."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.log = Log(world)
        world.on_free = self.free
        self._is_free = False
        self.edits, self.review = self.log.edits, self.log.review
        self.log.turns.clear()

    def author(self, session: str) -> Author:
        """Return the turn that runs; one always does."""
        return self.log.turns[session]

    async def begin_turn(self, session: int) -> None:
        """Begin the next turn; what the disk has now is nobody's."""
        name, turns = SESSIONS[session], self.log.turns
        turn = turns[name].turn + 1 if name in turns else 1
        turns[name] = Author("a", name, turn, self.log.now(), f"call {name}.{turn}")
        if SESSIONS[0] in turns:
            self.log.running[""] = supposed(turns[SESSIONS[0]])
        await self.log.begin()
        self.log.store.journal.begin(supposed(turns[name]), (str(self.world.folder),))
        await self.settled()

    async def tell(self, session: int) -> None:
        """Send a prompt that tells the agent what the user has decided."""
        key, notes = ("a", SESSIONS[session]), self.log.lessons
        notes.sent(key, await notes.draft(key, self.log.roots))
        notes.arrived(key)

    async def killed(self, *, flushed: bool) -> None:
        """Kill the host, and have the next one find what was done until then."""
        old = self.log
        if flushed:
            old.store.write()
        old.store.journal.beat()  # a plan takes more than a second on a busy machine
        old.kill()
        self.log = Log(self.world)
        self.log.turns, self.log.running, self.log.seconds = old.turns, old.running, old.seconds
        self.log.standing = old.standing
        self.edits, self.review = self.log.edits, self.log.review
        await self.log.restore()
        self.check()

    async def read(self, session: int, name: str) -> str:
        """Return what the agent gets; "" for a file that is not there."""
        request = ReadFileRequest(SESSIONS[session], self.world.path(name))
        read = self.log.service.read(request, self.log.roots, empty_for_missing=True)
        return self._exact(name, (await read).content)

    async def write(self, session: int, name: str, text: str) -> None:
        """Write as the agent asks. Raises `RequestFailed`."""
        path = Path(self.world.path(name))
        await self.log.write(path, self._reading(name, text), SESSIONS[session])

    def _exact(self, name: str, text: str) -> str:
        coding = self.world.codings.get(name)
        return text.replace(self._odd(name, coding), coding.exact) if coding else text

    def _reading(self, name: str, text: str) -> str:
        coding = self.world.codings.get(name)
        return text.replace(coding.exact, self._odd(name, coding)) if coding else text

    def _odd(self, name: str, coding: Coding) -> str:
        return coding.reading(is_open=self.world.is_open(name))

    async def look(self, session: int, name: str, *, named: bool = True) -> None:
        """The agent's tool call names that file, or the user has opened or saved it meanwhile."""
        author = self.author(SESSIONS[session])
        author = author if named else supposed(author)
        await self.log.look(Path(self.world.path(name)), author)
        await self.settled()

    async def sweep(self, session: int) -> None:
        """Anything may have changed."""
        self.log.sync.sweep(supposed(self.author(SESSIONS[session])), self.log.roots)
        await self.log.sync.drain()
        await self.settled()

    async def settled(self) -> None:
        """Let what had to wait for the user be done: `passed` costs a tenth of a second."""
        if self._is_free:
            self._is_free = False
            await self.log.passed()
        else:
            await self.log.sync.drain()
        self.check()

    def free(self) -> None:
        """The user's hands are off the file."""
        self._is_free = True
        self.log.sync.free()

    def check(self) -> None:
        """Let no fault pass."""
        for fault in self.log.faults:
            raise fault

    def observe(self, name: str, text: str | None) -> None:
        """Fold in what the user did: the text is the live one, and the disk is settled."""
        self.edits.saw(self.world.path(name), text)

    def changes(self, name: str) -> tuple[ReviewHunk, ...]:
        """Return what is pending in a file."""
        return self.edits.changes(self.world.path(name))

    def everything(self, name: str) -> str:
        """Return all lines that the books have of a file, those that are gone among them."""
        ledger = self.edits.file(self.world.path(name))
        return "\n".join(ledger.everything()) if ledger else ""

    def turns(self) -> list[Turn]:
        """Return what can be taken back, the newest last."""
        found = [turn for name in SESSIONS for turn in self.edits.turns(Stretch(("a", name)))]
        return sorted(found, key=lambda turn: turn.author.began)

    async def redo(self, session: str) -> Undone | None:
        """Return what was taken back last."""
        batch = self.edits.last_undo([Stretch(("a", session))])
        return None if batch is None else await self.review.redo(batch)
