"""What follows from what happens to files: the one table of it.

`review.log` and `review.notes` are told in the same step in which a file is changed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from acp_nvim.commands import noting
from acp_nvim.editor import Files, Reviewer
from acp_nvim.files.encoding import clean
from acp_nvim.files.event import (
    Conflicted,
    ConflictSettled,
    DiskChanged,
    FileEvent,
    FileRead,
    FileWritten,
    NotFollowed,
    TakenBack,
    Unrecoverable,
    WriteRefused,
)
from acp_nvim.files.knowledge import Knowledge
from acp_nvim.files.roots import Roots
from acp_nvim.files.service import FileService
from acp_nvim.files.sync import DiskSync
from acp_nvim.follow.follow_along import AgentId, FollowAlong
from acp_nvim.ledger.delta import Author, SessionKey
from acp_nvim.review.decisions import Decisions
from acp_nvim.review.log import EditLog
from acp_nvim.review.notes import PromptNotes
from acp_nvim.review.presenter import ReviewPresenter
from acp_nvim.session.event import Noticed
from acp_nvim.storage.edits import EditStore
from acp_nvim.workspace.authors import Authors
from acp_nvim.workspace.workspace import Desk


class Keeping:
    """Makes the parts and leads what one finds out to the others; `attach` gives them the desk."""

    def __init__(
        self,
        files: Files,
        reviewer: Reviewer,
        follow: FollowAlong,
        *,
        folder: Callable[[], str],
        fault: Callable[[BaseException], None],
        event: Callable[[str, Mapping[str, Any]], None],
    ) -> None:
        self._files = files
        self.follow = follow
        self._event = event
        self._desk: Desk
        self._authors: Authors
        self.store = EditStore(folder, time.time)
        self.knowledge = Knowledge()
        self.lessons = PromptNotes(files, self.knowledge, self.store, fault)
        self.edits = EditLog(self.store, now=time.time, changed=self._changed)
        self.disk = DiskSync(
            files, self.on_file, fault, knowledge=self.knowledge, author=self._author
        )
        self.review = Decisions(self.edits, files, self.disk, self.on_file)
        self.reviewer = reviewer
        self.board = ReviewPresenter(
            self.edits, self.review, reviewer, scope=self._scope, fault=fault
        )

    def attach(self, desk: Desk) -> Authors:
        """Take the desk, which is made of these parts; return who knows whose a change is."""
        self._desk = desk
        self._authors = Authors(desk, time.time() - time.monotonic())
        return self._authors

    def serve(self, agent: str) -> FileService:
        """Return what serves the file requests of one agent."""

        def author(session_id: str) -> Author | None:
            return self._authors.of_session(agent, session_id)

        return FileService(agent, self._files, self.disk, self.knowledge, self.on_file, author)

    def on_file(self, event: FileEvent) -> None:
        """Let everything follow from what has happened to a file; never waits."""
        for reaction in REACTIONS[type(event)]:
            reaction(self, event)

    def announce(self, name: str, session: SessionKey, path: str) -> None:
        """Tell the user's scripts."""
        self._event(name, {"agent": session[0], "session": session[1], "path": path})

    def notice(self, session: SessionKey, text: str) -> None:
        """Say it in the session's chat."""
        found = self._desk.session(*session)
        if found is not None:
            found.apply(Noticed(text, "warning"))

    def tell(self, text: str) -> None:
        """Say it to the user, whatever is in front."""
        self._desk.ground.notifier.notice(text, warning=True)

    def refresh_notes(self, key: SessionKey) -> None:
        """Look again what goes along with the session's next prompt."""
        session = self._desk.session(*key)
        chat = None if session is None else self._desk.chat_of(session)
        if chat is not None:
            noting.refresh(self._desk, chat)

    async def prepare(self, roots: Roots) -> None:
        """A turn begins: what was done to files until now is not its doing."""
        await self.restore()
        await self.disk.prepare(roots)
        for path in self.board.paths():
            await self.review.look(path)

    def met(self, path: str) -> None:
        """The user has opened, or saved, that file: what an agent did before shows only now."""
        found = self._authors.around(path)
        if found is not None:
            author, roots = found
            self.disk.look(author, roots, [path])

    async def restore(self) -> None:
        """Take up the books of an earlier host."""
        await self.edits.restore()
        await self.lessons.restore()

    async def caught_up(self) -> None:
        """Take up the books, and find all that agents have done until now."""
        await self.restore()
        for author, roots in self._authors.running():
            self.disk.sweep(author, roots)
        await self.disk.drain()

    def _changed(self, path: str) -> None:
        self.board.touch(path)

    def _scope(self) -> set[str]:
        return self._desk.scope()

    def _author(self, path: str) -> Author | None:
        return self._authors.of_path(path)


