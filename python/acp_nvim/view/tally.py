"""How many lines of how many files: the words for it, wherever changes are counted. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from acp_nvim.session.model import LineCount
from acp_nvim.view.styled import plural

Chunks = tuple[tuple[str, str], ...]


class Tally(Struct, frozen=True):
    """Files, and the lines that were added and removed in them; `hunks` of them wait."""

    files: int = 0
    added: int = 0
    removed: int = 0
    hunks: int = 0

    @property
    def lines(self) -> str:
        """The lines alone."""
        return f"+{self.added} −{self.removed}"

    @property
    def text(self) -> str:
        """As in "3 files +8 −3"."""
        return f"{plural(self.files, 'file')} {self.lines}"


NOTHING = Tally()


def rows(waiting: Tally, opens: str) -> tuple[Chunks, ...]:
    """Return the row that says what waits for review and what `opens` it, the longest first."""
    if not waiting.hunks:
        return ()
    files = (f" {plural(waiting.files, 'file')}", "AcpNote")
    lines = signed(waiting.added, waiting.removed)
    hunks, key = (f" · {plural(waiting.hunks, 'hunk')}", "AcpDim"), (f" · {opens}", "AcpNote")
    whole = ((files, *lines, hunks, key), (files, *lines, key), (*lines, key))
    return (*whole, ((f" {opens}", "AcpNote"),))


def tally_of(changes: Iterable[LineCount]) -> Tally:
    """Return the sum over files."""
    known = {it.path: it for it in changes}.values()
    return Tally(len(known), sum(it.added for it in known), sum(it.removed for it in known))


def signed(added: int, removed: int) -> Chunks:
    """Return the lines in their colours, each with a blank before it."""
    blank = (" ", "AcpDim")
    return (blank, (f"+{added}", "AcpAdded"), blank, (f"−{removed}", "AcpRemoved"))
