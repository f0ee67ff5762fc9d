"""What a message or a tool call is made of (v1/content, v1/tool-calls).

Values only; anyone may import this module.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Text:
    """Markdown text, verbatim."""

    text: str

    def grown(self, more: str) -> Text:
        """Return the text with more at its end."""
        return GrowingText((self.text, more))


class GrowingText(Text):
    """A text that is kept in pieces, and joined when it is read; equal to any equal text."""

    __slots__ = ("_pieces",)
    _pieces: tuple[str, ...]

    def __init__(self, pieces: tuple[str, ...]) -> None:
        object.__setattr__(self, "_pieces", pieces)

    @property
    def text(self) -> str:
        """All of it."""
        if len(self._pieces) > 1:
            object.__setattr__(self, "_pieces", ("".join(self._pieces),))
        return self._pieces[0]

    def grown(self, more: str) -> Text:
        """Return the text with more at its end.

        A piece takes in those before it that are not much longer: so there are few, and each
        character is copied a few times only.
        """
        pieces = self._pieces
        while pieces and len(pieces[-1]) <= 2 * len(more):
            more = pieces[-1] + more
            pieces = pieces[:-1]
        return GrowingText((*pieces, more))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and (self is other or self.text == other.text)

    def __hash__(self) -> int:
        return hash((self.text,))

    def __repr__(self) -> str:
        return f"Text(text={self.text!r})"


@dataclass(frozen=True, slots=True)
class Image:
    """An image; `data` is plain base64."""

    data: str
    mime_type: str
    uri: str | None = None


@dataclass(frozen=True, slots=True)
class Audio:
    """A sound; `data` is plain base64."""

    data: str
    mime_type: str


@dataclass(frozen=True, slots=True)
class ResourceLink:
    """A reference that the receiver may read by itself; `size` in bytes."""

    uri: str
    name: str
    mime_type: str | None = None
    title: str | None = None
    description: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Resource:
    """An embedded resource: exactly one of `text` and `blob` (base64) is set."""

    uri: str
    text: str | None = None
    blob: str | None = None
    mime_type: str | None = None


@dataclass(frozen=True, slots=True)
class UnknownContent:
    """A block of a kind that this client does not know; shown as a placeholder (C-131)."""

    kind: str
    raw: str


Content: TypeAlias = Text | Image | Audio | ResourceLink | Resource | UnknownContent


@dataclass(frozen=True, slots=True)
class Diff:
    """A change that the agent shows; `old_text` None means a new file, and may be a fragment."""

    path: str
    old_text: str | None
    new_text: str


@dataclass(frozen=True, slots=True)
class TerminalOutput:
    """The live output of a client terminal, by its id."""

    terminal_id: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """What became of a file, without its text: modify, add, delete, move, copy, or as it is said.

    `old_path` is where it was moved or copied from.
    """

    path: str
    operation: str
    old_path: str | None = None


ToolContent: TypeAlias = Content | Diff | FileChange | TerminalOutput
