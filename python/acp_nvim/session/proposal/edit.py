"""What a tool call would do to a file, as values: the parts of a proposal.

Texts are as the agent gave them, usually with "\\n" for each line end; they are brought to the line
ends of the file where they are applied (`proposal.proposed`).
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from acp_nvim.session.content import Diff


class Replace(Struct, frozen=True):
    """Put `new` in place of `old`, which stands in one place; `everywhere`: in all of them.

    An empty `old` makes a new file.
    """

    old: str
    new: str
    everywhere: bool = False


class Whole(Struct, frozen=True):
    """Make this the text of the file."""

    text: str


class Insert(Struct, frozen=True):
    """Put whole lines behind that many lines of the file."""

    after: int
    text: str


class Piece(Struct, frozen=True):
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


class Patch(Struct, frozen=True):
    """Change the file piece by piece, downwards."""

    pieces: tuple[Piece, ...]


class Remove(Struct, frozen=True):
    """Delete the file."""


Edit: TypeAlias = Replace | Whole | Insert | Patch | Remove


class Proposal(Struct, frozen=True):
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


class NoFit(Struct, frozen=True):
    """The edits cannot be made to the file as it is; `reason` is a clause without agent text."""

    reason: str
