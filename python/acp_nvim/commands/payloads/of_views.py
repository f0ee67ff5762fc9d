"""What Lua sends with the verbs that are about what is on screen; see `commands.payloads`."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from acp_nvim.view.chat.transcript import FoldAction


class FollowLink(Struct, frozen=True):
    """What a row of a chat speaks of: a file, a tool call; the line there and the cursor in it."""

    chat: int
    row: int
    line: str
    column: int
    """0-based, in bytes."""
    word: str
    """What Neovim takes for a file's name there."""


class OpenLink(Struct, frozen=True):
    """The line with a web address under the cursor, which is in that byte of it."""

    line: str
    column: int


class Export(Struct, frozen=True):
    """What was said in that chat; into a new file of that path, if there is one."""

    chat: int
    path: str = ""


class Fold(Struct, frozen=True):
    """Open or close what stands in a row, or all of it."""

    chat: int
    row: int
    action: FoldAction


class ChatRoom(Struct, frozen=True):
    """How many cells a line has in the windows of a chat."""

    chat: int
    room: int


class PromptMade(Struct, frozen=True):
    """A chat has another prompt buffer."""

    chat: int
    prompt: int


class Follow(Struct, frozen=True):
    """`moved`: it is off because the user moved in its window."""

    to: Literal["on", "off", "toggle"]
    moved: bool = False


class OfRow(Struct, frozen=True):
    """What stands in a row of a chat."""

    chat: int
    row: int


class OfCall(Struct, frozen=True):
    """A tool call by its names."""

    agent: str
    session: str
    call: str


class TerminalInput(Struct, frozen=True):
    """What the user typed; the number is the host's own."""

    terminal: int
    data: bytes | str


class TerminalSize(Struct, frozen=True):
    """The largest window that shows it."""

    terminal: int
    rows: int
    columns: int
