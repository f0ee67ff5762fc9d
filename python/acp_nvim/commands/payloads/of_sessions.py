"""What Lua sends with the verbs that are about agents and sessions; see `commands.payloads`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Start:
    """`file` is the path of the current buffer or ''; the talk of chat `source` goes on in it."""

    agent: str
    chat: int
    prompt: int
    file: str
    cwd: str
    source: int | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """`bang`: kill it."""

    bang: bool
    agent: str | None = None
    chat: int | None = None


@dataclass(frozen=True, slots=True)
class LogIn:
    """By that method; without one the user picks."""

    chat: int
    method: str | None = None


@dataclass(frozen=True, slots=True)
class LoginEnded:
    """Without a code the terminal was closed."""

    call: int
    code: int | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """A row of a picker, from 0; none for nothing."""

    call: int
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Sessions:
    """`action`: what is done with the session that is picked, '' to go on with it."""

    file: str
    cwd: str
    action: Literal["", "close", "delete", "archive", "unarchive"] = ""


@dataclass(frozen=True, slots=True)
class ListSessions:
    """Those of that project, in that buffer."""

    list: int
    file: str
    cwd: str


@dataclass(frozen=True, slots=True)
class OfList:
    """Something about a buffer that lists the sessions."""

    list: int


@dataclass(frozen=True, slots=True)
class FilterSessions:
    """Only the rows that show these words."""

    list: int
    words: str


@dataclass(frozen=True, slots=True)
class OfListed:
    """What is done with a session of a list, which is the one of that chat or of that name."""

    list: int
    agent: str
    session: str
    chat: int
    action: Literal["open", "close", "rename", "delete"]
    title: str = ""
    """The new one."""


@dataclass(frozen=True, slots=True)
class OfProject:
    """Something about the project of that file, '' for none, else of the working directory."""

    file: str
    cwd: str


@dataclass(frozen=True, slots=True)
class Forget:
    """What is kept of the session of that chat, or `all` that is kept, is to be removed."""

    what: Literal["session", "all"] = "session"
    chat: int | None = None


@dataclass(frozen=True, slots=True)
class Rename:
    """The session of that chat gets this title."""

    chat: int
    title: str


@dataclass(frozen=True, slots=True)
class Reopen:
    """The name of a chat buffer says the session."""

    chat: int
    prompt: int
    agent: str
    session: str
    cwd: str


@dataclass(frozen=True, slots=True)
class StayedChat:
    """A chat of an earlier host; without `session` the agent had not named it yet."""

    chat: int
    prompt: int
    agent: str
    cwd: str
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Stayed:
    """The chats that have outlived their host, the last used first."""

    chats: tuple[StayedChat, ...]


@dataclass(frozen=True, slots=True)
class Rewind:
    """To before the turn of that number, else before the last one."""

    chat: int
    turn: int | None = None
