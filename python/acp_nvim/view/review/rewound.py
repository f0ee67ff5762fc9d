"""What the user is told after a turn was undone, or redone."""

from __future__ import annotations

from collections.abc import Sequence

from acp_nvim.history.author import Author
from acp_nvim.view.styled import plural
from acp_nvim.view.visible import one_line

TITLE = 60

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
    turn = "the turn" if author is None else f"{whose(author)} of {author.agent}"
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


def whose(author: Author) -> str:
    """Return the turn, and the sub-agent in it, if it is one's."""
    name = one_line(author.sub_title or author.sub_name, TITLE)
    return f"{name} of turn {author.turn}" if name else f"turn {author.turn}"


def _named(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else plural(len(paths), "file")
