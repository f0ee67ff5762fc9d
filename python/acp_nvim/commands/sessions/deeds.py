"""Sessions of now and of earlier days: pick one, go on with it, rename, close or delete it."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Literal

from acp_nvim.client import reasons
from acp_nvim.client.client import Client
from acp_nvim.client.listing import LISTING, Listing, list_all
from acp_nvim.commands.roots import let_in
from acp_nvim.editor import Choice
from acp_nvim.errors import UserError
from acp_nvim.files.roots import inside
from acp_nvim.reactions import clients, screen
from acp_nvim.reactions.reopening import reopen as opened_again
from acp_nvim.session.event import (
    InfoChanged,
    SessionClosed,
    SessionReopening,
    TranscriptRestored,
)
from acp_nvim.session.saved import restored
from acp_nvim.storage import private
from acp_nvim.view.lists.sessions import (
    Row,
    age,
    called,
    label,
    listed_row,
    merged,
    stored_row,
)
from acp_nvim.view.status import welcome
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.root import find_root, is_too_wide
from acp_nvim.workspace.session_list import kept_rows, named, open_rows
from acp_nvim.workspace.workspace import HISTORY
from acp_nvim.worktrees.records import is_same

KIND = "acp.session"
MOST_RECENT = 3
ELSEWHERE = "this session is also open in another Neovim: neither shows what is said in the other"


async def sessions(
    host: Host,
    file: str,
    cwd: str,
    action: Literal["", "close", "delete", "archive", "unarchive"] = "",
) -> None:
    """Let the user pick a session: go on with it, or close or delete it (`action`)."""
    cwd, is_archived = find_root(file, cwd), action == "unarchive"
    rows = await (listed_rows(host, cwd, archived=True) if is_archived else _rows(host, cwd))
    tell_missing(host)
    if action == "close":
        rows = tuple(row for row in rows if row.kind == "open" and row.state != "closed")
    if not rows:
        raise UserError(_NOTHING.get(action, _NOTHING[""]))
    now = host.store.now()
    choices = [Choice(label(row, now=now, cwd=cwd), row) for row in rows]
    title = _TITLES.get(action, "Go to a session")
    row: Row | None = await host.editor.chooser.choose(title, KIND, choices)
    if row is not None:
        await DEEDS[action or "open"](host, row, cwd)


_TITLES = {
    "close": "Close a session",
    "delete": "Delete a session",
    "archive": "Archive a session",
    "unarchive": "List an archived session again",
}
_NOTHING = {
    "": "there is no session of this project: :AcpStart opens one",
    "close": "no session is open",
    "delete": "there is no session of this project to delete",
    "archive": "there is no session of this project to archive",
    "unarchive": "no agent that runs here has an archived session of this project",
}


async def _rows(host: Host, cwd: str) -> tuple[Row, ...]:
    """Return the open sessions, those that the agents list for this project, and the kept ones."""
    listed = await listed_rows(host, cwd)
    opened = open_rows(host.workspace.chats, host.store.now() - host.clock())
    trees = host.workspace.worktrees
    rows = merged((opened, listed, kept_rows(host.store.heads(), cwd, host.left_open, trees)))
    return named(rows, host.workspace.chats, trees.labels())


async def listed_rows(host: Host, cwd: str, *, archived: bool = False) -> tuple[Row, ...]:
    """Return the sessions that the agents list for a project; some list those of all projects."""
    listings = [it.ready.listing for it in host.workspace.clients if it.ready is not None]
    listed = await list_all(listings, cwd, archived=archived)
    trees = host.workspace.worktrees
    rows = (listed_row(agent, it) for agent, told in listed.items() for it in told)
    return tuple(row for row in rows if trees.is_of(cwd, find_root("", row.cwd)))


def recent(host: Host, chat: Chat) -> dict[str, Any]:
    """Answer what an empty chat teaches, and the last sessions kept of its folder that no chat
    shows."""
    state, now, home = chat.session.state, host.store.now(), os.path.expanduser("~")
    shown = {it.session.state.key for it in host.workspace.chats.values() if it.is_drawn}
    kept = [it for it in host.store.heads() if (it.agent, it.id) not in shown]
    last = [it for it in kept if is_same(it.cwd, state.cwd)][:MOST_RECENT]
    titles = [f"{called(stored_row(it), 60)} · {age(now - it.updated)} ago" for it in last]
    folder = (
        "~" + state.cwd[len(home) :] if inside(state.cwd).startswith(inside(home)) else state.cwd
    )
    with_keys = host.workspace.options.default_keys
    return {
        "lines": welcome(state, one_line(folder, 200), titles, with_keys=with_keys),
        "sessions": [{"agent": it.agent, "session": it.id} for it in last],
    }


def tell_missing(host: Host) -> None:
    """Say whose list is missing: the user gives the command again after the login (C-054)."""
    for client in host.workspace.clients:
        if client.state == "needs_login" and client.error:
            host.editor.notifier.notice(client.error, warning=True)
        elif client.ready is not None and client.ready.listing.late:
            host.editor.notifier.notice(reasons.unlisted(client.name, LISTING), warning=True)


def _is_chosen(host: Host, row: Row, cwd: str) -> bool:
    """Tell whether the user has chosen that folder, now or before: agents name any."""
    kept = host.store.read(row.agent, row.id)
    return is_same(row.cwd, cwd) or (kept is not None and is_same(row.cwd, kept.cwd))


def left_open(host: Host, file: str, cwd: str) -> list[dict[str, str]]:
    """Answer agent and id of each session that was open when the last Neovim of a project ended, if
    it is to be brought back; they are this host's from now on."""
    if not host.workspace.options.restore:
        return []
    kept = {(head.agent, head.id) for head in host.store.heads()}
    shown = {chat.session.state.key for chat in host.workspace.chats.values()}
    taken = host.left_open.take(partial(host.workspace.worktrees.is_of, find_root(file, cwd)))
    return [{"agent": key[0], "session": key[1]} for key in taken if key in kept - shown]


