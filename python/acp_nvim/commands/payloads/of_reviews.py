"""What Lua sends with the verbs that are about the review; see `commands.payloads`."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class ShowReview(Struct, frozen=True):
    """Of one turn or of all; `path` and `line` say where the user is. `off`: show no longer.
    `only`: show it, and go nowhere. `by`: what the sub-agent of that name has done, "" for all."""

    chat: int | None = None
    turn: int | None = None
    by: str = ""
    off: bool = False
    path: str | None = None
    line: int = 1
    only: bool = False


class Decide(Struct, frozen=True):
    """Keep or reject: lines of a file (first and last, inclusive), the file, or all."""

    verdict: Literal["keep", "reject"]
    scope: Literal["lines", "file", "all"]
    path: str = ""
    first: int = 0
    last: int = 0
    hunk: bool = False
    """The lines are those of one hunk."""
    chat: int | None = None
    """In which `all` was given; else `path` is where that was."""
    because: str = ""
    """Why, for the agent."""
    buffer: int = 0
    """Of which a `mark` goes along with the lines; 0: they are where they were."""
    mark: int = 0
    by: str = ""
    """Of all only what the sub-agent of that name has done, in the session of `chat`."""


class Undo(Struct, frozen=True):
    """The turn of that number, else the last one; without a chat of the project of `path`. `by`:
    only what the sub-agent of that name has done in it."""

    chat: int | None = None
    turn: int | None = None
    by: str = ""
    path: str = ""


class Redo(Struct, frozen=True):
    """What was taken back last, in the session of that chat or in any."""

    chat: int | None = None
    path: str = ""


class ShowDiff(Struct, frozen=True):
    """Of that turn or all of the chat's session; without a chat, of the project of `path`. In that
    buffer. `by`: what the sub-agent of that name has done, "" for all."""

    buffer: int
    chat: int | None = None
    turn: int | None = None
    by: str = ""
    path: str = ""


class HunkPart(Struct, frozen=True):
    """A hunk that was shown at that 1-based line, or lines of it: 0-based, inclusive; `last` -1 is
    the whole."""

    path: str
    key: str
    line: int
    first: int = 0
    last: int = -1


class DecideParts(Struct, frozen=True):
    """Keep or reject these; `scope`: how they were named; `because`: why, for the agent."""

    verdict: Literal["keep", "reject"]
    parts: tuple[HunkPart, ...]
    scope: Literal["lines", "file", "all"] = "lines"
    because: str = ""


class CommentOn(Struct, frozen=True):
    """Words on lines of a file (first and last, inclusive), as these are; without text none."""

    path: str
    first: int
    last: int
    lines: tuple[str, ...] = ()
    text: str = ""
    buffer: int = 0
    """As in `Decide`."""
    mark: int = 0


class OfLine(Struct, frozen=True):
    """Something about a line of a file."""

    path: str
    line: int
