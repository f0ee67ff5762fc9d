"""What must be true of keep, reject, undo and redo; `machine.py` calls these."""

from __future__ import annotations

from collections.abc import Sequence

from acp_nvim.history.hunk import ReviewHunk
from tests.proof.world import Sight


def without(text: str | None, touched: Sequence[ReviewHunk]) -> list[str]:
    """Return the lines, without their ends, with what stood there before in place of these hunks.

    Whether the last line has an end is not in the hunks; `Machine.pristine` holds that.
    """
    lines = (text or "").splitlines()
    for it in sorted(touched, key=lambda change: change.first, reverse=True):
        lines[it.first : it.last] = [line.rstrip("\r\n") for line in it.removed]
    return lines


def added(touched: Sequence[ReviewHunk]) -> str:
    """Return the lines that these hunks put in."""
    return "".join(line for it in touched for line in it.added)


def removed(touched: Sequence[ReviewHunk]) -> str:
    """Return the lines that these hunks took out."""
    return "".join(line for it in touched for line in it.removed)


def text_of(sight: Sight, name: str) -> str | None:
    """Return the live text; a buffer shows what is no more where its file is gone."""
    shown = sight.shown.get(name)
    if shown is not None and not shown.modified and sight.disk[name] is None:
        return None
    return sight.live(name)


def complaint_of_reject(
    name: str, before: Sight, after: Sight, touched: Sequence[ReviewHunk]
) -> str:
    """Return what is wrong with a file after these hunks of it were rejected, or ""."""
    wanted = without(text_of(before, name), touched)
    now = text_of(after, name)
    if (now or "").splitlines() != wanted:
        return f"{name}: rejected, but not the base there: {now!r}, not {wanted!r}"
    was, shown = before.shown.get(name), after.shown.get(name)
    if was is not None and was.modified:
        if wanted and before.disk[name] != after.disk[name]:
            return f"{name}: saved by the reject"
    elif (after.disk[name] or "") != (now or ""):
        return f"{name}: the disk differs after the reject"
    elif shown is not None and shown.modified:
        return f"{name}: modified by the reject"
    return ""


def complaint_of_others(before: Sight, after: Sight, names: Sequence[str]) -> str:
    """Return what is wrong with files that were not to be touched, or ""."""
    for name in names:
        if before.live(name) != after.live(name) or before.disk[name] != after.disk[name]:
            return f"{name}: changed though not meant"
    return ""