def _recorded(keeping: Keeping, event: FileWritten | DiskChanged) -> None:
    author = event.author
    if author is not None and event.before != event.after:
        keeping.edits.wrote(event.path, event.before, event.after, author)
        before, after = (_read(text, event.encoding) for text in (event.before, event.after))
        keeping.lessons.wrote(_session(author), event.path, before, after)


def _read(text: str | None, encoding: str) -> str | None:
    return None if text is None else clean(text, encoding)


def _left(keeping: Keeping, event: DiskChanged) -> None:
    if event.left is not None:
        keeping.edits.left(event.path, event.left)


def _announced(keeping: Keeping, event: FileRead | FileWritten | DiskChanged) -> None:
    name = "AcpFileRead" if isinstance(event, FileRead) else "AcpFileWritten"
    if not isinstance(event, DiskChanged):
        keeping.announce(name, event.session, event.path)
    elif event.author is not None and event.before != event.after:
        keeping.announce(name, _session(event.author), event.path)


def _followed(keeping: Keeping, event: FileRead | FileWritten) -> None:
    keeping.follow.touched(AgentId(*event.session), event.path, event.line)


def _refused(keeping: Keeping, event: WriteRefused) -> None:
    name = os.path.basename(event.path)
    keeping.notice(event.session, f"{event.session[0]} could not write {name}: {event.reason}")


def _unrecoverable(keeping: Keeping, event: Unrecoverable) -> None:
    names = ", ".join(os.path.basename(path) for path in event.paths[:3])
    more = f" and {len(event.paths) - 3} more" if len(event.paths) > 3 else ""
    text = "Changed, but too large or no text to be reviewed or taken back: "
    keeping.notice(_session(event.author), f"{text}{names}{more}")


def _not_followed(keeping: Keeping, event: NotFollowed) -> None:
    name = os.path.basename(event.path)
    text = f"{name} has changed on disk, its buffer stays as it is: {event.reason}"
    keeping.tell(text)
    if event.author is not None:
        keeping.notice(_session(event.author), text)


def _conflicted(keeping: Keeping, event: Conflicted) -> None:
    keeping.edits.conflicted(event.conflict)


def _settled(keeping: Keeping, event: ConflictSettled) -> None:
    keeping.edits.settled(event.path)


def _taken_back(keeping: Keeping, event: TakenBack) -> None:
    keeping.lessons.rejected(event.session, event.path, event.theirs)
    keeping.refresh_notes(event.session)


def _session(author: Author) -> SessionKey:
    return author.agent, author.session


REACTIONS: Mapping[type[FileEvent], tuple[Callable[[Keeping, Any], None], ...]] = {
    FileRead: (_announced, _followed),
    FileWritten: (_recorded, _announced, _followed),
    DiskChanged: (_left, _recorded, _announced),
    WriteRefused: (_refused,),
    Conflicted: (_conflicted,),
    ConflictSettled: (_settled,),
    Unrecoverable: (_unrecoverable,),
    NotFollowed: (_not_followed,),
    TakenBack: (_taken_back,),
}
