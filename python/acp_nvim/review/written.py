"""Who wrote a line: what put it there, else what took lines out above it."""

from __future__ import annotations

from acp_nvim.history.facts import Wrote
from acp_nvim.review.log import EditLog
from acp_nvim.view.styled import plural


def written_by(log: EditLog, path: str, row: int) -> tuple[Wrote, str] | None:
    """Return what an agent has done at the 0-based row, and what became of it; None: nothing."""
    pending = log.changes(path)
    delta = log.origin(path, row)
    if delta is not None:
        waits = any(row in range(it.first, it.last) for it in pending)
        return delta, "pending" if waits else "kept"
    for change in (*pending, *log.changes(path, "kept")):
        if change.first == row and not change.added and (gone := log.remover(path, change)):
            what = change.form or f"removed {plural(len(change.removed), 'line')} above"
            return gone, f"{change.state} · {what}"
    return None
