"""What can happen to a file: the whole input of its history, from which `fold` makes all else.

Facts are compact: a change is the lines that it puts in, never a whole text, so that a log of them
can be appended to. They name rows of the text as the facts before them have left it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Any, TypeAlias

from msgspec import Struct

from acp_nvim.history.attributes import UNKNOWN_ATTRIBUTES, FileAttributes
from acp_nvim.history.author import Author, DoerKey
from acp_nvim.hunks import Hunk

Rows: TypeAlias = tuple[int, int] | None
"""A half-open range of 0-based rows of the text, None: all."""


class Passed(Sequence[str]):
    """Stands for the lines of a change that have come and gone, and whose text is let go: as many,
    each unlike those of other changes. `lines` may begin with `first`, which stays."""

    __slots__ = ("_count", "_line", "_starts")

    def __init__(self, lines: Sequence[str], number: int, first: str) -> None:
        self._count, self._line = len(lines), f"\0passed {number}"
        self._starts = (first,) if lines[:1] == (first,) else ()

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: Any) -> Any:
        return (*self._starts, *repeat(self._line, self._count - len(self._starts)))[at]


class Tagged(Struct, frozen=True, tag=True, omit_defaults=True):
    """One of several kinds, which msgspec tells apart by the names of their classes."""


class Began(Tagged, frozen=True):
    """The text before an agent first changed the file, None: there was no file."""

    text: str | None


class Wrote(Tagged, frozen=True):
    """An agent has changed the text."""

    author: Author
    hunks: tuple[Hunk, ...]
    """In lines without their ends, among which `FILE` is the first."""
    form: tuple[str, ...] = ()
    """What is set anew of how the file is written."""
    at: float = 0.0
    """Seconds since 1970."""


class Saw(Tagged, frozen=True):
    """The user has changed the text, or somebody who is no agent; see `Wrote`."""

    hunks: tuple[Hunk, ...]
    form: tuple[str, ...] = ()
    at: float = 0.0


class Off(Tagged, frozen=True):
    """The author's turn was undone, in the batch of that name; if the author is a sub-agent, only
    what that has done in it. Without `found` only what is sure to be the agent's."""

    author: Author
    batch: str
    at: float = 0.0
    found: bool = True


class On(Tagged, frozen=True):
    """The undo of that batch was redone."""

    batch: str


class Rejected(Tagged, frozen=True):
    """The user has rejected the hunks in these rows; without `found` only those that are sure to be
    the agents'."""

    rows: Rows
    found: bool = True
    at: float = 0.0
    by: tuple[DoerKey, ...] = ()
    """Only what these have done; (): whoever did."""


class Kept(Tagged, frozen=True):
    """The user has kept the hunks in these rows."""

    rows: Rows
    by: tuple[DoerKey, ...] = ()


class Recoded(Tagged, frozen=True):
    """The file has another encoding: these lines are those."""

    lines: tuple[tuple[str, str], ...]


class Had(Tagged, frozen=True):
    """The file is to have these attributes when it comes back."""

    attributes: FileAttributes = UNKNOWN_ATTRIBUTES


Fact: TypeAlias = Began | Wrote | Saw | Off | On | Rejected | Kept | Recoded | Had
