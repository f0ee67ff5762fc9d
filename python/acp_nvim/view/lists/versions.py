"""The list of a comparison of worktrees: a row for each agent, below one for each file. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from acp_nvim.view.block import Line
from acp_nvim.view.measure import Tally, signed
from acp_nvim.view.styled import coloured, pieces, plural
from acp_nvim.view.visible import one_line

Outcome: TypeAlias = Literal["", "runs", "done", "failed"]
_OUTCOMES = {"runs": "AcpToolRunning", "done": "AcpToolDone", "failed": "AcpToolFailed"}


class Racer(Struct, frozen=True):
    """What came of one worktree: how much it has changed, how its last turn ended and how long its
    turns took, what they cost, what the check says."""

    name: str
    tally: Tally
    state: str = ""
    time: str = ""
    cost: str = ""
    check: str = ""
    outcome: Outcome = ""


class ComparedFile(Struct, frozen=True):
    """A file, and in how many of the worktrees it has changed."""

    name: str
    count: int


def lines(racers: Sequence[Racer], files: Sequence[ComparedFile]) -> tuple[Line, ...]:
    """Return all rows; one that counts the files stands between them."""
    width = max((len(it.name) for it in racers), default=0)
    top = [_racer(it, width) for it in racers]
    none = "nothing was changed"
    between = coloured(plural(len(files), "file") if files else none, "AcpDim")
    return (*top, between, *(_file(it, len(racers)) for it in files))


def _racer(racer: Racer, width: int) -> Line:
    chunks = [(racer.name.ljust(width), "AcpToolTitle")]
    chunks += signed(racer.tally.added, racer.tally.removed)
    known = ((racer.check, _OUTCOMES.get(racer.outcome, "AcpDim")),)
    for text, group in (
        *known,
        (racer.state, "AcpDim"),
        (racer.time, "AcpDim"),
        (racer.cost, "AcpDim"),
    ):
        chunks += ((" ", "AcpDim"), (text, group)) if text else ()
    return pieces(chunks)


def _file(file: ComparedFile, among: int) -> Line:
    count = f"  {file.count} of {among}"
    return pieces([(one_line(file.name, 200), "AcpToolPath"), (count, "AcpDim")])
