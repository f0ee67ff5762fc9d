"""Looking: at a chat, its folds, links and end; along with the agent; at a snapshot of all."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Sequence
from functools import partial
from typing import Any, Literal

import acp_nvim
from acp_nvim.aside import aside
from acp_nvim.client.client import Client
from acp_nvim.client.session import Session
from acp_nvim.commands import reviewing, terminals
from acp_nvim.commands.prompting import prompt_text
from acp_nvim.errors import UserError
from acp_nvim.files import disk
from acp_nvim.files.roots import plain_file
from acp_nvim.paths import SAME, Paths
from acp_nvim.session.elicitation.address import doubts, judge
from acp_nvim.session.state import Ending, Message, SessionState, ToolCall
from acp_nvim.view.announcement import kind_of as kind
from acp_nvim.view.announcement import options_of as options
from acp_nvim.view.announcement import title_of as title
from acp_nvim.view.block import Line
from acp_nvim.view.chat import link, plan
from acp_nvim.view.chat.raw import readable
from acp_nvim.view.chat.transcript import FoldAction, all_at, location_at
from acp_nvim.view.cut import portions
from acp_nvim.view.lists.outline import outline
from acp_nvim.view.snapshot import pruned, snapshot
from acp_nvim.view.talk import talk
from acp_nvim.view.visible import one_line, visible
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host

ROUNDS = 20
"""So often it is waited for what is still to be drawn: who says something all the time is told."""
SHOWN_ADDRESS = 200
"""Characters of a web address that are shown."""
MOVED = "you moved in the window that follows: it stays here, :Acp follow goes on"


def toggle(
    host: Host, chat: Chat, row: int, action: FoldAction
) -> Awaitable[None] | Awaitable[int] | str | None:
    """Open or close what stands in a row; open all of what it says that there is more of.

    Where there is no such thing, answer the plan that the bar is about, as text to be read.
    """
    state, entry = chat.session.state, chat.entry_at(row)
    whole = all_at(state, chat.transcript, row)
    if whole is not None and action in ("toggle", "open"):
        if isinstance(entry, ToolCall):
            return terminals.read(host, state.key, state.cwd, entry)
        return host.editor.chats.read(list(map(Line, it)) for it in portions(whole))
    if isinstance(entry, Ending) and entry.changes and action == "toggle":
        return reviewing.review(host, chat, entry.turn)
    has_fold = chat.fold(row, action)
    host.editor.screen.touch(chat.number)
    is_asked = action == "toggle" and not has_fold and chat.pins_plan
    return visible(plan.text(state.plan)) if is_asked and state.plan else None


def chat_room(host: Host, chat: int, room: int) -> None:
    """Lay out for its window, in which a line has so many cells, what depends on that. Nobody has
    asked: nothing is refused."""
    host.workspace.rooms[chat] = room
    shown = host.workspace.chats.get(chat)
    if shown is not None:
        shown.room = room
        host.editor.screen.touch(chat)


def prompt_at(host: Host, chat: Chat, row: int) -> dict[str, Any] | None:
    """Answer which prompt stands in that row: its turn, and what the user has written."""
    said = chat.entry_at(row)
    if not isinstance(said, Message) or said.role != "user":
        return None
    return {"turn": said.turn, "text": prompt_text(said)}


def repaint(host: Host, chat: Chat) -> None:
    """Draw a chat anew: its buffer was emptied by `:edit`."""
    host.editor.screen.show(chat.number, chat.picture)


def prompt_made(host: Host, chat: Chat, prompt: int) -> None:
    """Take note that the chat has another prompt buffer: the user had wiped the first."""
    chat.prompt = prompt


async def follow(host: Host, to: Literal["on", "off", "toggle"], moved: bool = False) -> None:
    """Turn it on or off; `moved` when the user moved in the window."""
    along = host.follow
    if moved:
        if along.enabled:
            along.switch(enabled=False)
            host.editor.notifier.notice(MOVED)
        return
    enabled = not along.enabled if to == "toggle" else to == "on"
    if enabled:
        await along.find_window()
    along.switch(enabled=enabled)
    host.editor.notifier.notice(f"follow is {'on' if enabled else 'off'}")


def raw(host: Host, chat: Chat, row: int) -> str | None:
    """Answer the tool call in a row as the agent has told it, to be read; None for none."""
    call = chat.entry_at(row)
    if not isinstance(call, ToolCall):
        return None
    places = [f"{it.path}:{it.line}" if it.line else it.path for it in call.locations]
    parts = {
        "title": call.title,
        "kind": call.kind,
        "status": call.status,
        "tool": call.name or "",
        "id": call.id,
        "files": ", ".join(places),
    }
    head = "\n".join(f"{name}: {one_line(text, 2000)}" for name, text in parts.items() if text)
    texts = {"input": readable(call.raw_input), "output": readable(call.raw_output)}
    rest = (f"{name}:\n{visible(text)}" for name, text in texts.items() if text)
    return "\n\n".join([head, *rest])


async def follow_link(
    host: Host, chat: Chat, row: int, line: str, column: int, word: str
) -> dict[str, Any] | None:
    """Answer the place that the entry in a row speaks of; open its terminal; or nothing.

    `line` is the text there, `column` the byte of the cursor in it, and `word` what Neovim takes
    for a file's name. Raises `UserError` where a tool call names something else than a file.
    """
    state = chat.session.state
    place, paths = location_at(state, chat.transcript, row), _theirs(host, chat, row)
    if place is not None:
        if not paths.has(place.path):
            raise UserError(paths.away(one_line(place.path, 60)))
        return await _may_open(host, chat.session, place.path, place.line or 1)
    number = terminals.in_entry(host, state, chat.entry_at(row))
    if number is not None:
        await terminals.show(host, number)
        return {"terminal": True}
    named, at = link.file(line, column, word, lambda it: plain_file(state.cwd, it) is not None)
    name = _ours(named, paths)
    if plain_file(state.cwd, name) is None:
        return None
    return await _may_open(host, chat.session, name, at)


def _theirs(host: Host, chat: Chat, row: int) -> Paths:
    """Return the agent's names of files, if it is the agent that speaks in that row."""
    entry = chat.entry_at(row)
    is_own = isinstance(entry, Message) and entry.role == "user"
    return SAME if is_own else host.workspace.roots(chat.session).paths


