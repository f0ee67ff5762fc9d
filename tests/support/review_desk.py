"""The books, the review and the watch over a real folder and an editor in memory."""

from __future__ import annotations

from pathlib import Path

from acp_nvim.files.roots import Roots
from acp_nvim.files.sync import DiskSync
from acp_nvim.ledger.delta import Author, SessionKey
from acp_nvim.review.decisions import Decisions, Undone
from acp_nvim.review.log import EditLog, Turn
from acp_nvim.storage.edits import EditStore
from tests.support.fake_ports import FakeFiles


def author(turn: int = 1, session: str = "s", agent: str = "gemini") -> Author:
    return Author(agent, session, turn, began=float(turn), prompt=f"prompt {turn}")


def told(*lines: str) -> str:
    """Return the lines as a text."""
    return "".join(f"{line}\n" for line in lines)


BASE = told("a", "b", "c", "d")
THEIRS = told("a", "B", "c", "d", "e")


class ReviewDesk:
    """A project in `folder`; its books are in `kept`, so that a second desk finds them there.

    Each look at the clock is a second later. `running` is whose turn runs.
    """

    def __init__(self, folder: Path, kept: Path) -> None:
        self.folder = folder
        self.roots = Roots(str(folder))
        self.files = FakeFiles()
        self.faults: list[BaseException] = []
        self.changed: list[str] = []
        self.learned: list[tuple[SessionKey, str, str | None]] = []
        self.running: Author | None = None
        self.seconds = 0.0
        self.store = EditStore(lambda: str(kept))
        self.edits = EditLog(self.store, now=self.now, changed=self.changed.append)
        self.watch = DiskSync(
            self.files,
            self.faults.append,
            recorder=self.edits,
            author=lambda path: self.running,
        )
        self.review = Decisions(
            self.edits,
            self.files,
            self.watch,
            learned=lambda *it: self.learned.append(it),
        )

    def now(self) -> float:
        self.seconds += 1
        return self.seconds

    # --- the agent

    def file(self, text: str, name: str = "a") -> Path:
        """Put a file there before any agent does."""
        path = self.folder / name
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        return path

    async def agent(self, path: Path, text: str | None, by: Author | None = None) -> None:
        """Let an agent change a file on disk, as its own tools do; None: remove it."""
        async with self.watch.still():
            await self.watch.settle(str(path), None)
            if text is None:
                path.unlink()
            else:
                path.write_bytes(text.encode("utf-8", "surrogateescape"))
            await self.watch.settle(str(path), by or author())

    # --- the user

    async def undo(self, number: int = 1, session: str = "s", agent: str = "gemini") -> Undone:
        return await self.review.undo(self.turn(number, session, agent))

    async def redo(self, session: str = "s", agent: str = "gemini") -> Undone | None:
        return await self.review.redo((agent, session))

    def turn(self, number: int = 1, session: str = "s", agent: str = "gemini") -> Turn:
        turns = self.edits.turns((agent, session))
        return next(it for it in turns if it.author.turn == number)

    # --- looking

    async def hunks(self, path: Path) -> list[tuple[int, str, str]]:
        """Return row, removed and added lines (as `a|b`) of each pending hunk, as it is now."""
        seen = await self.review.look(str(path))
        return [
            (it.first, *("|".join(line.rstrip("\r\n") for line in side) for side in sides))
            for it in seen.review.pending
            if (sides := (it.removed, it.added))
        ]

    def names(self, paths: tuple[str, ...]) -> list[str]:
        return [str(Path(path).relative_to(self.folder)) for path in paths]
