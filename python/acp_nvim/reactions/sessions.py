"""What follows from what happens: in a session, or to an agent.

The composition root hands every event here; nothing in it waits.
"""

from __future__ import annotations

import os
from urllib.parse import quote

from acp_nvim.client.client import Client
from acp_nvim.client.session import Session
from acp_nvim.commands import asking, eliciting, following, noting
from acp_nvim.session.content import Diff
from acp_nvim.session.event import (
    UNSET,
    Event,
    InfoChanged,
    Noticed,
    QuestionClosed,
    QuestionOpened,
    SessionOpened,
    ToolCallUpdated,
    TurnEnded,
)
from acp_nvim.session.place import LOOKING, commanded, places
from acp_nvim.session.state import SessionState, ToolCall
from acp_nvim.view.announcement import announce
from acp_nvim.workspace.authors import Authors
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.workspace import Desk

MOVING = ("running", "cancelling", "loading")
"""States of a session in which its clock runs on screen."""


class Reactions:
    """Draws, asks, follows the disk and tells the user's scripts; a `client.Watcher`."""

    def __init__(self, desk: Desk, authors: Authors) -> None:
        self._desk = desk
        self._authors = authors

    def changed(self, session: Session, before: SessionState, event: Event) -> None:
        """React to an event of a session; see `client.session.Listener`."""
        ground, chat = self._desk.ground, self._desk.chat_of(session)
        if chat is not None:
            ground.screen.touch(chat.number)
            match event:
                case SessionOpened(session_id):
                    name = chat_name(session.state.agent, session_id)
                    ground.start_soon(ground.name_chat, chat.number, name)
        match event:
            case ToolCallUpdated():
                self._worked(session, event)
            case SessionOpened() | InfoChanged():
                ground.store.note(session.state)
                if isinstance(event, SessionOpened):
                    ground.start_soon(ground.disk.prepare, self._desk.roots(session))
            case TurnEnded():
                ground.store.note(session.state)
                ground.disk.sweep(self._authors.of(before), self._desk.roots(session))
        noting.happened(self._desk, chat, event)
        self._ask(session, chat, event)
        if found := announce(before, event, session.state):
            ground.notifier.event(*found)
        following.walked(ground.follow, session, self._desk.roots(session), event)

    def _worked(self, session: Session, event: ToolCallUpdated) -> None:
        """Follow the disk where a tool call works; a replayed one is of long ago."""
        state, call = session.state, session.state.entry(f"tool:{event.id}")
        if state.status == "loading" or not isinstance(call, ToolCall):
            return
        roots = self._desk.roots(session)
        named = [place.path for place in places(event, call, state.cwd)]
        is_over = event.status in ("completed", "failed")
        words = filter(_may_be_file, commanded(call, state.cwd) if is_over else ())
        author = self._authors.last(state, call.id)
        self._desk.ground.disk.look(author, roots, (*paths(event), *named, *words))
        if not is_over:
            return
        if call.kind in LOOKING:
            self._desk.ground.start_soon(
                self._desk.ground.known, (state.agent, state.id or ""), roots, named
            )
        else:
            self._desk.ground.disk.sweep(self._authors.of(state, call.id), roots)

    def _ask(self, session: Session, chat: Chat | None, event: Event) -> None:
        """Show a question, and close it; an elicitation needs no chat."""
        ground = self._desk.ground
        match event:
            case QuestionOpened(ask) if ask.elicitation is not None:
                eliciting.show(self._desk, session, ask, ask.elicitation)
            case QuestionOpened(ask) if chat is not None:
                asking.show(self._desk, chat, ask)
            case QuestionClosed(ask_id):
                ground.asks.close(ask_id)
            case Noticed(text) if chat is None and session.id is None:
                ground.notifier.notice(f"{session.state.agent}: {text}")

    def connected(self, client: Client) -> None:
        """See `client.Watcher`."""
        self._desk.ground.notifier.event("AcpConnected", {"agent": client.name})
        self._touch(client)

    def disconnected(self, client: Client) -> None:
        """See `client.Watcher`."""
        data = {"agent": client.name, "error": client.error or ""}
        self._desk.ground.notifier.event("AcpDisconnected", data)
        self._touch(client)

    def tick(self) -> None:
        """Draw the clocks that run."""
        for chat in self._desk.chats.values():
            if chat.session.state.status in MOVING or chat.login_since is not None:
                self._desk.ground.screen.touch(chat.number)

    def _touch(self, client: Client) -> None:
        for chat in self._desk.chats.values():
            if chat.client is client:
                self._desk.ground.screen.touch(chat.number)


def paths(event: ToolCallUpdated) -> list[str]:
    """Return the files that an update names."""
    places = () if event.locations is UNSET else event.locations
    content = () if event.content is UNSET else event.content
    return [
        *(place.path for place in places),
        *(item.path for item in content if isinstance(item, Diff)),
    ]


def _may_be_file(path: str) -> bool:
    """Tell of a word of a command whether it may mean a file, also one that is gone."""
    return "." in os.path.basename(path) or os.path.lexists(path)


def chat_name(agent: str, session_id: str) -> str:
    """Return the name of a chat's buffer, percent-encoded outside of [A-Za-z0-9._-]."""
    return f"acp://{_encode(agent)}/{_encode(session_id)}"


def _encode(name: str) -> str:
    return quote(name, safe="").replace("~", "%7E")
