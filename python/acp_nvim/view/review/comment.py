"""The user's comments as an agent is told of them, below their lines, and as a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from acp_nvim.history.comment import Comment
from acp_nvim.view.review.fit import BAR
from acp_nvim.view.review.lists import QuickfixItem
from acp_nvim.view.review.marks import LinesMark, Mark
from acp_nvim.view.review.note import MOST_NAME, Note
from acp_nvim.view.styled import plural
from acp_nvim.view.visible import one_line, visible

MOST_QUOTED = 20
"""So many of the lines that a comment is about are told with it; the agent can read the file."""
MOST_LINE = 500
"""Characters of such a line."""
SUMMARY = 80
GONE = "these lines are gone"


def comments_note(comments: Sequence[Comment], named: Callable[[str], str]) -> Note | None:
    """Return what tells of them, files as the agent is told of them; None without any."""
    if not comments:
        return None
    text = "\n\n".join(_told(it, named(it.path)) for it in comments)
    size = plural(sum(max(it.last - it.first, 1) for it in comments), "line")
    return Note("comments", f"commented: {_files(comments)}", text + "\n", size=size)


def _files(comments: Sequence[Comment]) -> str:
    """Return the name of the one file, or how many there are."""
    first, *others = {it.path for it in comments}
    return plural(1 + len(others), "file") if others else one_line(first.rpartition("/")[2], 40)


def comment_marks(comments: Sequence[Comment], count: int) -> tuple[Mark, ...]:
    """Return how they are shown in a buffer of so many lines."""
    return tuple(
        LinesMark(max(min(it.last, count) - 1, 0), above=False, lines=_shown(it)) for it in comments
    )


def comment_items(comments: Sequence[Comment]) -> tuple[QuickfixItem, ...]:
    """Return an entry for each."""
    return tuple(
        QuickfixItem(it.path, it.first + 1, max(it.last, it.first + 1), one_line(it.text, SUMMARY))
        for it in comments
    )


def _told(comment: Comment, name: str) -> str:
    quoted = [f"> {line[:MOST_LINE]}" for line in comment.lines[:MOST_QUOTED]]
    if len(comment.lines) > MOST_QUOTED:
        quoted.append("> …")
    return "\n".join((_place(comment, one_line(name, MOST_NAME)), *quoted, comment.text))


def _place(comment: Comment, name: str) -> str:
    first = comment.first + 1
    if comment.is_gone:
        return f"{name}:{first} ({GONE})"
    return f"{name}:{first}" if comment.last == first else f"{name}:{first}-{comment.last}"


def _shown(comment: Comment) -> tuple[tuple[tuple[str, str], ...], ...]:
    size = comment.last - comment.first
    about = f"({GONE}) " if comment.is_gone else f"({size} lines) " if size > 1 else ""
    lines = (about + comment.text).split("\n")
    return tuple(((BAR + visible(line), "AcpComment"),) for line in lines)
