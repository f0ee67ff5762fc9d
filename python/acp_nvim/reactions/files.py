"""What follows from what happens to files: one table. Nothing in it waits.

The log and the notes are told in the same step in which a file is changed. Below the table: what
the others ask for where files are concerned.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from acp_nvim.files.encoding import clean
from acp_nvim.files.event import (
    Conflicted,
    ConflictSettled,
    DiskChanged,
    EditsGoOn,
    EditWaits,
    FileEvent,
    FilePut,
    FileRead,
    FileWritten,
    NotFollowed,
    TakenBack,
    Unrecoverable,
    WriteBegun,
    WriteRefused,
)
from acp_nvim.files.roots import Roots
from acp_nvim.files.service import FileService
from acp_nvim.follow.follow_along import AgentId
from acp_nvim.history.author import SessionKey
from acp_nvim.reactions import measuring, notes, questions
from acp_nvim.review.conflicts import is_removal
from acp_nvim.session.event import Event, Noticed, NoticeOver
from acp_nvim.view.attention import waits
from acp_nvim.view.place import relative
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.authors import Authors
from acp_nvim.workspace.host import Host

FileReaction: TypeAlias = Callable[[Host, Any], None]

NAME = 60
"""Characters of a name."""
PLACE = 120
"""Characters of a path."""
UNKNOWN = "Changed, but cannot be reviewed or undone"
GONE = "Deleted, ignored by git, and cannot be restored"


def on_file(host: Host, event: FileEvent) -> None:
    """Let everything follow from what has happened to a file, or else do not let it happen.

    What has happened is told to all, whichever of them fails.
    """
    for react in REACTIONS[type(event)]:
        try:
            react(host, event)
        except Exception as error:
            if isinstance(event, WriteBegun):  # nothing has happened yet: it must not, unnoted
                raise
            host.editor.notifier.fault(error)


def foresee(host: Host, event: WriteBegun) -> None:
    """Have it on disk who did so, should the host be killed right after."""
    if event.author is not None:
        texts = event.before, event.after
        host.review.log.writes(event.path, *texts, event.author, event.encoding)


def record(host: Host, event: FileWritten | DiskChanged) -> None:
    """Count it to its author."""
    author = event.author
    if author is not None and event.before != event.after:
        texts = event.before, event.after
        host.review.log.wrote(event.path, *texts, author, event.encoding, event.left)
        before, after = (_read(text, event.encoding) for text in (event.before, event.after))
        host.review.notes.wrote(author.session_key, event.path, before, after)


def _read(text: str | None, encoding: str) -> str | None:
    return None if text is None else clean(text, encoding)


def tell(host: Host, event: FileRead | FileWritten | DiskChanged) -> None:
    """Tell the user's scripts."""
    name = "AcpFileRead" if isinstance(event, FileRead) else "AcpFileWritten"
    if not isinstance(event, DiskChanged):
        _fire(host, name, event.session, event.path)
    elif event.author is not None and event.before != event.after:
        _fire(host, name, event.author.session_key, event.path)


def attribute(host: Host, event: FileRead) -> None:
    """Know for which tool calls it was: how they end is no news of what the file holds."""
    calls = Authors(host.workspace).at(event.session, event.path)
    host.review.knowledge.served_to(event.session, event.path, calls)


def go_along(host: Host, event: FileRead | FileWritten) -> None:
    """The agent is there now."""
    host.follow.touched(AgentId(*event.session), event.path, event.line)


def refuse(host: Host, event: WriteRefused) -> None:
    """Tell the user of a file that the agent could not write."""
    name = _name(event.path)
    text = f"{event.session[0]} could not write {name}: {event.reason}"
    if not event.known:
        host.editor.notifier.notice(text, warning=True)
    _notice(host, event.session, text)


def wait(host: Host, event: EditWaits) -> None:
    """Say what waits, and why."""
    text = _waits(event)
    host.editor.notifier.notice(text, passing=True)
    _apply(host, event.session, Noticed(text, "warning", "passing"))


def go_on(host: Host, event: EditsGoOn) -> None:
    """Say that no more."""
    _apply(host, event.told.session, NoticeOver(_waits(event.told)))


def _waits(event: EditWaits) -> str:
    agent = None if event.session is None else event.session[0]
    return waits(agent, _names(event.paths, 3), event.doing)


def lament(host: Host, event: Unrecoverable) -> None:
    """Tell the user what cannot be reviewed, and again when the rest of the turn is taken back."""
    host.review.decisions.lost.note(event.author, event.paths, event.reason)
    text, named = (GONE, 10) if event.gone else (f"{UNKNOWN} ({event.reason})", 3)
    places = [relative(path, os.getcwd()) for path in event.paths[:named]]
    more = f" and {len(event.paths) - named} more" if len(event.paths) > named else ""
    told = ", ".join(one_line(place, PLACE) for place in places)
    _notice(host, event.author.session_key, f"{text}: {told}{more}")


