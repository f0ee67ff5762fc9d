"""What agents have changed, as plain data for `inspect()` (`:help acp-inspect`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acp_nvim.history.hunk import ReviewHunk


def edits_snapshot(path: str, changes: Sequence[ReviewHunk]) -> list[dict[str, Any]]:
    """Return one table for each turn that has hunks in the file, and each sub-agent in it, the
    oldest first.

    A hunk that several turns have made is the last one's. `first` and `last` are 1-based and
    inclusive; where lines are only gone, `first` is the line below them and `last` the one above.
    """
    found: dict[tuple[float, str, int, str], list[ReviewHunk]] = {}
    for change in changes:
        author = change.authors[-1]
        key = author.began, author.session, author.turn, author.sub_name
        found.setdefault(key, []).append(change)
    return [
        {
            "session": session,
            "turn": turn,
            "path": path,
            "hunks": [_hunk(it) for it in sorted(hunks, key=lambda it: it.first)],
        }
        | ({"sub_agent": name} if name else {})
        for (_, session, turn, name), hunks in sorted(found.items())
    ]


def _hunk(change: ReviewHunk) -> dict[str, Any]:
    form = {"form": change.form} if change.form else {}
    return form | {
        "first": change.first + 1,
        "last": change.last,
        "added": len(change.added),
        "removed": len(change.removed),
        "state": change.state,
    }
