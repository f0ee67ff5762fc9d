"""What the user works with: the configuration, the agents that run, the chats that are open."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from tempfile import gettempdir
from typing import Any

from msgspec import Struct, field

from acp_nvim.client.client import Client
from acp_nvim.client.launch import Launch
from acp_nvim.client.redaction import Redaction
from acp_nvim.client.session import Session
from acp_nvim.config import Options
from acp_nvim.errors import UserError
from acp_nvim.files.roots import Roots, inside
from acp_nvim.registry.installed import installed
from acp_nvim.transport.group import Groups
from acp_nvim.transport.left import Marks
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.launching import available, launch, paths
from acp_nvim.workspace.root import find_root
from acp_nvim.workspace.session_list import SessionList
from acp_nvim.worktrees.records import Worktrees

HISTORY = "this chat is history: its agent is gone. :AcpStart opens a new one"


class Workspace(Struct):
    """The state of the plugin as a whole; changed by commands only."""

    epoch: float = 0.0
    """When the clock of the sessions began, in seconds since 1970; by what is told of their turns,
    which is in order whatever becomes of the machine's clock."""
    options: Options = field(default_factory=Options)
    paths: Mapping[str, str] = field(default_factory=dict)
    """Folders of Neovim's: data, state; and `root`, the plugin's own."""
    clients: list[Client] = field(default_factory=list)
    chats: dict[int, Chat] = field(default_factory=dict)
    rooms: dict[int, int] = field(default_factory=dict)
    """How many cells a line of a chat has, by its buffer: also of one that is only being made."""
    lists: dict[int, SessionList] = field(default_factory=dict)
    """Buffers that list the sessions."""
    idle_since: dict[Client, float] = field(default_factory=dict)
    """The agents that are idle, and since when by the clock of the sessions."""
    pending: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """How many hunks wait for review, by agent, session and sub-agent, "" for all of a session."""
    folders: set[str] = field(default_factory=set)
    """Projects that the user has asked for the review of, besides those of the sessions."""
    redaction: Redaction = field(default_factory=Redaction)
    """What is secret in whatever is recorded."""
    groups: Groups = field(default_factory=Groups)
    """The processes of all agents."""
    worktrees: Worktrees = field(default_factory=Worktrees)
    marks: Marks = field(default_factory=Marks)
    """What tells the processes that an agent leaves behind."""

    def state_folder(self, name: str) -> Callable[[], str]:
        """Return what tells the path of that folder for files of ours; it is configured late."""
        return lambda: os.path.join(self.paths.get("state", "/tmp"), name)

    def run_folder(self) -> str:
        """Return the path of the folder for sockets, Neovim's own."""
        return self.paths.get("run") or gettempdir()

    def agents_folder(self) -> str:
        """Return the path of the folder in which the agents are that were installed by us."""
        return os.path.join(self.paths.get("data", "/tmp/acp.nvim"), "agents")

    def chat(self, number: object) -> Chat:
        """Return the chat of that buffer; raises `UserError` if there is none."""
        chat = self.chats.get(number) if isinstance(number, int) else None
        if chat is None:
            raise UserError(HISTORY)
        return chat

    def chat_of(self, session: Session) -> Chat | None:
        """Return the chat that shows the session, or None."""
        for chat in self.chats.values():  # each update of an agent comes by here
            if chat.session is session:
                return chat
        return None

    def clocks(self) -> list[int]:
        """Return the lists on the screen that have ages."""
        lists = self.lists.items()
        return [number for number, it in lists if it.is_shown and not it.is_sidebar]

    def sidebars(self) -> list[int]:
        """Return the lists on the screen that tell what the sessions do."""
        return [number for number, it in self.lists.items() if it.is_shown and it.is_sidebar]

    def sessions(self) -> list[Session]:
        """Return the sessions of all chats and of sub-agents, and those that stand for an agent as
        a whole."""
        shown = [chat.session for chat in self.chats.values()]
        subs = [it for client in self.clients for it in client.registry.children()]
        return [
            *shown,
            *(it for it in subs if it not in shown),
            *(client.outside for client in self.clients),
        ]

    def below(self, session: Session) -> list[Session]:
        """Return the sessions of its sub-agents, and of theirs."""
        found = (it for it in self.clients if session in it.registry)
        client = next(found, None)
        return client.sub_agents.below(session) if client else []

    def session(self, agent: str, session_id: str) -> Session | None:
        """Return the session of that agent and id, or None; an open one comes first."""
        found = [it for it in self.sessions() if (it.state.agent, it.id) == (agent, session_id)]
        return next((it for it in found if it.state.status != "closed"), next(iter(found), None))

    def roots(self, session: Session) -> Roots:
        """Return the folders that a session's agent is let into."""
        known = paths(session.state.agent, self.options)
        return session.roots(known.seen(self.options.additional_directories), known)

    def look_around(self, file: str) -> None:
        """Count the project of that file, '' for none, to those that are reviewed.

        A file that is in none, nor in the working directory, counts with its folder.
        """
        root = os.path.realpath(find_root(file, os.getcwd()))
        is_elsewhere = file.startswith("/") and not file.startswith(inside(root))
        self.folders.add(os.path.dirname(file) if is_elsewhere else root)

    def is_here(self, folder: str) -> bool:
        """Return whether the working directory is in that project, which is reviewed then."""
        real = os.path.realpath(folder)
        if inside(os.path.realpath(os.getcwd())).startswith(inside(real)):
            self.folders.add(real)
            return True
        return False

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

    def target(self, agent: str | None, chat: Chat | None) -> Client:
        """Return the client of that agent, else of the chat; raises `UserError`."""
        if agent:
            client = self.client(agent)
            if client is None:
                self.launch(agent, os.getcwd())  # it may be no agent at all
                raise UserError(f"{agent} is not running: :AcpStart {agent} starts it")
            return client
        if chat is None:
            raise UserError(HISTORY)
        if chat.client is None:
            raise UserError("that agent was never started: :AcpStart starts one")
        return chat.client

    def launch(self, name: str, cwd: str) -> Launch:
        """Return how to start that agent there; raises `UserError` for one that is not known."""
        installs = installed(self.agents_folder())
        return launch(name, self.options, root=self.paths["root"], cwd=cwd, installs=installs)

    def available(self) -> list[dict[str, Any]]:
        """Return all agents that are known: found ones, then the tutor, then missing ones."""
        installs = installed(self.agents_folder())
        return available(self.options, root=self.paths["root"], installs=installs)
