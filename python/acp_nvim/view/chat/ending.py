"""The row below a turn: how it ended, how long it took, what it changed and cost.

Called by `cell` and `transcript`.
"""

from __future__ import annotations

from collections.abc import Iterator

from acp_nvim.session.state import Ending
from acp_nvim.view.block import BLANK, Line
from acp_nvim.view.measure import elapsed, money, tally_of
from acp_nvim.view.styled import pieces

RULE = "──"
SEPARATOR = " · "
_GROUPS = {"done": "AcpToolDone", "failed": "AcpToolFailed"}


def lines(ending: Ending) -> tuple[Line, ...]:
    """Return the row, and a blank one below it."""
    return (pieces(_spaced(ending)), BLANK)


def entry_text(ending: Ending) -> str:
    """Return it as in "── done · 0:42 · 3 files +8 −3 · 0.04 USD"."""
    return "".join(text for text, _ in _spaced(ending))


def _spaced(ending: Ending) -> Iterator[tuple[str, str]]:
    yield f"{RULE} ", "AcpRule"
    for number, part in enumerate(_parts(ending)):
        if number:
            yield SEPARATOR, "AcpDim"
        yield from part


def _parts(ending: Ending) -> Iterator[list[tuple[str, str]]]:
    yield [(ending.how, _GROUPS.get(ending.how, "AcpWarning"))]
    if ending.seconds is not None:
        yield [(elapsed(ending.seconds), "AcpDim")]
    if ending.is_silent:
        yield [("said nothing", "AcpDim")]
    if ending.changes:
        tally = tally_of(ending.changes)
        files = tally.text.removesuffix(tally.lines)
        added, removed = tally.lines.split(" ")
        yield [
            (files, "AcpDim"),
            (added, "AcpAdded"),
            (" ", "AcpDim"),
            (removed, "AcpRemoved"),
        ]
    if ending.cost is not None:
        yield [(money(ending.cost), "AcpDim")]
