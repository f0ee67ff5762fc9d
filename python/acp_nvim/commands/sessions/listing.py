"""The list of the sessions that stays: opened, filtered, and what is done with one of its rows."""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial
from typing import Literal

from acp_nvim.commands.sessions.deeds import (
    DEEDS,
    listed_rows,
    rename_chat,
    tell_missing,
    usable_title,
)
from acp_nvim.errors import UserError
from acp_nvim.reactions import asking, questions, screen
from acp_nvim.view.chat.transcript import row_of
from acp_nvim.view.lists.sessions import Row
from acp_nvim.workspace.below import hunks_of, sub_rows
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.root import find_root
from acp_nvim.workspace.session_list import SessionList
from acp_nvim.workspace.workspace import Workspace


async def show(host: Host, list: int, file: str, cwd: str, sidebar: bool = False) -> None:
    """List the sessions in a buffer from now on: what we know at once, then what agents know."""
    root, shown = find_root(file, cwd), host.workspace.lists.get(list)
    if shown is None or shown.cwd != root:
        shown = _new(host, list, root, is_sidebar=sidebar)
    await _look_again(host, shown)
    tell_missing(host)


def _new(host: Host, number: int, cwd: str, *, is_sidebar: bool) -> SessionList:
    made = SessionList(
        number,
        cwd,
        host.workspace.chats,
        clock=host.clock,
        now=host.store.now,
        with_keys=host.workspace.options.default_keys,
        is_sidebar=is_sidebar,
    )
    space = host.workspace
    made.below = lambda row: sub_rows(space, row, space.pending)
    made.waiting = partial(_waiting, space)
    made.worktrees = host.workspace.worktrees.labels
    host.workspace.lists[number] = made
    screen.look_again(host)
    host.editor.screen.show(number, made.picture)
    return made


def _waiting(space: Workspace, agent: str, session_id: str) -> int:
    session = space.session(agent, session_id) if session_id else None
    return 0 if session is None else hunks_of(session.state, space.pending)


async def _look_again(host: Host, shown: SessionList) -> None:
    screen.look_again(host)
    host.touch_lists()
    shown.listed = await listed_rows(host, shown.cwd)
    host.touch_lists()


def closed(host: Host, list: int) -> None:
    """Draw that list no more."""
    host.workspace.lists.pop(list, None)
    host.editor.screen.forget(list)


def appear(host: Host, list: int, shown: bool) -> None:
    """Draw that list while it is on the screen; one that nobody sees costs nothing."""
    _list(host, list).is_shown = shown
    if shown:
        host.editor.screen.touch(list)


def narrow(host: Host, list: int, words: str) -> None:
    """Show only the rows with these words, or all again."""
    _list(host, list).wanted = words.strip()
    host.touch_lists()


def act(
    host: Host,
    list: int,
    agent: str,
    session: str,
    chat: int,
    action: Literal["open", "close", "rename", "delete", "answer"],
    title: str = "",
    call: str = "",
) -> Awaitable[None] | dict[str, int]:
    """Do with a session of a list, the one of that chat or of that name, what the user wants.

    `call`: in which a sub-agent without a session works; the chat is its agent's.
    """
    shown = _list(host, list)
    row = shown.row(agent, session, chat, call)
    if row is None:
        raise UserError("this session is gone")
    if row.sub.call and action == "open":
        return _place(host, row)
    if row.sub.call and action != "answer":
        raise UserError("this is a sub-agent of the session above it")
    if action == "rename":
        return _rename(host, shown, row, usable_title(title))
    if action == "close" and row.kind != "open":
        raise UserError("this session is not open")
    if action == "answer":
        return _answer(host, row)
    return _do(host, shown, row, action)


def _place(host: Host, row: Row) -> dict[str, int]:
    """Return where in its agent's chat a sub-agent works."""
    chat = host.workspace.chat(row.sub.chat)
    call = chat.session.state.tool_call(row.sub.call)
    at = None if call is None else row_of(chat.transcript, call.key)
    return {"chat": chat.number, "row": at or 0}


async def _answer(host: Host, row: Row) -> None:
    """Show the oldest question of a session, or of a sub-agent, with the cursor in it."""
    key = row.agent, row.sub.parent if row.sub.call else row.id
    found = (it for it in asking.waiting(host) if it.session.state.key == key)
    if row.sub.call:
        found = (it for it in found if asking.outer(it) == row.sub.call)
    asked = next(found, None)
    if asked is None:
        raise UserError("no question waits in this session")
    host.questions.chosen = asked.question.id
    questions.draw(host)
    host.editor.questions.focus(asked.question.id)


def _list(host: Host, number: int) -> SessionList:
    shown = host.workspace.lists.get(number)
    if shown is None:
        raise UserError("this list is of a host that has ended: :Acp sessions shows it anew")
    return shown


async def _do(host: Host, shown: SessionList, row: Row, action: str) -> None:
    try:
        await DEEDS[action](host, row, shown.cwd)
    finally:
        if action == "delete":
            await _look_again(host, shown)


async def _rename(host: Host, shown: SessionList, row: Row, title: str) -> None:
    """Give a session another title; of one that is not open, here and at an agent that runs."""
    chat = host.workspace.chats.get(row.chat)
    if chat is not None:
        await rename_chat(host, chat, title)
        return
    client = host.workspace.client(row.agent)
    ready = None if client is None else client.ready
    told = None if ready is None else await ready.listing.rename(row.id, title)
    kept = host.store.rename(row.agent, row.id, told or title)
    if not told and not kept:
        raise UserError(f"{row.agent} keeps no titles: open the session to give it one here")
    if not told:
        host.editor.notifier.notice(f"only acp.nvim knows this title: {row.agent} was not told")
    await _look_again(host, shown)
