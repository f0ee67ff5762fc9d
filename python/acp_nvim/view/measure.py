"""Times, amounts, numbers and counts of lines in a few letters. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.model import Cost, LineCount
from acp_nvim.view.styled import plural
from acp_nvim.view.visible import one_line

_MONEY = lazy_pattern("[A-Z]{3}")
"""What a currency of ISO 4217 looks like; the schema asks for one, agents write `credits`, too."""


def elapsed(seconds: float) -> str:
    """Return m:ss, or h:mm:ss from one hour on."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def money(cost: Cost) -> str:
    """Return the amount: of money with two places, of what else agents count as they tell it.

    What is less than a hundredth has the first place that is no zero: it is not nothing.
    """
    if not _MONEY.fullmatch(cost.currency):
        return f"{cost.amount:.4f}".rstrip("0").rstrip(".") + f" {one_line(cost.currency, 12)}"
    places = 2 if cost.amount >= 0.01 or cost.amount <= 0 else 4
    return f"{cost.amount:.{places}f} {cost.currency}"


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
