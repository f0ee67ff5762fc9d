"""The sessions as a column that stays: grouped by project, a sign for the state of each.

Pure; called by `workspace.session_list`. No row has an age: it changes with its session only.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from acp_nvim.view.block import Block, Line, Margin
from acp_nvim.view.chat.boundary import Boundary, fault_line
from acp_nvim.view.lists.session_list import NO_MATCH, NONE, folder_name, key
from acp_nvim.view.lists.sessions import Row, called
from acp_nvim.view.styled import coloured, pieces, plural
from acp_nvim.view.visible import one_line

_SIGNS = {
    "loading": Margin("◌", "AcpToolPending"),
    "running": Margin("◐", "AcpToolRunning"),
    "cancelling": Margin("◐", "AcpToolRunning"),
    "closed": Margin("○", "AcpDim"),
}
_ASKS = Margin("?", "AcpWinbarAsk")
_DONE = Margin("✓", "AcpToolDone")
_FAILED = Margin("✗", "AcpToolFailed")
_UNUSED = Margin("·", "AcpDim")
_WAS_OPEN = Margin("◌", "AcpToolPending")
_KEPT = Margin("○", "AcpDim")


class Column(Struct, frozen=True):
    """What is drawn, and the session in each of its lines; None in the line of a project."""

    blocks: tuple[Block, ...]
    rows: tuple[Row | None, ...]


def draw(
    rows: Sequence[Row],
    *,
    cwd: str,
    home: str,
    filtered: bool = False,
    boundary: Boundary | None = None,
) -> Column:
    """Return the open sessions by project, that of `cwd` first, and below them those of before."""
    if not rows:
        return Column((NO_MATCH if filtered else NONE,), (None,))
    boundary = boundary or Boundary()
    blocks, shown = list[Block](), list[Row | None]()
    for heading, members in _groups(rows, cwd, home):
        blocks.append(Block(f"project\0{heading}", (coloured(heading, "AcpToolPath"),)))
        shown.append(None)
        for row in members:
            lines = boundary.draw(partial(_lines, row), lambda error: (fault_line(error),))
            blocks.append(Block(key(row), lines))
            shown += [row] * len(lines)
    return Column(tuple(blocks), tuple(shown))


def matching(rows: Sequence[Row], wanted: str, *, home: str) -> tuple[Row, ...]:
    """Return the rows that show all these words, whatever their case."""
    words = wanted.casefold().split()
    boundary = Boundary()

    def is_match(row: Row) -> bool:
        text = " ".join(
            [*(line.text for line in _lines(row)), row.worktree or folder_name(row.cwd, home)]
        )
        return all(it in text.casefold() for it in words)

    return tuple(row for row in rows if boundary.draw(partial(is_match, row), lambda _error: True))


def _groups(rows: Sequence[Row], cwd: str, home: str) -> list[tuple[str, list[Row]]]:
    projects: dict[str, list[Row]] = {}
    folder = cwd
    for row in rows:
        folder = folder if row.sub.depth else row.cwd  # it stands where its session does
        if row.kind == "open":
            projects.setdefault(folder, []).append(row)
    groups = [
        (it[0].worktree or folder_name(folder, home), it)
        for folder, it in sorted(projects.items(), key=lambda it: it[0] != cwd)
    ]
    earlier = [row for row in rows if row.kind != "open"]
    return [*groups, *([(f"Earlier in {folder_name(cwd, home)}", earlier)] if earlier else [])]


def _sign(row: Row) -> Margin:
    if row.asks:
        return _ASKS
    if row.kind != "open":
        return _WAS_OPEN if row.was_open else _KEPT
    if row.state in _SIGNS:
        return _SIGNS[row.state]
    return {"failed": _FAILED, "done": _DONE}.get(row.outcome, _UNUSED)


def _lines(row: Row) -> tuple[Line, ...]:
    agent, name = one_line(row.agent, 20), called(row, 200)
    if row.kind != "open":
        return (pieces([(name, ""), (f"  {agent}", "AcpDim")], _sign(row)),)
    waits = plural(row.work.hunks, "hunk") if row.work.hunks else ""
    said = ("" if row.sub.depth else agent, waits, row.work.cost)
    told = [" · ".join(filter(None, said)), row.work.plan, row.work.tool]
    indent = "  " * row.sub.depth
    below = [coloured(indent + it, "AcpDim") for it in told if it]
    if row.asks:
        asks = f"{indent}{plural(row.asks, 'question')}: a answers"
        below.append(coloured(asks, "AcpWinbarAsk"))
    return (coloured(indent + name, "AcpToolTitle", _sign(row)), *below)
