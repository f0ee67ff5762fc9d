"""What Lua sends with each verb, as the table of `doc/messages.md` has it: here what many send.

`chat` is the number of a chat buffer, `ask` the id of a question, `path` is resolved; rows count
from 0, lines from 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class Nothing(Struct, frozen=True):
    """The verb says it all."""


class OfChat(Struct, frozen=True):
    """Something about a chat."""

    chat: int


class OfAgent(Struct, frozen=True):
    """Something about an agent: the one of that name, else that of the chat."""

    agent: str | None = None
    chat: int | None = None


class OfFile(Struct, frozen=True):
    """Something about a file."""

    path: str


class Met(Struct, frozen=True):
    """The user has opened a file, or saved it: `saved` is its stamp then."""

    path: str
    saved: str = ""


class Configure(Struct, frozen=True):
    """The user's raw configuration, and Neovim's folders: data, state, root."""

    options: Any
    paths: Mapping[str, str]
