"""What Lua sends with the verbs that are about tools of the editor; see `commands.payloads`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools of a session's agent: show them, or turn them on or off."""

    chat: int
    to: Literal["", "on", "off"] = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """What the editor says to the question of a tool."""

    call: int
    error: str | None = None
    result: Any = None
