"""What a message or a tool call is made of (v1/content, v1/tool-calls).

Values only; anyone may import this module.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TypeAlias

from acp_nvim.session.stored import Stored


class Text(Stored, frozen=True):
    """Markdown text, verbatim."""

    text: str
    typed: str = ""
    """What the user has written in its place: the name of a prompt of theirs, and the rest."""

    def __hash__(self) -> int:
        return hash((self.text,))  # as a `GrowingText` of the same characters

    @property
    def length(self) -> int:
        """Number of its characters."""
        return len(self.text)

    @property
    def newlines(self) -> int:
        """Number of its newlines."""
        return self.text.count("\n")

    def part(self, start: int, end: int) -> str:
        """Return the characters [start, end), as far as there are such."""
        return self.text[start:end]

    def begins_as(self, other: Text, end: int) -> bool:
        """Tell whether both have the same first `end` characters, which the other has."""
        return self is other or self.part(0, end) == other.part(0, end)

    def grown(self, more: str) -> Text:
        """Return the text with more at its end."""
        growth = Growth()
        growth.add(self.text)
        growth.add(more)
        newlines = self.newlines + more.count("\n")
        return GrowingText("", _growth=growth, _length=growth.length, _newlines=newlines)


class Growth:
    """What all states of a growing text have in common: the pieces of the longest one."""

    __slots__ = ("length", "pieces", "starts")
    PIECE = 8_192
    """Characters after which a piece is full: it is copied no more when something is added."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.starts: list[int] = []
        self.length = 0

    def add(self, more: str) -> None:
        """Put more at the end: what was there stays, so who reads its beginning need not know."""
        if self.pieces and len(self.pieces[-1]) < self.PIECE:
            self.pieces[-1] += more
        else:
            self.starts.append(self.length)
            self.pieces.append(more)
        self.length += len(more)

    def part(self, start: int, end: int) -> str:
        """Return the characters [start, end)."""
        first = max(bisect_right(self.starts, start) - 1, 0)
        last = bisect_left(self.starts, end, first)
        return "".join(self.pieces[first:last])[
            start - self.starts[first] : end - self.starts[first]
        ]


class GrowingText(Text, frozen=True, kw_only=True):
    """A text of which each state knows how much of the pieces is its own; equal to any equal one.

    So a state costs the same however long the text is, and so does reading its end.
    """

    _growth: Growth
    _length: int
    _newlines: int

    @property  # type: ignore[misc]  # in place of the field, which is empty
    def text(self) -> str:
        """All of it; joined each time, for it may go on growing."""
        return self._growth.part(0, self._length)

    @property
    def length(self) -> int:
        """Number of its characters."""
        return self._length

    @property
    def newlines(self) -> int:
        """Number of its newlines."""
        return self._newlines

    def part(self, start: int, end: int) -> str:
        """Return the characters [start, end), as far as there are such."""
        return self._growth.part(start, min(end, self._length))

    def begins_as(self, other: Text, end: int) -> bool:
        """Tell whether both have the same first `end` characters, which the other has."""
        if isinstance(other, GrowingText) and other._growth is self._growth:
            return end <= self._length
        return super().begins_as(other, end)

    def grown(self, more: str) -> Text:
        """Return the text with more at its end."""
        if self._growth.length != self._length:  # it has gone on in another way
            return Text(self.text).grown(more)
        self._growth.add(more)
        newlines = self._newlines + more.count("\n")
        length = self._growth.length
        return GrowingText("", _growth=self._growth, _length=length, _newlines=newlines)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and (self is other or self.text == other.text)

    def __hash__(self) -> int:
        return hash((self.text,))

    def __repr__(self) -> str:
        return f"Text(text={self.text!r})"


class Image(Stored, frozen=True):
    """An image; `data` is plain base64."""

    data: str
    mime_type: str
    uri: str | None = None


class Audio(Stored, frozen=True):
    """A sound; `data` is plain base64."""

    data: str
    mime_type: str


class ResourceLink(Stored, frozen=True):
    """A reference that the receiver may read by itself; `size` in bytes."""

    uri: str
    name: str
    mime_type: str | None = None
    title: str | None = None
    description: str | None = None
    size: int | None = None


class Resource(Stored, frozen=True):
    """An embedded resource: exactly one of `text` and `blob` (base64) is set."""

    uri: str
    text: str | None = None
    blob: str | None = None
    mime_type: str | None = None


class UnknownContent(Stored, frozen=True):
    """A block of a kind that this client does not know; shown as a placeholder (C-131)."""

    kind: str
    raw: str


Content: TypeAlias = Text | Image | Audio | ResourceLink | Resource | UnknownContent


class Diff(Stored, frozen=True):
    """A change that the agent shows; `old_text` None means a new file, and may be a fragment."""

    path: str
    old_text: str | None
    new_text: str


class TerminalOutput(Stored, frozen=True):
    """The live output of a client terminal, by its id."""

    terminal_id: str


class FileChange(Stored, frozen=True):
    """What became of a file, without its text: modify, add, delete, move, copy, or as it is said.

    `old_path` is where it was moved or copied from, `file_type` what it is now: text, binary,
    directory, symlink, or as it is said.
    """

    path: str
    operation: str
    old_path: str | None = None
    file_type: str | None = None
    mime_type: str | None = None


ToolContent: TypeAlias = Content | Diff | FileChange | TerminalOutput
