"""What Lua sends with the verbs about agents that are here or could be; see `commands.payloads`."""

from __future__ import annotations

from msgspec import Struct


class ListAgents(Struct, frozen=True):
    """How many columns there are, and of which agents the details are wanted."""

    width: int
    opened: tuple[str, ...] = ()


class OfName(Struct, frozen=True):
    """Something about the agent of that name, whether it runs, is here, or neither."""

    agent: str
