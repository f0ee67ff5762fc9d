"""What keeps the user's work safe, put together: the disk's watch, the books, the review."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial

from acp_nvim.editor import Editor
from acp_nvim.errors import RequestFailed
from acp_nvim.files import disk
from acp_nvim.files.baselines.baselines import Baselines
from acp_nvim.files.roots import Roots
from acp_nvim.files.service import FileService
from acp_nvim.files.sync import DiskSync
from acp_nvim.follow.follow_along import AgentId
from acp_nvim.ledger.delta import Author, SessionKey
from acp_nvim.reactions import notes
from acp_nvim.reactions.bookkeeper import Bookkeeper
from acp_nvim.review.decisions import Decisions
from acp_nvim.review.log import EditLog
from acp_nvim.review.notes import PromptNotes
from acp_nvim.review.presenter import ReviewPresenter
from acp_nvim.session.event import Noticed
from acp_nvim.session.state import SessionState
from acp_nvim.storage.edits import EditStore
from acp_nvim.workspace.authors import Authors
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.workspace import Workspace


class Keeping:
    """Makes the parts and leads what one finds out to the others; `attach` gives them the host."""

    def __init__(self, editor: Editor, workspace: Workspace) -> None:
        files, fault = editor.files, editor.notifier.fault
        self._event = editor.notifier.event
        self._workspace = workspace
        self._host: Host
        self.store = EditStore(workspace.state_folder("edits"), time.time)
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
            files,
            fault,
            baselines=baselines,
            recorder=on_disk,
            author=Authors(workspace).of_path,
        )
        self.review = Decisions(self.edits, files, self.disk, learned=self._learned)
        self.board = ReviewPresenter(
            self.edits, self.review, editor.reviewer, scope=workspace.scope, fault=fault
        )

    def attach(self, host: Host) -> None:
        """Take the host, which is made of these parts."""
        self._host = host

    def _changed(self, path: str) -> None:
        self.board.touch(path)

    def _written(self, author: Author, path: str) -> None:
        data = {"agent": author.agent, "session": author.session, "path": path}
        self._event("AcpFileWritten", data)

    def _missed(self, author: Author, paths: Sequence[str]) -> None:
        """Say in the chat what cannot be reviewed."""
        names = ", ".join(os.path.basename(path) for path in paths[:3])
        more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
        text = f"Changed, but too large or no text to be reviewed or taken back: {names}{more}"
        session = self._workspace.session(author.agent, author.session)
        if session is not None:
            session.apply(Noticed(text, "warning"))

    def _learned(self, key: SessionKey, path: str, theirs: str | None) -> None:
        self.lessons.rejected(key, path, theirs)
        session = self._workspace.session(*key)
        chat = None if session is None else self._workspace.chat_of(session)
        if chat is not None:
            notes.refresh(self._host, chat)


def serve(host: Host, agent: str) -> FileService:
    """Return what serves the file asks of one agent."""

    def told(name: str) -> Callable[[str, str], None]:
        return lambda session_id, path: host.editor.notifier.event(
            name, {"agent": agent, "session": session_id, "path": path}
        )

    def touched(session_id: str, path: str, line: int | None) -> None:
        host.follow.touched(AgentId(agent, session_id), path, line)

    def known(session_id: str, path: str, text: str) -> None:
        host.review.notes.knows((agent, session_id), path, text)

    return FileService(
        host.editor.files,
        on_read=told("AcpFileRead"),
        on_written=told("AcpFileWritten"),
        on_place=touched,
        on_text=known,
        on_refused=partial(_refused, host, agent),
        author=partial(Authors(host.workspace).of_session, agent),
        recorder=Bookkeeper(host.review.log, host.review.notes),
        watch=host.review.sync,
    )


def _refused(host: Host, agent: str, session_id: str, path: str, reason: str) -> None:
    """Tell the user of a file that the agent could not write."""
    session = host.workspace.session(agent, session_id)
    if session is not None:
        text = f"{agent} could not write {os.path.basename(path)}: {reason}"
        session.apply(Noticed(text, "warning"))


async def prepare(host: Host, roots: Roots) -> None:
    """A turn begins: what was done to files until now is not its doing."""
    await host.review.restore()
    await host.review.sync.prepare(roots)
    for path in host.review.presenter.paths():
        await host.review.decisions.look(path)


def look_at(host: Host, path: str) -> None:
    """The user has opened, or saved, that file: what an agent did before shows only now."""
    found = Authors(host.workspace).around(path)
    if found is not None:
        author, roots = found
        host.review.sync.look(author, roots, [path])


async def caught_up(host: Host) -> None:
    """Take up the books, and find all that agents have done until now."""
    await host.review.restore()
    for author, roots in Authors(host.workspace).running():
        host.review.sync.sweep(author, roots)
    await host.review.sync.caught_up()


async def learned(host: Host, state: SessionState, roots: Roots, paths: Iterable[str]) -> None:
    """An agent's own tool has read these files from the disk."""
    for path in paths:
        with suppress(RequestFailed):
            real = roots.resolve(path)
            text = (await disk.read(real)).text
            host.review.notes.knows((state.agent, state.id or ""), real, text)