def last_agent(host: Host, file: str, cwd: str) -> str | None:
    """Answer the agent that was used last in a project, None if there was none."""
    trees = host.workspace.worktrees
    root = trees.home(find_root(file, cwd))
    states = [chat.session.state for chat in reversed(host.workspace.chats.values())]
    used = [(it.agent, it.cwd) for it in states]
    used += [(it.agent, it.cwd) for it in host.store.heads()]
    return next((agent for agent, place in used if trees.is_of(root, place)), None)


# --- going on with one


async def _go(host: Host, row: Row, cwd: str) -> None:
    """Show it if it is open; else load it, else resume it, else begin anew with what was kept."""
    if row.chat not in host.workspace.chats:
        if host.workspace.worktrees.is_gone(row.cwd):
            raise UserError("the worktree of this session was removed: :Acp new opens another")
        await let_in(host, row.agent, row.cwd, chosen=_is_chosen(host, row, cwd))
    chat = host.workspace.chats.get(row.chat) or _closed_chat(host, row)
    if chat is not None:
        is_closed = chat.session.state.status == "closed" and not chat.session.state.parent
        if is_closed:  # prompts wait from now on
            chat.session.apply(SessionReopening(session_id=row.id))
        await host.editor.chats.show(chat.number)
        if is_closed:
            await _connect(host, chat, row.id)
        return
    client = host.workspace.client(row.agent)
    record = host.store.read(row.agent, row.id)
    if record is None and not row.sub.parent and client is not None and not _reopens(client):
        # nothing to show, nothing to go on with (C-102)
        raise UserError(f"{row.agent} lists its sessions, but can neither load nor resume one")
    opened = await host.editor.chats.open(row.agent)
    if opened is None:
        raise UserError("no chat could be opened")
    chat = _new_chat(host, *opened, row)
    await _connect(host, chat, row.id)


def _reopens(client: Client) -> bool:
    return client.ready is not None and client.ready.listing.reopens


def _closed_chat(host: Host, row: Row) -> Chat | None:
    """Return the chat that shows this session and is closed."""
    for chat in host.workspace.chats.values():
        state = chat.session.state
        if (state.agent, state.id) == (row.agent, row.id) and row.id:
            return chat
    return None


