"""Which session each turn of a conversation was had in, so that undo and rewind find it.

A rewind, another agent that takes over, and an agent that cannot load a session each begin a new
session that *continues* an older one: its turns keep their numbers, and the session that had them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

SessionKey: TypeAlias = tuple[str, str]
"""The agent's name in the configuration, and its id of the session."""


class Origin(Struct, frozen=True):
    """An older session that this one continues, up to its turn `last`."""

    agent: str
    session: str
    last: int

    @property
    def key(self) -> SessionKey:
        """The name of that session."""
        return self.agent, self.session


class Stretch(Struct, frozen=True):
    """The turns of a conversation that one session had, from `first` to `last` (None: all)."""

    key: SessionKey
    first: int = 0
    last: int | None = None

    def has(self, turn: int) -> bool:
        """Whether the conversation has that turn of this session."""
        return self.first <= turn and (self.last is None or turn <= self.last)


def stretches(origins: Sequence[Origin], own: SessionKey) -> Iterator[Stretch]:
    """Yield the parts of a conversation, the oldest first; all turns of its own session count."""
    first = 0
    for origin in origins:
        yield Stretch(origin.key, first, origin.last)
        first = origin.last + 1
    yield Stretch(own)


def continued(origins: Sequence[Origin], own: SessionKey, last: int) -> tuple[Origin, ...]:
    """Return the origins of a session that continues this one after its turn `last`."""
    found: list[Origin] = []
    for origin in (*origins, Origin(*own, last)):
        before = found[-1].last if found else 0
        if min(origin.last, last) > before and origin.session:
            found.append(replace(origin, last=min(origin.last, last)))
    return tuple(found)
