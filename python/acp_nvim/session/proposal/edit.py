"""What a tool call would do to a file, as values: the parts of a proposal.

Texts are as the agent gave them, usually with "\\n" for each line end; they are brought to the line
ends of the file where they are applied (`proposal.proposed`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from acp_nvim.session.content import Diff


@dataclass(frozen=True, slots=True)
class Replace:
    """Put `new` in place of `old`, which stands in one place; `everywhere`: in all of them.

    An empty `old` makes a new file.
    """

    old: str
    new: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Whole:
    """Make this the text of the file."""

    text: str


@dataclass(frozen=True, slots=True)
class Insert:
    """Put whole lines behind that many lines of the file."""

    after: int
    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A hunk of a patch: lines without their ends; only where they stand may be another place."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    near: int | None = None
    """0-based row where the patch says that they are; None: the first place, going downwards."""
    below: str = ""
    """A line that they stand below."""
    at_end: bool = False
    """They are the last lines of the file."""
    ended: bool | None = None
    """Whether the last line has an end afterwards; None: as before."""


@dataclass(frozen=True, slots=True)
class Patch:
    """Change the file piece by piece, downwards."""

    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Remove:
    """Delete the file."""


Edit: TypeAlias = Replace | Whole | Insert | Patch | Remove


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is to happen to one file: the edits, one after the other.

    `instead` is another account of the same (the tool's input where `edits` come from a diff), for
    a diff that does not say where its lines stand. `told` is what the agent showed of it.
    """

    path: str
    edits: tuple[Edit, ...]
    instead: tuple[Edit, ...] = ()
    told: tuple[Diff, ...] = ()
    moved_to: str = ""
    """Where the file goes; "" if it stays."""

    @property
    def makes_whole(self) -> bool:
        """Whether the text is made anew, whatever is there now."""
        return any(isinstance(edit, Whole) for edit in self.edits)


@dataclass(frozen=True, slots=True)
class NoFit:
    """The edits cannot be made to the file as it is; `reason` is a clause without agent text."""

    reason: str
