"""What Lua sends with the verbs that are about tools of the editor; see `commands.payloads`."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct


class Tools(Struct, frozen=True):
    """The tools of a session's agent: show them, or turn them on or off."""

    chat: int
    to: Literal["", "on", "off"] = ""


class Answered(Struct, frozen=True):
    """What the editor says to the question of a tool."""

    call: int
    error: str | None = None
    result: Any = None
