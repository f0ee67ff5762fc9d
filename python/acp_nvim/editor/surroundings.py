"""What the user may speak of besides files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from msgspec import Struct

from acp_nvim.session.model import Selection


class Finding(Struct, frozen=True):
    """One row of the diagnostics or of the quickfix list; 1-based, 0 is not known."""

    path: str
    line: int
    column: int
    kind: str
    """error, warning, …; "" for a row that is none."""
    text: str


class NamedText(Struct, frozen=True):
    """The lines of a buffer that is no file, and its name."""

    name: str
    lines: tuple[str, ...]
    filetype: str


class Surroundings(Protocol):
    """What the user may speak of besides files, as it is now."""

    async def selection(self) -> Selection | None:
        """Return the last visual selection of the file last worked in, as whole lines."""

    async def viewport(self) -> Selection | None:
        """Return what is to be seen of the file last worked in."""

    async def diagnostics(self, *, here: bool = False) -> Sequence[Finding]:
        """Return those of the file last worked in; `here`: of the line of its cursor."""

    async def quickfix(self) -> Sequence[Finding]:
        """Return the quickfix list."""

    async def text(self, name: Literal["messages", "terminal"]) -> NamedText | None:
        """Return the messages of the editor, or the end of the terminal last used."""

    async def buffer(self, name: str) -> NamedText | None:
        """Return the buffer of that name that is no file, or None."""