def _new_chat(host: Host, number: int, prompt: int, row: Row) -> Chat:
    """Take in a chat that shows what was kept of the session; that of a sub-agent may be open."""
    record = host.store.read(row.agent, row.id)
    live = host.workspace.session(row.agent, row.id) if row.sub.parent else None
    parent = row.sub.parent or (record.parent if record else "")
    session = live or clients.new_session(host, row.agent, row.cwd, parent)
    chat = Chat(number, prompt, session, host.clock)
    host.add(chat)
    if live is not None:
        chat.client = host.workspace.client(row.agent)
    if parent:
        screen.name_chat(host, chat, row.id)
    if live is not None:
        return chat
    if record is not None:
        session.apply(*restored(record))
    elif row.title:
        session.apply(TranscriptRestored((), row.title))
    return chat


async def _connect(host: Host, chat: Chat, session_id: str) -> None:
    """Let the agent open the session again; it is started if it does not run."""
    state = chat.session.state
    if state.parent:  # it is there with its agent's session; else it is history
        if chat.client is None:
            chat.session.apply(SessionReopening(session_id=session_id), SessionClosed())
        return
    try:
        plan = host.workspace.launch(state.agent, state.cwd)
    except UserError as error:
        chat.session.apply(SessionReopening(), SessionClosed(str(error)))
        raise
    chat.client = clients.connect(host, plan)
    if host.left_open.elsewhere((state.agent, session_id)):
        host.editor.notifier.notice(ELSEWHERE, warning=True)
    await opened_again(host, chat.client, chat.session, session_id)


def reopen(
    host: Host, chat: int, prompt: int, agent: str, session: str, cwd: str
) -> Awaitable[None]:
    """Open the session whose name a buffer has: `:edit acp://…`, or `:mksession`.

    The chat is there at once, with what was kept of it, so that a prompt is queued in it.
    """
    record = host.store.read(agent, session)
    root = record.cwd if record else find_root("", cwd)
    new = _new_chat(host, chat, prompt, Row("stored", agent, session, root))
    return _reopen(host, new, session)


async def _reopen(host: Host, chat: Chat, session_id: str) -> None:
    state = chat.session.state
    if is_too_wide(state.cwd):
        # nobody is asked here: a session file must not open a picker
        said = f"{state.agent} is not let into {state.cwd}: :cd to the project, then :Acp sessions"
        chat.session.apply(SessionClosed(said))
        return
    await _connect(host, chat, session_id)


def rename(host: Host, chat: Chat, title: str) -> Awaitable[None]:
    """Give the session of a chat another title, with the agent where it keeps one."""
    return rename_chat(host, chat, usable_title(title))


def usable_title(text: str) -> str:
    """Return a title in one line; raises `UserError` if it is none."""
    title = " ".join(text.split())
    if not title:
        raise UserError("a title is missing: :Acp rename {title}")
    return title


async def rename_chat(host: Host, chat: Chat, title: str) -> None:
    """Give an open session a title; where only we know it, say so."""
    if chat.client is None:
        chat.session.apply(InfoChanged(title=title))
    elif not await chat.client.rename(chat.session, title):
        said = f"only acp.nvim knows this title: {chat.client.name} keeps none"
        host.editor.notifier.notice(said)


# --- closing, archiving and deleting


async def _close(host: Host, row: Row, _cwd: str) -> None:
    if row.sub.parent:
        raise UserError("a sub-agent's session ends with its agent's")
    chat = host.workspace.chats.get(row.chat)
    if chat is None:
        return
    if chat.suspended:
        chat.suspended = ""
        host.left_open.closed(chat.session.state.key)
        host.touch_lists()
    elif chat.client is None:
        chat.session.apply(SessionClosed())
    else:
        await chat.client.close(chat.session)
    host.review.notes.let_go(chat.session.state.key)


