"""What is on the desk: the configuration, the agents that run, the chats that are open."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

from acp_nvim.client.client import Client
from acp_nvim.client.launch import Launch
from acp_nvim.client.session import Session
from acp_nvim.config import Options
from acp_nvim.editor import (
    Asks,
    Chooser,
    Comparer,
    LoginTerminals,
    Notifier,
    Reviewer,
    Screen,
    TerminalScreens,
)
from acp_nvim.errors import UserError
from acp_nvim.files.roots import Roots
from acp_nvim.files.sync import DiskSync
from acp_nvim.follow.follow_along import FollowAlong
from acp_nvim.questions.elicitation import Elicitations
from acp_nvim.questions.permission import Permissions
from acp_nvim.questions.preview import EvidenceService
from acp_nvim.review.decisions import Decisions
from acp_nvim.review.log import EditLog
from acp_nvim.review.notes import PromptNotes
from acp_nvim.review.presenter import ReviewPresenter
from acp_nvim.storage.sessions import Store
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.root import find_root


@dataclass(slots=True)
class Ground:
    """What the desk stands on; given by the composition root."""

    screen: Screen
    asks: Asks
    comparer: Comparer
    evidence: EvidenceService
    chooser: Chooser
    login_terminals: LoginTerminals
    notifier: Notifier
    terminals: TerminalScreens
    permissions: Permissions
    elicitations: Elicitations
    disk: DiskSync
    follow: FollowAlong
    lessons: PromptNotes
    edits: EditLog
    review: Decisions
    reviewer: Reviewer
    board: ReviewPresenter
    met: Callable[[str], None]
    """Looks at a file that the user has just opened or saved."""
    restore: Callable[[], Coroutine[Any, Any, None]]
    """Takes up the books of an earlier host."""
    caught_up: Callable[[], Coroutine[Any, Any, None]]
    """Finds all that agents have done until now."""
    known: Callable[..., Coroutine[Any, Any, None]]
    """Takes note of files that an agent's own tool has read: state, roots, paths."""
    show_notes: Callable[[int, list[dict[str, str]]], None]
    """Shows in the prompt of a chat what goes along with it: `{key, label}` each."""
    new_client: Callable[[Launch], Client]
    new_session: Callable[[str, str], Session]
    """Makes a session from the agent's name and the working directory."""
    start_soon: Callable[..., None]
    name_chat: Callable[[int, str], Coroutine[Any, Any, Any]]
    open_chat: Callable[[str], Coroutine[Any, Any, Any]]
    """Opens the windows of a chat with that agent; returns `{chat, prompt}`, their buffers."""
    show_chat: Callable[[int], Coroutine[Any, Any, Any]]
    store: Store
    clock: Callable[[], float]
    host: Mapping[str, Any]
    """What `inspect()` says of the host."""


@dataclass(slots=True)
class Desk:
    """The state of the plugin as a whole; changed by commands only."""

    ground: Ground
    options: Options = field(default_factory=Options)
    paths: Mapping[str, str] = field(default_factory=dict)
    clients: list[Client] = field(default_factory=list)
    chats: dict[int, Chat] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    """Projects that the user has asked for the review of, besides those of the sessions."""

    def chat(self, number: object) -> Chat:
        """Return the chat of that buffer; raises `UserError` if there is none."""
        chat = self.chats.get(number) if isinstance(number, int) else None
        if chat is None:
            raise UserError("this chat is history: its agent is gone. :AcpStart opens a new one")
        return chat

    def chat_of(self, session: Session) -> Chat | None:
        """Return the chat that shows the session, or None."""
        return next((chat for chat in self.chats.values() if chat.session is session), None)

    def sessions(self) -> list[Session]:
        """Return the sessions of all chats, and those that stand for an agent as a whole."""
        return [
            *(chat.session for chat in self.chats.values()),
            *(client.outside for client in self.clients),
        ]

    def session(self, agent: str, session_id: str) -> Session | None:
        """Return the session of that agent and id, or None."""
        wanted = (agent, session_id)
        return next((it for it in self.sessions() if (it.state.agent, it.id) == wanted), None)

    def roots(self, session: Session) -> Roots:
        """Return the folders that a session's agent is let into."""
        return Roots(session.state.cwd, tuple(self.options.additional_directories))

    def look_around(self, file: str) -> None:
        """Count the project of that file, '' for none, to those that are reviewed."""
        self.folders.add(os.path.realpath(find_root(file, os.getcwd())))

    def scope(self) -> set[str]:
        """Return the folders, resolved, in which changes are reviewed."""
        more = self.options.additional_directories
        folders = {chat.session.state.cwd for chat in self.chats.values()}
        return {os.path.realpath(folder) for folder in (*folders, *more)} | self.folders

    def client(self, name: str) -> Client | None:
        """Return the client of that agent that is alive, or the last one that was, or None."""
        found = [client for client in self.clients if client.name == name]
        alive = [client for client in found if client.state not in ("failed", "closed")]
        return next(reversed(alive or found), None)

    def target(self, payload: Mapping[str, Any]) -> Client:
        """Return the client that a payload names by `agent` or by `chat`; raises `UserError`."""
        if name := payload.get("agent"):
            client = self.client(name)
            if client is None:
                raise UserError(f"{name} is not running: :AcpStart {name} starts it")
            return client
        client = self.chat(payload.get("chat")).client
        if client is None:
            raise UserError("that agent was never started: :AcpStart starts one")
        return client

    def add(self, chat: Chat) -> None:
        """Put a chat on the desk and on the screen."""
        self.chats[chat.number] = chat
        self.ground.screen.show(chat.number, chat.picture)

    def connect(self, launch: Launch) -> Client:
        """Return the living client of that agent, or start one."""
        client = self.client(launch.name)
        if client is not None and client.state not in ("failed", "closed"):
            return client
        return self.replace(launch)

    def replace(self, launch: Launch) -> Client:
        """Start a new client of that agent; the ended one before it is forgotten."""
        self.clients = [
            client
            for client in self.clients
            if client.name != launch.name or client.state not in ("failed", "closed")
        ]
        client = self.ground.new_client(launch)
        self.clients.append(client)
        self.ground.start_soon(client.run)
        return client