def _ours(name: str, paths: Paths) -> str:
    """Return our name of a file that the agent speaks of, by either of its names.

    Raises `UserError` for one that only the agent has.
    """
    here = paths.here(name)
    if here is None and not paths.has(name):
        raise UserError(paths.away(one_line(name, 60)))
    return here or name


async def _may_open(
    host: Host, session: Session, name: str, line: int | None = None
) -> dict[str, Any]:
    """Return the plain file that an agent has named; the user is asked about one elsewhere."""
    path = plain_file(session.state.cwd, name)
    if path is None:
        raise UserError(f"{one_line(name, 60)} is not opened: there is no such file")
    if not host.workspace.roots(session).has(path):
        await _ask_about(host, path)
    return pruned({"path": path, "line": line})


async def _ask_about(host: Host, path: str) -> None:
    """Let the user see the whole path; raises `UserError` if it is not to be opened."""
    if not path.isprintable():
        raise UserError("not opened: it is elsewhere, and its name cannot be shown as it is")
    title = f"{path} is outside of this session's folders: open it?"
    if not await host.agrees(title, "Yes, open it", "acp.open"):
        raise UserError("not opened")


def chat_wiped(host: Host, chat: int) -> Awaitable[None] | None:
    """Close the session of a chat whose buffer is gone."""
    host.workspace.rooms.pop(chat, None)
    gone = host.workspace.chats.pop(chat, None)
    if gone is None:
        return None
    host.editor.screen.forget(chat)
    host.left_open.closed(gone.session.state.key)
    host.touch_lists()
    return _close(host, gone)


async def _close(host: Host, chat: Chat) -> None:
    if chat.client is not None:
        await chat.client.close(chat.session)
    host.review.notes.let_go(chat.session.state.key)


