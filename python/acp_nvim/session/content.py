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


ToolContent: TypeAlias = Content | Diff | TerminalOutput
