"""`:Acp agents`: which agents are here, which could be installed, and how.

Pure; texts of rows are made safe here, whoever wrote them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from acp_nvim.view.block import BLANK, Highlight, Line
from acp_nvim.view.lists.sessions import age
from acp_nvim.view.styled import coloured, pieces, plural
from acp_nvim.view.visible import one_line

Group: TypeAlias = Literal["here", "possible", "impossible"]

MOST_NAME, MOST_VERSION, MOST_DETAIL = 24, 14, 1_200
INDENT = "    "

_GROUPS: Sequence[tuple[Group, str, str, str]] = (
    ("here", "Here", "●", "AcpToolDone"),
    ("possible", "Could be installed", "○", "AcpToolPending"),
    ("impossible", "Cannot be installed from here", "·", "AcpToolPending"),
)


class AgentRow(Struct, frozen=True):
    """An agent; `what` is where it is, or how it would be installed, `does` what is done with it.

    `details` are pairs of a heading and a text.
    """

    name: str
    title: str
    group: Group
    version: str = ""
    what: str = ""
    does: str = ""
    details: tuple[tuple[str, str], ...] = ()


class RegistryState(Struct, frozen=True):
    """What there is of the registry at that host; `fetched` is the age of its list in seconds."""

    host: str
    count: int = 0
    fetched: float | None = None
    is_fetching: bool = False
    problem: str = ""


class AgentList(Struct, frozen=True):
    """The lines, and for each the agent that it is about, "" for none."""

    lines: tuple[Line, ...]
    names: tuple[str, ...]


class _Columns(Struct, frozen=True):
    """How wide the columns are; `all` is the window."""

    all: int
    name: int
    version: int


def _columns(rows: Sequence[AgentRow], width: int) -> _Columns:
    names = (len(one_line(row.name, MOST_NAME)) for row in rows)
    versions = (len(one_line(row.version, MOST_VERSION)) for row in rows)
    return _Columns(width, max(names, default=0), max(versions, default=0))


def agent_list(
    rows: Sequence[AgentRow], registry: RegistryState, opened: Collection[str], width: int
) -> AgentList:
    """Return the list for a window of that many columns; of agents in `opened` with details."""
    found = [(line, "") for line in _head(registry, width)]
    columns = _columns(rows, width)
    for group, heading, sign, colour in _GROUPS:
        members = [row for row in rows if row.group == group]
        if members:
            found += [(BLANK, ""), (coloured(heading, "AcpHeading2"), "")]
        for row in members:
            found.append((_row(row, (sign, colour), columns), row.name))
            if row.name in opened:
                found += [(line, row.name) for line in _details(row, width)]
    return AgentList(tuple(line for line, _ in found), tuple(name for _, name in found))


def _head(registry: RegistryState, width: int) -> Iterator[Line]:
    host = one_line(registry.host, MOST_DETAIL)
    if registry.is_fetching:
        said = f"Registry {host}: its list is being fetched …"
    elif registry.fetched is None:
        said = f"Registry {host}: its list was not fetched yet, R fetches it"
    else:
        known = plural(registry.count, "agent")
        said = f"Registry {host}: {known}, fetched {age(registry.fetched)} ago, R fetches anew"
    yield from (coloured(line, "AcpDim") for line in textwrap.wrap(said, max(width, 20)))
    if registry.problem:
        problem = one_line(registry.problem, MOST_DETAIL)
        yield from (coloured(it, "AcpWarning") for it in textwrap.wrap(problem, max(width, 20)))


def _row(row: AgentRow, sign: tuple[str, str], columns: _Columns) -> Line:
    name, version = one_line(row.name, MOST_NAME), one_line(row.version, MOST_VERSION)
    head = f"{name:<{columns.name}}  "
    middle = f"{version:<{columns.version}}  " if columns.version else ""
    parts = (row.title if row.title != row.name else "", row.does or row.what)
    rest = " · ".join(part for part in parts if part)
    rest = one_line(rest, max(columns.all - len(head) - len(middle) - 2, 10))
    chunks = [(head, "AcpToolTitle"), (middle, "AcpDim")]
    chunks.append((rest, "AcpToolRunning" if row.does else ""))
    while not chunks[-1][0].rstrip():
        chunks.pop()
    chunks[-1] = chunks[-1][0].rstrip(), chunks[-1][1]
    return pieces([sign, (" ", ""), *chunks])


def _details(row: AgentRow, width: int) -> Iterator[Line]:
    for heading, text in row.details:
        said = f"{heading}: {one_line(text, MOST_DETAIL)}"
        lines = textwrap.wrap(
            said,
            max(width, 30),
            initial_indent=INDENT,
            subsequent_indent=INDENT * 2,
            break_on_hyphens=False,
        )
        mark = Highlight(len(INDENT), len(INDENT) + len(heading) + 1, "AcpDim")
        yield Line(lines[0], (mark,))
        yield from (Line(line) for line in lines[1:])