async def inspect(host: Host) -> dict[str, Any]:
    """Answer the snapshot of `:help acp-inspect`, once what it says is on screen."""
    editor = host.editor
    parts = (editor.questions, editor.terminals, editor.screen, host.review.presenter)
    for _ in range(ROUNDS):  # while one is waited for another may come to have something to draw
        if all([await part.settled() for part in parts]):
            break
    chats = tuple((it, it.session.state) for it in host.workspace.chats.values())
    told = {
        "host": _running(),
        "connections": [_connection(client) for client in host.workspace.clients],
        "sessions": [],
        "asks": [it for session in host.workspace.sessions() for it in _questions(host, session)],
        "terminals": terminals.listed(host),
        "edits": reviewing.edits(host),
    }
    told["sessions"] = await aside(partial(_sessions, chats))  # as they are on screen, not later
    return {**told, "follow": pruned(await host.follow.snapshot())}


def _running() -> dict[str, Any]:
    version, python = acp_nvim.__version__, sys.executable
    return {"running": True, "version": version, "python": python, "pid": os.getpid()}


def _sessions(chats: Sequence[tuple[Chat, SessionState]]) -> list[dict[str, Any]]:
    return [
        {**snapshot(state), "bufnr": chat.number, "prompt_bufnr": chat.prompt}
        for chat, state in chats
    ]


def _connection(client: Client) -> dict[str, Any]:
    info, exit_ = client.info, client.exit
    plain: dict[str, Any] = {
        "agent": client.name,
        "state": client.state,
        "pid": None if client.link is None else client.link.pid,
        "stderr": client.traffic.stderr,
        "error": client.error,
    }
    if info is not None:
        plain["protocol"] = info.protocol_version
        plain["info"] = pruned({"name": info.name, "title": info.title, "version": info.version})
        plain["capabilities"] = dict(info.raw_capabilities)
        plain["auth_methods"] = [
            pruned({"id": it.id, "name": it.name, "description": it.description, "type": it.type})
            for it in info.auth_methods
        ]
    if client.auth is not None:
        plain["auth"] = {"state": client.auth.state, "accounts": list(client.auth.accounts)}
    if exit_ is not None:
        plain["exit"] = pruned({"code": exit_.code, "signal": exit_.signal})
    return pruned(plain)


def _questions(host: Host, session: Session) -> list[dict[str, Any]]:
    return [
        pruned(
            {
                "id": question.id,
                "session": session.id,
                "kind": kind(question),
                "title": title(session.state, question),
                "options": options(question),
                "bufnr": place[0],
                "winid": place[1],
            }
        )
        for question in session.state.questions
        if host.questions.sight(question.id).ready
        and (place := host.editor.questions.place()) is not None
    ]


async def browse(host: Host, line: str, column: int) -> None:
    """Open the address in that byte of a line, and say where it goes; ask where its text may say
    something else."""
    named, text = link.address(line, column)
    if not named:
        raise UserError("no web address here: gf goes to a file")
    address = judge(named)
    if address.refusal:
        raise UserError(f"that address is not opened: {address.refusal}")
    shown = one_line(named, SHOWN_ADDRESS)
    if found := doubts(text, named):
        why = one_line("; ".join(found), SHOWN_ADDRESS)
        title = f"This link goes to {address.host}, but {why}. Open it?"
        if not await host.agrees(title, f"Yes, open {shown}"):
            return
    if problem := await host.editor.questions.browse(named):
        raise UserError(f"the browser was not started: {problem}")
    host.editor.notifier.notice(f"{shown} is open in the browser")


async def export(host: Host, chat: Chat, path: str = "") -> str:
    """Answer what was said in a session, as markdown; or write it into a new file, and answer where
    that is."""
    state = chat.session.state
    text = talk(state.entries, state.title or f"{state.agent} in {state.cwd}").strip()
    if not path:
        return text
    return await disk.create(path, f"{text}\n".encode(errors="replace"))


def outline_of(host: Host, chat: Chat) -> list[dict[str, Any]]:
    """Answer the places of a chat as items of a location list."""
    return [
        pruned({"lnum": it.row + 1, "text": it.text, "type": "E" if it.has_failed else None})
        for it in outline(chat.session.state, chat.transcript.blocks)
    ]
