"""Sessions of now and of earlier days: pick one, go on with it, close it, delete it."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from acp_nvim.client.client import Client
from acp_nvim.client.listing import list_all
from acp_nvim.editor import Choice
from acp_nvim.errors import UserError
from acp_nvim.session.event import SessionClosed, SessionReopening, TranscriptRestored
from acp_nvim.view.sessions import Row, label, listed_row, merged, open_row, stored_row
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.launching import launch
from acp_nvim.workspace.root import find_root, is_too_wide
from acp_nvim.workspace.workspace import Desk

KIND = "acp.session"


async def sessions(desk: Desk, payload: Mapping[str, Any]) -> None:
    """Let the user pick a session: go on with it, or close or delete it (`action`)."""
    action = str(payload.get("action") or "")
    cwd = find_root(str(payload.get("file") or ""), str(payload.get("cwd") or ""))
    rows = await _rows(desk, cwd)
    _tell_logins(desk)
    if action == "close":
        rows = tuple(row for row in rows if row.kind == "open" and row.state != "closed")
    if not rows:
        raise UserError(_NOTHING.get(action, _NOTHING[""]))
    now = desk.ground.store.now()
    choices = [Choice(label(row, now=now, cwd=cwd), row) for row in rows]
    title = _TITLES.get(action, "Go to a session")
    row: Row | None = await desk.ground.chooser.choose(title, KIND, choices)
    if row is not None:
        await _DEEDS.get(action, _go)(desk, row)


_TITLES = {"close": "Close a session", "delete": "Delete a session"}
_NOTHING = {
    "": "there is no session of this project: :AcpStart opens one",
    "close": "no session is open",
    "delete": "there is no session of this project to delete",
}


async def _rows(desk: Desk, cwd: str) -> tuple[Row, ...]:
    """Return the open sessions, those that the agents list for this project, and the kept ones."""
    listings = [client.ready.listing for client in desk.clients if client.ready is not None]
    listed = await list_all(listings, cwd)
    chats = [chat for chat in desk.chats.values() if chat.session.state.status != "closed"]
    opened = [open_row(chat.number, chat.session.state) for chat in reversed(chats)]
    told = [listed_row(agent, it) for agent, all_of_it in listed.items() for it in all_of_it]
    kept = [stored_row(head) for head in desk.ground.store.heads() if _is_same(head.cwd, cwd)]
    return merged((opened, told, kept))


def _tell_logins(desk: Desk) -> None:
    """Say whose list is missing: the user gives the command again after the login (C-054)."""
    for client in desk.clients:
        if client.state == "needs_login" and client.error:
            desk.ground.notifier.notice(client.error, warning=True)


def _is_same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


# --- going on with one


async def _go(desk: Desk, row: Row) -> None:
    """Show it if it is open; else load it, else resume it, else begin anew with what was kept."""
    chat = desk.chats.get(row.chat) or _closed_chat(desk, row)
    if chat is not None:
        await desk.ground.show_chat(chat.number)
        if chat.session.state.status == "closed":
            await _connect(desk, chat, row.id)
        return
    client = desk.client(row.agent)
    record = desk.ground.store.read(row.agent, row.id)
    if record is None and client is not None and not _reopens(client):
        # nothing to show, nothing to go on with (C-102)
        raise UserError(f"{row.agent} lists its sessions, but can neither load nor resume one")
    opened = await desk.ground.open_chat(row.agent)
    if not isinstance(opened, Mapping):
        raise UserError("no chat could be opened")
    chat = _new_chat(desk, int(opened["chat"]), int(opened["prompt"]), row)
    await _connect(desk, chat, row.id)


def _reopens(client: Client) -> bool:
    return client.ready is not None and client.ready.listing.reopens


def _closed_chat(desk: Desk, row: Row) -> Chat | None:
    """Return the chat that shows this session and is closed."""
    for chat in desk.chats.values():
        state = chat.session.state
        if (state.agent, state.id) == (row.agent, row.id) and row.id:
            return chat
    return None


def _new_chat(desk: Desk, number: int, prompt: int, row: Row) -> Chat:
    """Put a chat on the desk that shows what was kept of the session."""
    session = desk.ground.new_session(row.agent, row.cwd)
    chat = Chat(number, prompt, session, desk.ground.clock)
    record = desk.ground.store.read(row.agent, row.id)
    if record is not None:
        session.apply(TranscriptRestored(record.entries, record.title, record.chosen))
    elif row.title:
        session.apply(TranscriptRestored((), row.title))
    desk.add(chat)
    return chat


async def _connect(desk: Desk, chat: Chat, session_id: str) -> None:
    """Let the agent open the session again; it is started if it does not run."""
    state = chat.session.state
    try:
        plan = launch(state.agent, desk.options, root=desk.paths["root"], cwd=state.cwd)
    except UserError as error:
        chat.session.apply(SessionReopening(), SessionClosed(str(error)))
        raise
    chat.client = desk.connect(plan)
    await chat.client.reopen(chat.session, session_id)


def reopen(desk: Desk, payload: Mapping[str, Any]) -> Awaitable[None]:
    """Open the session whose name a buffer has: `:edit acp://…`, or `:mksession`.

    The chat is on the desk at once, with what was kept of it, so that a prompt is queued in it.
    """
    agent, session_id = str(payload["agent"]), str(payload["session"])
    record = desk.ground.store.read(agent, session_id)
    root = record.cwd if record else find_root("", str(payload.get("cwd") or ""))
    row = Row("stored", agent, session_id, root)
    chat = _new_chat(desk, int(payload["chat"]), int(payload["prompt"]), row)
    return _reopen(desk, chat, session_id)


async def _reopen(desk: Desk, chat: Chat, session_id: str) -> None:
    state = chat.session.state
    if is_too_wide(state.cwd):
        # nobody is asked here: a session file must not open a picker
        said = f"{state.agent} is not let into {state.cwd}: :cd to the project, then :Acp sessions"
        chat.session.apply(SessionClosed(said))
        return
    await _connect(desk, chat, session_id)


# --- closing and deleting


async def _close(desk: Desk, row: Row) -> None:
    chat = desk.chats.get(row.chat)
    if chat is None:
        return
    if chat.client is None:
        chat.session.apply(SessionClosed())
    else:
        await chat.client.close(chat.session)


async def _delete(desk: Desk, row: Row) -> None:
    """Delete it here and at the agent; one that is open is closed first (C-104)."""
    name = row.title or row.id
    running = ", and end what runs in it" if row.state == "running" else ""
    title = f"Delete this session of {row.agent} for good{running}: {name}?"
    choices = [Choice("No", value=False), Choice("Yes, delete it", value=True)]
    if not await desk.ground.chooser.choose(title, "acp.confirm", choices):
        return
    await _close(desk, row)
    client = desk.client(row.agent)
    ready = None if client is None else client.ready
    by_agent = await ready.listing.delete(row.id) if ready is not None and row.id else False
    kept = desk.ground.store.delete(row.agent, row.id)
    desk.ground.lessons.forget((row.agent, row.id))
    if not by_agent and not kept:
        raise UserError(f"{row.agent} cannot delete its sessions")
    if not by_agent:
        said = f"only what acp.nvim had kept is deleted: {row.agent} keeps its own"
        desk.ground.notifier.notice(said)


_DEEDS: Mapping[str, Callable[[Desk, Row], Awaitable[None]]] = {"close": _close, "delete": _delete}