async def _delete(host: Host, row: Row, cwd: str) -> None:
    """Delete it here and at the agent; one that is open is closed first (C-104)."""
    if row.sub.parent:
        raise UserError("a sub-agent's session is deleted with its agent's")
    name = row.title or row.id
    running = ", and end what runs in it" if row.state == "running" else ""
    title = f"Delete this session of {row.agent} for good{running}: {name}?"
    if not await host.agrees(title, "Yes, delete it"):
        return
    await _close(host, row, cwd)
    client = host.workspace.client(row.agent)
    ready = None if client is None else client.ready
    by_agent = await ready.listing.delete(row.id) if ready is not None and row.id else False
    kept = host.store.delete(row.agent, row.id)
    host.review.notes.forget((row.agent, row.id))
    if not by_agent and not kept:
        raise UserError(f"{row.agent} cannot delete its sessions")
    if not by_agent:
        said = f"only what acp.nvim had kept is deleted: {row.agent} keeps its own"
        host.editor.notifier.notice(said)


async def _archive(host: Host, row: Row, cwd: str) -> None:
    """Close it, and let the agent put it away: it is kept, and listed no more."""
    await _listing(host, row, "archive").archive(row.id)
    await _close(host, row, cwd)
    host.store.delete(row.agent, row.id)
    said = f"{row.agent} keeps this session: :Acp sessions unarchive lists it again"
    host.editor.notifier.notice(said)


async def _unarchive(host: Host, row: Row, _cwd: str) -> None:
    """Let the agent list it again; it is not opened."""
    await _listing(host, row, "unarchive").unarchive(row.id)
    host.editor.notifier.notice("this session is listed again: :Acp sessions opens it")


def _listing(host: Host, row: Row, what: str) -> Listing:
    client = host.workspace.client(row.agent)
    if client is None or client.ready is None:
        raise UserError(f"{row.agent} is not running: :AcpStart {row.agent}, then {what} it")
    return client.ready.listing


DEEDS: Mapping[str, Callable[[Host, Row, str], Awaitable[None]]] = {
    "open": _go,
    "close": _close,
    "delete": _delete,
    "archive": _archive,
    "unarchive": _unarchive,
}
"""What can be done with a session; the folder is the one in which the user has chosen it."""


# --- forgetting


async def forget(
    host: Host, what: Literal["session", "all"] = "session", chat: Chat | None = None
) -> bool:
    """Remove what is kept of a session, or all that is kept, once the user has agreed.

    Answer whether that was done; what has no host (drafts, the host's log) is for Lua to remove.
    """
    if what == "session" and chat is None:
        raise UserError(HISTORY)
    session = chat.session if what == "session" and chat is not None else None
    if any(it.state.is_running for it in host.workspace.sessions() if session in (None, it)):
        raise UserError("not while a turn runs: :Acp cancel ends it")
    await host.review.restore()
    of = "all sessions" if session is None else f"this session of {session.state.agent}"
    title = f"Forget all that is kept of {of}? Nothing of it can be reviewed or undone any more"
    if not await host.agrees(title, "Yes, forget it"):
        return False
    if session is None:
        _forget_all(host)
    else:
        _forget_session(host, session.state.agent, session.id or "")
    return True


def _forget_session(host: Host, agent: str, session_id: str) -> None:
    key = (agent, session_id)
    host.store.forget(agent, session_id)
    host.review.notes.forget(key)
    shared = host.review.log.forget(key)
    client = host.workspace.client(agent)
    if client is not None:
        client.traffic.forget()
    if shared:
        names = ", ".join(os.path.basename(path) for path in shared[:3])
        said = f"of {len(shared)} files ({names}) it stays: other sessions have also changed them"
        host.editor.notifier.notice(said, warning=True)


def _forget_all(host: Host) -> None:
    for session in host.workspace.sessions():
        host.store.forget(session.state.agent, session.id or "")
    for head in host.store.heads():
        host.store.delete(head.agent, head.id)
        host.review.notes.forget((head.agent, head.id))
    host.review.log.forget(None)
    host.store.flush()
    host.review.store.write()
    host.left_open.forget()
    for killed in host.review.store.journal.killed():
        killed.over()
    for name in ("sessions", "edits", "log", "remote", "registry", "choices"):
        private.clear(host.workspace.state_folder(name)())
    for client in host.workspace.clients:
        client.traffic.forget()
