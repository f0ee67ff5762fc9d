"""What Lua sends with each verb, as the table of `doc/messages.md` has it: here what many send.

`chat` is the number of a chat buffer, `ask` the id of a question, `path` is resolved; rows count
from 0, lines from 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Nothing:
    """The verb says it all."""


@dataclass(frozen=True, slots=True)
class OfChat:
    """Something about a chat."""

    chat: int


@dataclass(frozen=True, slots=True)
class OfAgent:
    """Something about an agent: the one of that name, else that of the chat."""

    agent: str | None = None
    chat: int | None = None


@dataclass(frozen=True, slots=True)
class OfFile:
    """Something about a file."""

    path: str


@dataclass(frozen=True, slots=True)
class Met:
    """The user has opened a file, or saved it: `saved` is its stamp then."""

    path: str
    saved: str = ""


@dataclass(frozen=True, slots=True)
class Configure:
    """The user's raw configuration, and Neovim's folders: data, state, root."""

    options: Any
    paths: Mapping[str, str]
