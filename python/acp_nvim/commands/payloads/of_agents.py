"""What Lua sends with the verbs about agents that are here or could be; see `commands.payloads`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ListAgents:
    """How many columns there are, and of which agents the details are wanted."""

    width: int
    opened: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OfName:
    """Something about the agent of that name, whether it runs, is here, or neither."""

    agent: str