def leave(host: Host, event: NotFollowed) -> None:
    """Tell the user of a buffer that stays behind its file, and why."""
    text = f"{_name(event.path)} has changed, its buffer stays: {event.reason}"
    host.editor.notifier.notice(text, warning=True)
    if event.author is not None:
        _notice(host, event.author.session_key, text)


def _names(paths: Sequence[str], most: int) -> str:
    """Return so many names, and how many more there are."""
    more = f" and {len(paths) - most} more" if len(paths) > most else ""
    return ", ".join(map(_name, paths[:most])) + more


def _name(path: str) -> str:
    """Return the name of a file, or of a folder with its "/", in one line."""
    folder = "/" if path.endswith("/") else ""
    return one_line(os.path.basename(path.rstrip("/")), NAME) + folder


def conflict(host: Host, event: Conflicted) -> None:
    """Keep both sides for the user to decide, who is told when it begins."""
    found = event.conflict
    if event.tell and host.review.log.conflict(found.path) is None:
        whose, line, name = found.author.agent, found.places[0][0] + 1, _name(found.path)
        text = f"you and {whose} have both changed line {line} of {name}: :Acp review"
        if is_removal(found):
            text = f"{whose} has removed {name}, what you have not saved stays: :Acp review"
        host.editor.notifier.notice(text, warning=True)
        _notice(host, found.author.session_key, text)
    host.review.log.conflicted(found)


def settle(host: Host, event: ConflictSettled) -> None:
    """There is nothing to decide any more."""
    host.review.log.settled(event.path)


def put(host: Host, event: FilePut) -> None:
    """Know what the user has agreed to."""
    saved = event.is_saved
    host.review.knowledge.decided(event.path, event.before, event.after, is_saved=saved)


def take_back(host: Host, event: TakenBack) -> None:
    """Tell the agent with the next prompt."""
    host.review.knowledge.taken_back(event.session, event.path, event.theirs, event.left)
    lesson = (event.path, event.theirs, event.left, event.because)
    host.review.notes.rejected(event.session, *lesson)
    session = host.workspace.session(*event.session)
    chat = None if session is None else host.workspace.chat_of(session)
    if chat is not None:
        notes.refresh(host, chat)


def find_out(host: Host, event: FileWritten | FilePut) -> None:
    """Find out anew what agents that know the file, and wait for a prompt, do not know of it."""
    for chat in host.workspace.chats.values():
        key = notes.key_of(chat)
        if not chat.session.state.is_running and host.review.notes.is_about(key, event.path):
            notes.refresh(host, chat)


REACTIONS: Mapping[type[FileEvent], tuple[FileReaction, ...]] = {
    FileRead: (attribute, tell, go_along),
    WriteBegun: (foresee,),
    FileWritten: (record, measuring.count, tell, go_along, questions.file_changed, find_out),
    DiskChanged: (record, measuring.count, tell, questions.file_changed),
    WriteRefused: (refuse,),
    EditWaits: (wait,),
    EditsGoOn: (go_on,),
    Conflicted: (conflict,),
    ConflictSettled: (settle,),
    Unrecoverable: (lament,),
    NotFollowed: (leave,),
    TakenBack: (take_back,),
    FilePut: (put, find_out),
}


def _fire(host: Host, name: str, session: SessionKey, path: str) -> None:
    data = {"agent": session[0], "session": session[1], "path": path}
    host.editor.notifier.event(name, data)


def _notice(host: Host, key: SessionKey, text: str) -> None:
    _apply(host, key, Noticed(text, "warning"))


def _apply(host: Host, key: SessionKey | None, event: Event) -> None:
    session = None if key is None else host.workspace.session(*key)
    if session is not None:
        session.apply(event)


# --- what the others ask for


def serve(host: Host, agent: str) -> FileService:
    """Return what serves the file requests of one agent."""
    return FileService(
        agent,
        host.editor.files,
        host.review.sync,
        host.review.knowledge,
        partial(on_file, host),
        partial(Authors(host.workspace).of_session, agent),
        host.review.log.noted,
    )


async def prepare(host: Host, roots: Roots) -> None:
    """A turn begins once the user's acts before it are over: none of it is the turn's doing."""
    async with host.review.decisions.acts:
        pass
    await host.review.restore()
    await host.review.sync.prepare(roots)
    await host.review.decisions.catch_up(host.review.presenter.paths(), closed=True)


def look_at(host: Host, path: str) -> None:
    """The user has opened, or saved, that file: what an agent did before shows only now."""
    found = Authors(host.workspace).around(path)
    if found is not None:
        author, roots = found
        host.review.sync.look(author, roots, [path])


def look_around(host: Host) -> None:
    """Anything may have changed where agents work."""
    for author, roots in Authors(host.workspace).running():
        host.review.sync.sweep(author, roots)


async def catch_up(host: Host) -> None:
    """Take up the histories; find all that agents have done until now, and the user in buffers."""
    await host.review.restore()
    await host.review.comments.refresh()
    look_around(host)
    await host.review.sync.drain()
    await host.review.decisions.catch_up(host.review.log.paths())
