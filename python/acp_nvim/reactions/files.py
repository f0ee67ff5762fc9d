"""What keeps the user's work safe, put together: the disk's watch, the books, the review."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from acp_nvim.commands import noting
from acp_nvim.editor import Files, Reviewer
from acp_nvim.errors import RequestFailed
from acp_nvim.files import disk
from acp_nvim.files.baselines.baselines import Baselines
from acp_nvim.files.roots import Roots
from acp_nvim.files.service import FileService
from acp_nvim.files.sync import DiskSync
from acp_nvim.follow.follow_along import AgentId, FollowAlong
from acp_nvim.ledger.delta import Author, SessionKey
from acp_nvim.reactions.bookkeeper import Bookkeeper
from acp_nvim.review.decisions import Decisions
from acp_nvim.review.log import EditLog
from acp_nvim.review.notes import PromptNotes
from acp_nvim.review.presenter import ReviewPresenter
from acp_nvim.session.event import Noticed
from acp_nvim.session.state import SessionState
from acp_nvim.storage.edits import EditStore
from acp_nvim.workspace.authors import Authors
from acp_nvim.workspace.workspace import Desk


class Keeping:
    """Makes the parts and leads what one finds out to the others; `attach` gives them the desk."""

    def __init__(
        self,
        files: Files,
        reviewer: Reviewer,
        *,
        folder: Callable[[], str],
        fault: Callable[[BaseException], None],
        event: Callable[[str, Mapping[str, Any]], None],
    ) -> None:
        self._files = files
        self._event = event
        self._desk: Desk
        self._authors: Authors
        self.store = EditStore(folder)
        self.lessons = PromptNotes(files, fault, self.store)
        self.edits = EditLog(self.store, now=time.time, changed=self._changed)
        baselines = Baselines()
        on_disk = Bookkeeper(
            self.edits,
            self.lessons,
            seen=baselines.text,
            on_written=self._written,
            on_missed=self._missed,
        )
        self.disk = DiskSync(
            files, fault, baselines=baselines, recorder=on_disk, author=self._author
        )
        self.review = Decisions(self.edits, files, self.disk, learned=self._learned)
        self.reviewer = reviewer
        self.board = ReviewPresenter(
            self.edits, self.review, reviewer, scope=self._scope, fault=fault
        )

    def attach(self, desk: Desk) -> Authors:
        """Take the desk, which is made of these parts; return who knows whose a change is."""
        self._desk = desk
        self._authors = Authors(desk, time.time() - time.monotonic())
        return self._authors

    def serve(
        self, agent: str, follow: FollowAlong, refused: Callable[[str, str, str, str], None]
    ) -> FileService:
        """Return what serves the file asks of one agent."""

        def told(name: str) -> Callable[[str, str], None]:
            return lambda session_id, path: self._event(
                name, {"agent": agent, "session": session_id, "path": path}
            )

        def touched(session_id: str, path: str, line: int | None) -> None:
            follow.touched(AgentId(agent, session_id), path, line)

        def known(session_id: str, path: str, text: str) -> None:
            self.lessons.knows((agent, session_id), path, text)

        return FileService(
            self._files,
            on_read=told("AcpFileRead"),
            on_written=told("AcpFileWritten"),
            on_place=touched,
            on_text=known,
            on_refused=partial(refused, agent),
            author=partial(self._authors.of_session, agent),
            recorder=Bookkeeper(self.edits, self.lessons),
            watch=self.disk,
        )

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
        await self.disk.caught_up()

    async def known(self, state: SessionState, roots: Roots, paths: Iterable[str]) -> None:
        """An agent's own tool has read these files from the disk."""
        for path in paths:
            with suppress(RequestFailed):
                real = roots.resolve(path)
                text = (await disk.read(real)).text
                self.lessons.knows((state.agent, state.id or ""), real, text)

    def _changed(self, path: str) -> None:
        self.board.touch(path)

    def _scope(self) -> set[str]:
        return self._desk.scope()

    def _author(self, path: str) -> Author | None:
        return self._authors.of_path(path)

    def _written(self, author: Author, path: str) -> None:
        data = {"agent": author.agent, "session": author.session, "path": path}
        self._event("AcpFileWritten", data)

    def _missed(self, author: Author, paths: Sequence[str]) -> None:
        """Say in the chat what cannot be reviewed."""
        names = ", ".join(os.path.basename(path) for path in paths[:3])
        more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
        text = f"Changed, but too large or no text to be reviewed or taken back: {names}{more}"
        session = self._desk.session(author.agent, author.session)
        if session is not None:
            session.apply(Noticed(text, "warning"))

    def _learned(self, key: SessionKey, path: str, theirs: str | None) -> None:
        self.lessons.rejected(key, path, theirs)
        session = self._desk.session(*key)
        chat = None if session is None else self._desk.chat_of(session)
        if chat is not None:
            noting.refresh(self._desk, chat)
