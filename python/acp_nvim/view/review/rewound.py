"""What the user is told after a turn was undone, or redone."""

from __future__ import annotations

from collections.abc import Sequence

from acp_nvim.history.author import Author
from acp_nvim.view.styled import plural

DONE = {"undo": "took back {turn} in {files}", "redo": "{turn} is back in {files}"}
AGAIN = {"undo": ":Acp redo brings it back", "redo": ":Acp undo takes it back"}


def rewound(
    verb: str,
    author: Author | None,
    paths: Sequence[str],
    left: Sequence[tuple[str, int]],
    unsaved: Sequence[str],
    failed: Sequence[str],
) -> str:
    """Return one sentence: what was done, what was left and why, and how to go on.

    `left`: places as path and 0-based row that somebody has changed since.
    """
    turn = "the turn" if author is None else f"turn {author.turn} of {author.agent}"
    parts = []
    if paths:
        parts.append(DONE[verb].format(turn=turn, files=_named(paths)))
    if left:
        path, row = left[0]
        places = f"{path}:{row + 1}" if len(left) == 1 else plural(len(left), "place")
        parts.append(
            f"{places} left as it is: changed since"
            if len(left) == 1
            else f"{places} left as they are, the first {path}:{row + 1}: changed since"
        )
    if unsaved:
        parts.append(f"not saved: {_named(unsaved)}")
    parts += failed
    if paths and not (left or unsaved or failed):
        parts.append(AGAIN[verb])
    return "; ".join(parts) or f"nothing to do for {turn}"


def _named(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else plural(len(paths), "file")
