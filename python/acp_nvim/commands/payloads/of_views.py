"""What Lua sends with the verbs that are about what is on screen; see `commands.payloads`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from acp_nvim.view.chat.transcript import FoldAction


@dataclass(frozen=True, slots=True)
class FollowLink:
    """What a row of a chat speaks of: a file, a tool call."""

    chat: int
    row: int
    name: str = ""
    """What stands under the cursor."""


@dataclass(frozen=True, slots=True)
class OpenLink:
    """The web address under the cursor, and the text that stands for it."""

    address: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Fold:
    """Open or close what stands in a row, or all of it."""

    chat: int
    row: int
    action: FoldAction


@dataclass(frozen=True, slots=True)
class PromptMade:
    """A chat has another prompt buffer."""

    chat: int
    prompt: int


@dataclass(frozen=True, slots=True)
class Follow:
    """`moved`: it is off because the user moved in its window."""

    to: Literal["on", "off", "toggle"]
    moved: bool = False


@dataclass(frozen=True, slots=True)
class OfRow:
    """What stands in a row of a chat."""

    chat: int
    row: int


@dataclass(frozen=True, slots=True)
class OfCall:
    """A tool call by its names."""

    agent: str
    session: str
    call: str


@dataclass(frozen=True, slots=True)
class TerminalInput:
    """What the user typed; the number is the host's own."""

    terminal: int
    data: bytes | str


@dataclass(frozen=True, slots=True)
class TerminalSize:
    """The largest window that shows it."""

    terminal: int
    rows: int
    columns: int
