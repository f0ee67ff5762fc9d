"""A question as it is drawn, in parts that give way to each other where room is short.

Which rows of it are on screen `view.question.fit` says: the head and the body are always to be
seen, the body cut in its middle, the options below.
"""

from __future__ import annotations

import hashlib
from typing import Literal

from msgspec import Struct

from acp_nvim.view.block import Highlight, Line, LineHighlight, Mark, VirtualText

CHANGES = frozenset({"AcpDiffAdd", "AcpDiffDelete"})
"""The groups of lines that would come or go."""


class FormRow(Struct, frozen=True):
    """What <CR> does in a row: change a field, take an option, or answer with `action`.

    Rows count from 0, through the body and then the options.
    """

    row: int
    kind: Literal["text", "choice", "toggle", "action"]
    field: int = -1
    """The number of the field, from 0."""
    option: int = -1
    label: str = ""
    text: str = ""
    """What stands in a text field now."""
    choices: tuple[str, ...] = ()
    action: str = ""


class Menu(Struct, frozen=True):
    """One question; its lines are of any length, and safe to show."""

    id: str
    seen: str
    """The digest of what it asks: an answer names it, and is for nothing else."""
    title: str
    kind: Literal["permission", "form", "link"]
    head: tuple[Line, ...]
    """What it is about; the first row."""
    body: tuple[Line, ...]
    """What would be done; of a form, its fields."""
    options: tuple[Line, ...]
    option_ids: tuple[str, ...] = ()
    """What a permission is answered with."""
    option_kinds: tuple[str, ...] = ()
    notes: tuple[Line, ...] = ()
    """What to beware of: never cut away."""
    about: tuple[Line, ...] = ()
    """What else is known; the first to give way."""
    omitted: int = 0
    """Lines that the body lacks in its middle; `detail` has them."""
    form: tuple[FormRow, ...] = ()
    """What <CR> does in the rows of an elicitation; empty for a permission."""
    comparable: int = 0
    """How many files `d` can show side by side, as they are and as they would be."""
    chat: int = 0
    """Buffer of the chat that it belongs to; the host knows, the view does not."""
    position: tuple[int, int] = (1, 1)
    """Its number among those that wait, from 1, and how many they are."""

    @property
    def changes(self) -> tuple[Line, ...]:
        """The body without the lines of a diff that stay as they are: of one that is too long these
        give way first. Nothing for what is no diff."""
        has_changes = any(_group(mark) in CHANGES for line in self.body for mark in line.marks)
        return tuple(it for it in self.body if not _stays(it)) if has_changes else ()

    @property
    def subject(self) -> str:
        """What it is about in one row."""
        return self.head[0].text if self.head else ""

    @property
    def lines(self) -> tuple[Line, ...]:
        """All of it, one part after the other."""
        return (*self.head, *self.notes, *self.body, *self.about, *self.options)


def _group(mark: Mark) -> str:
    return mark.group if isinstance(mark, Highlight | LineHighlight) else ""


def _stays(line: Line) -> bool:
    """Tell whether nothing but blanks stands beside the text."""
    beside = [it.chunks[0][0] for it in line.marks if isinstance(it, VirtualText)]
    return bool(beside) and len(beside) == len(line.marks) and not "".join(beside).strip()


def digest(stake: object) -> str:
    """Return a name for what an answer decides: something else has another."""
    return hashlib.sha256(repr(stake).encode()).hexdigest()[:16]
