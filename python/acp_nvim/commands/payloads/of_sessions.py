"""What Lua sends with the verbs that are about agents and sessions; see `commands.payloads`."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Start(Struct, frozen=True):
    """`file` is the path of the current buffer or ''; the talk of chat `source` goes on in it."""

    agent: str
    chat: int
    prompt: int
    file: str
    cwd: str
    source: int | None = None


class Stop(Struct, frozen=True):
    """`bang`: kill it."""

    bang: bool
    agent: str | None = None
    chat: int | None = None


class LogIn(Struct, frozen=True):
    """By that method; without one the user picks."""

    chat: int
    method: str | None = None


class LoginEnded(Struct, frozen=True):
    """Without a code the terminal was closed."""

    call: int
    code: int | None = None


class Chosen(Struct, frozen=True):
    """A row of a picker, from 0; none for nothing."""

    call: int
    index: int | None = None


class Sessions(Struct, frozen=True):
    """`action`: what is done with the session that is picked, '' to go on with it."""

    file: str
    cwd: str
    action: Literal["", "close", "delete", "archive", "unarchive"] = ""


class ListSessions(Struct, frozen=True):
    """Those of that project, in that buffer."""

    list: int
    file: str
    cwd: str
    sidebar: bool = False


class ListShown(Struct, frozen=True):
    """Whether a window of the user's tabpage shows that list."""

    list: int
    shown: bool


class OfList(Struct, frozen=True):
    """Something about a buffer that lists the sessions."""

    list: int


class FilterSessions(Struct, frozen=True):
    """Only the rows that show these words."""

    list: int
    words: str


class OfListed(Struct, frozen=True):
    """What is done with a session of a list, which is the one of that chat or of that name."""

    list: int
    agent: str
    session: str
    chat: int
    action: Literal["open", "close", "rename", "delete", "answer"]
    title: str = ""
    """The new one."""
    call: str = ""
    """In which a sub-agent without a session works; the chat is its agent's."""


class OfProject(Struct, frozen=True):
    """Something about the project of that file, '' for none, else of the working directory."""

    file: str
    cwd: str


class Forget(Struct, frozen=True):
    """What is kept of the session of that chat, or `all` that is kept, is to be removed."""

    what: Literal["session", "all"] = "session"
    chat: int | None = None


class Rename(Struct, frozen=True):
    """The session of that chat gets this title."""

    chat: int
    title: str


class Reopen(Struct, frozen=True):
    """The name of a chat buffer says the session."""

    chat: int
    prompt: int
    agent: str
    session: str
    cwd: str


class StayedChat(Struct, frozen=True):
    """A chat of an earlier host; without `session` the agent had not named it yet."""

    chat: int
    prompt: int
    agent: str
    cwd: str
    session: str | None = None


class Stayed(Struct, frozen=True):
    """The chats that have outlived their host, the last used first."""

    chats: tuple[StayedChat, ...]


class OfWorktree(Struct, frozen=True):
    """What is done with a worktree of that project: the one of that name, else of the chat, else
    the one that the user picks; a `new` one is for that agent."""

    action: Literal["new", "merge", "commit", "remove"]
    file: str
    cwd: str
    agent: str = ""
    name: str = ""
    chat: int | None = None


class Race(Struct, frozen=True):
    """Names of agents, and behind them the prompt that all of them get."""

    text: str
    file: str
    cwd: str
    chat: int | None = None


class CompareVersions(Struct, frozen=True):
    """What came of the worktrees of these names or titles, without any of all in the project."""

    names: tuple[str, ...]
    file: str
    cwd: str
    chat: int | None = None


class OfVersions(Struct, frozen=True):
    """Something about a comparison, by its number."""

    number: int


class OfVersionsFile(Struct, frozen=True):
    """One file of a comparison, by its place in the list, from 0."""

    number: int
    file: int


class TakeVersion(Struct, frozen=True):
    """Take over the hunk of that worktree's version at a 1-based line of it."""

    number: int
    file: int
    name: str
    line: int


class Rewind(Struct, frozen=True):
    """To before the turn of that number, else before the last one."""

    chat: int
    turn: int | None = None
