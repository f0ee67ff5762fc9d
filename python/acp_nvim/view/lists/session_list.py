"""The list of the sessions: a row each, and the bar above them.

Pure; called by `workspace.session_list`. The title comes last, where the window cuts it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

from acp_nvim.view.block import Block, Line
from acp_nvim.view.chat.boundary import Boundary, fault_line
from acp_nvim.view.lists.sessions import Row, age, called
from acp_nvim.view.markdown.table import display_width
from acp_nvim.view.status import Bar, BarPart
from acp_nvim.view.styled import coloured, pieces, plural
from acp_nvim.view.visible import one_line

NONE = Block("none", (coloured("There is no session here: :AcpStart opens one", "AcpDim"),))
NO_MATCH = Block("none", (coloured("No session has this in its row: / asks again", "AcpDim"),))

_STATES = {
    "loading": ("◌ starting", "AcpToolPending"),
    "running": ("◐ running", "AcpToolRunning"),
    "cancelling": ("◐ cancelling", "AcpToolRunning"),
    "idle": ("● idle", "AcpToolDone"),
    "listed": ("○ agent", "AcpDim"),
    "stored": ("○ kept", "AcpDim"),
    "closed": ("○ closed", "AcpDim"),
}
_LEAST = (12, 6, 0, 0)
"""Cells of the columns, so that they stay where they are while a session works."""
_FOLDER = 28
_KEYS = "<CR> open · c close · r rename · D delete · / filter"


def blocks(
    rows: Sequence[Row],
    *,
    now: float,
    home: str,
    filtered: bool,
    boundary: Boundary | None = None,
) -> tuple[Block, ...]:
    """Return a block of one line for each row; `now` in seconds since 1970, `home` is "~"."""
    if not rows:
        return (NO_MATCH if filtered else NONE,)
    boundary = boundary or Boundary()
    table = [boundary.draw(partial(_cells, row, now, home), _fault) for row in rows]
    width = cache(display_width)  # most rows have the cells of others
    columns = list(zip(*(it for it in table if isinstance(it, tuple)), strict=True))
    widths = [
        max((least, *map(width, column)))
        for least, column in zip(_LEAST, columns or [()] * (len(_LEAST) + 1), strict=False)
    ]
    return tuple(
        Block(key(row), (_line(row, texts, widths, width),))
        if isinstance(texts, tuple)
        else Block(key(row), (fault_line(texts),))
        for row, texts in zip(rows, table, strict=True)
    )


def matching(rows: Sequence[Row], wanted: str, *, now: float, home: str) -> tuple[Row, ...]:
    """Return the rows that show all these words, whatever their case."""
    words = wanted.casefold().split()
    boundary = Boundary()
    table = [boundary.draw(partial(_cells, row, now, home), _fault) for row in rows]
    return tuple(
        row
        for row, texts in zip(rows, table, strict=True)
        if isinstance(texts, Exception) or all(it in " ".join(texts).casefold() for it in words)
    )


def bar(rows: Sequence[Row], wanted: str, *, with_keys: bool) -> Bar:
    """Return what stands above the rows: how many there are, what runs and waits, the keys."""
    own = [row for row in rows if not row.sub.depth]
    running = sum(row.state in ("running", "cancelling") for row in own)
    asks = sum(row.asks for row in rows if not row.sub.call)  # those are its agent's as well
    parts = (
        BarPart("AcpWinbarState", plural(len(own), "session"), 0),
        BarPart("AcpWinbarState", f"{running} running" if running else "", 2),
        BarPart(
            "AcpWinbarAsk", f"{asks} waiting for you" if asks else "", 1, short=f"{asks} waiting"
        ),
        BarPart("AcpWinbarMode", f"/{one_line(wanted, 30)}" if wanted else "", 2),
        BarPart("AcpWinbarUsage", _KEYS if with_keys else "", 3, right=True, short="g? keys"),
    )
    return Bar(tuple(part for part in parts if part.text))


def key(row: Row) -> str:
    """Return the name of its block."""
    if row.sub.depth:
        return f"sub\0{row.agent}\0{row.sub.parent}\0{row.sub.call or row.id}"
    return f"{row.chat}" if row.chat else f"{row.agent}\0{row.id}"


def _fault(error: Exception) -> tuple[str, ...] | Exception:
    return error


def _cells(row: Row, now: float, home: str) -> tuple[str, ...]:
    return (
        _state(row)[0],
        "" if row.updated is None else _since(now - row.updated),
        one_line(row.agent, 20),
        row.worktree or folder_name(row.cwd, home),
        _called(row),
    )


def _called(row: Row) -> str:
    """Return what waits of it, and its title, below the session that it is of."""
    waits = f"{plural(row.work.hunks, 'hunk')} · " if row.work.hunks else ""
    return f"{'  ' * (row.sub.depth - 1)}{'└ ' if row.sub.depth else ''}{waits}{called(row, 200)}"


def _state(row: Row) -> tuple[str, str]:
    if row.asks:
        return f"? {row.asks} waiting", "AcpWinbarAsk"
    if row.was_open:
        return "◌ was open", "AcpToolPending"
    return _STATES[row.state if row.kind == "open" else row.kind]


def _since(seconds: float) -> str:
    return "now" if seconds < 60 else age(seconds)


def folder_name(path: str, home: str) -> str:
    """Return a folder with its end, which tells it from others."""
    if home and (path == home or path.startswith(f"{home}/")):
        path = f"~{path[len(home) :]}"
    shown = one_line(path, 4_000)
    return shown if len(shown) <= _FOLDER else f"…{shown[1 - _FOLDER :]}"


def _line(
    row: Row, texts: tuple[str, ...], widths: list[int], width_of: Callable[[str], int]
) -> Line:
    groups = (_state(row)[1], "AcpDim", "AcpToolTitle", "AcpToolPath")
    parts = list[tuple[str, str]]()
    for cell, width, group in zip(texts, widths, groups, strict=False):
        parts += ((cell, group), (" " * (width - width_of(cell) + 2), ""))
    return pieces([*parts, (texts[-1], "")])
