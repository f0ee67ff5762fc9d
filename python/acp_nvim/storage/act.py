"""What is written down of the turns that run, and what a host has left that is gone."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from acp_nvim.history.author import Author, SessionKey
from acp_nvim.storage.record import Record

Kind: TypeAlias = Literal["begin", "end", "saved"]


class Act(Struct, frozen=True):
    """One line. "begin" and "end": of a turn of `author` in `folders`.

    "saved": the user has written the file, `stamp`.
    """

    kind: Kind
    path: str = ""
    author: Author | None = None
    folders: tuple[str, ...] = ()
    stamp: str = ""


ACTS: Final = Record(Act, "acp_act", 2)


class Killed(Struct, frozen=True):
    """What a host has left that is gone."""

    name: str
    at: int
    """When it was last known to live, in ns since 1970."""
    acts: tuple[Act, ...]
    sights: Path
    """The file of what the project's files held."""
    handle: int

    @property
    def turns(self) -> tuple[Act, ...]:
        """The turns that ran."""
        running: dict[SessionKey, Act] = {}
        for act in self.acts:
            if act.author is not None and act.kind == "begin":
                running[act.author.session_key] = act
            elif act.author is not None and act.kind == "end":
                ended(running, act.author)
        return tuple(running.values())

    @property
    def saved(self) -> dict[str, str]:
        """The stamps of files as the user has written them last while a turn ran."""
        return {act.path: act.stamp for act in self.acts if act.kind == "saved"}


def ended(turns: dict[SessionKey, Act], author: Author) -> bool:
    """Take that turn out; False if another one runs in the session by now, or none."""
    running = turns.get(author.session_key)
    if running is None or running.author is None or running.author.turn_key != author.turn_key:
        return False
    del turns[author.session_key]
    return True
