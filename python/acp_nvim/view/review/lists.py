"""A review as lists and in sentences: a quickfix list for each turn, the places that motions go to,
what is asked of what was only found, and what is said of an undo."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final, Protocol

from msgspec import Struct

from acp_nvim.history.author import Author
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.view.review.marks import CONFLICT, FileReview, Range, whole_file
from acp_nvim.view.styled import plural
from acp_nvim.view.visible import one_line

FOUND: Final = "found, not named"
"""Says of a change that it was found on disk, and that no tool call has named the file."""
LEAVE: Final = "no, leave them"
TAKE: Final = "yes, undo them"
MOST_NAMES = 3
LIMIT = 60


def doubt(agents: Sequence[str], names: Sequence[str]) -> str:
    """Return the question about the files of these names, which changed while the agents worked."""
    shown = ", ".join(one_line(name, LIMIT) for name in names[:MOST_NAMES])
    more = ", …" if len(names) > MOST_NAMES else ""
    were = "was" if len(names) == 1 else "were"
    who = one_line(agents[0], LIMIT) if len(agents) == 1 else "agents"
    return (
        f"{plural(len(names), 'file')} {were} changed while {who} worked, but no tool call named"
        f" {'it' if len(names) == 1 else 'them'}: {shown}{more}. Undo that as well?"
    )


SUMMARY = 80
PROMPT = 60
NAME = 40
NOTHING_PENDING = "nothing to review: no change of an agent is pending"
NOTHING_DECIDED = {
    "lines": "no hunk here: :Acp review shows them; :Acp {0} file, :Acp {0} all",
    "file": "no hunk in this file: :Acp {0} all decides on all files",
    "all": NOTHING_PENDING,
}
"""By what was to be decided on."""
MOST_LISTS = 5
"""Of the ten quickfix lists that Neovim keeps; older turns share one."""
EARLIER = "acp: earlier turns"


class Conflicted(Protocol):
    """A file in which the user and an agent changed the same places."""

    @property
    def path(self) -> str:
        """The file, resolved."""

    @property
    def author(self) -> Author:
        """Whose text it is that was not taken."""

    @property
    def places(self) -> Sequence[Range]:
        """0-based half-open ranges of lines."""


class QuickfixItem(Struct, frozen=True):
    """One hunk; `first` and `last` are 1-based and inclusive."""

    path: str
    first: int
    last: int
    text: str
    key: str = ""
    """Names the hunk; "" for a conflict."""
    kind: str = ""
    """E, W, I or N as Neovim shows them; "" for none."""


class QuickfixList(Struct, frozen=True):
    """The hunks of one turn; the same `key` is the same list."""

    key: str
    title: str
    items: tuple[QuickfixItem, ...]


def quickfix(
    reviews: Sequence[FileReview], conflicts: Sequence[Conflicted] = ()
) -> tuple[QuickfixList, ...]:
    """Return a list for each turn with pending hunks or conflicts, the oldest first.

    A hunk that several turns have made is in the list of each. Of many turns, the oldest share one.
    """
    authors: dict[str, Author] = {}
    items: dict[str, list[QuickfixItem]] = {}
    for conflict in conflicts:
        key = turn_key(conflict.author)
        authors[key] = conflict.author
        items.setdefault(key, []).extend(_conflicts(conflict))
    shared = _shared(reviews)
    for review in reviews:
        for change in review.pending:
            turns = {turn_key(author): author for author in change.authors}
            authors |= turns
            for key in turns:
                items.setdefault(key, []).append(_item(review, change, key in shared))
    return _merged(
        [
            QuickfixList(key, _title(author), tuple(items[key]))
            for key, author in sorted(authors.items(), key=lambda pair: (pair[1].began, pair[0]))
        ]
    )


def _merged(lists: Sequence[QuickfixList]) -> tuple[QuickfixList, ...]:
    over = len(lists) - MOST_LISTS
    if over <= 0:
        return tuple(lists)
    old, recent = lists[: over + 1], lists[over + 1 :]
    items = tuple(item for each in old for item in each.items)
    return (QuickfixList(EARLIER, EARLIER, items), *recent)


def key_of(path: str, change: ReviewHunk) -> str:
    """Return what names a hunk by what it changes, wherever it stands in the file."""
    text = "\0".join((path, change.form, *change.added, "\0", *change.removed))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def turn_key(author: Author) -> str:
    """Return what names the turn, and only it."""
    return "\0".join(str(part) for part in author.turn_key)


def stops(reviews: Sequence[FileReview]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return the files with pending hunks, and the 0-based row of each hunk."""
    return tuple(
        (review.path, tuple(review.row(change) for change in review.pending))
        for review in reviews
        if review.pending
    )


def announcement(reviews: Sequence[FileReview]) -> str:
    """Return how much there is to review, and what to do."""
    files = [len(review.pending) for review in reviews if review.pending]
    if not files:
        return NOTHING_PENDING
    there = f"{plural(sum(files), 'hunk')} in {plural(len(files), 'file')}"
    return f"{there}: :Acp keep or reject, :Acp review lists them"


def decided(verdict: str, scope: str, done: int, left: int) -> str:
    """Return what became of `keep` or `reject` of `lines`, a `file` or `all`, in hunks."""
    if not done:
        return NOTHING_DECIDED[scope].format(verdict)
    there = f"{left} left" if left else "none is left"
    return f"{'kept' if verdict == 'keep' else 'rejected'} {plural(done, 'hunk')}, {there}"


def summary(change: ReviewHunk) -> str:
    """Return a hunk in one line: how much comes and goes, and the first words of it."""
    found = f"  ({FOUND})" if change.is_found else ""
    if whole := whole_file(change):
        return whole + found
    words = next((line.strip() for line in (*change.added, *change.removed) if line.strip()), "")
    counts = f"+{len(change.added)} −{len(change.removed)}"
    return one_line(f"{counts}  {words}", SUMMARY).rstrip() + found


def _shared(reviews: Sequence[FileReview]) -> frozenset[str]:
    """Return the turns in which sub-agents have a part of what is pending."""
    authors = (it for review in reviews for change in review.pending for it in change.authors)
    return frozenset(turn_key(it) for it in authors if it.sub_agent)


def _item(review: FileReview, change: ReviewHunk, is_shared: bool) -> QuickfixItem:
    first = review.row(change) + 1
    last = max(change.last, first)
    names = dict.fromkeys(it.sub_title or it.sub_name or it.agent for it in change.authors)
    whose = f"{', '.join(one_line(it, NAME) for it in names)}: " if is_shared else ""
    text = whose + summary(change)
    return QuickfixItem(review.path, first, last, text, key_of(review.path, change))


def _conflicts(conflict: Conflicted) -> list[QuickfixItem]:
    return [
        QuickfixItem(conflict.path, first + 1, max(last, first + 1), CONFLICT, kind="E")
        for first, last in conflict.places
    ]


def _title(author: Author) -> str:
    prompt = one_line(author.prompt, PROMPT)
    turn = f"acp: {one_line(author.agent, PROMPT)} turn {author.turn}"
    return f"{turn} · {prompt}" if prompt else turn


TITLE = 60

DONE = {"undo": "undid {turn} in {files}", "redo": "{turn} is back in {files}"}
AGAIN = {"undo": ":Acp redo restores it", "redo": ":Acp undo undoes it"}


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
        parts.append(DONE[verb].format(turn=turn, files=_named_files(paths)))
    if left:
        path, row = left[0]
        places = f"{path}:{row + 1}" if len(left) == 1 else plural(len(left), "place")
        parts.append(
            f"{places} left as it is: changed since"
            if len(left) == 1
            else f"{places} left as they are, the first {path}:{row + 1}: changed since"
        )
    if unsaved:
        parts.append(f"not saved: {_named_files(unsaved)}")
    parts += failed
    if paths and not (left or unsaved or failed):
        parts.append(AGAIN[verb])
    return "; ".join(parts) or f"nothing to do for {turn}"


def whose(author: Author) -> str:
    """Return the turn, and the sub-agent in it, if it is one's."""
    name = one_line(author.sub_title or author.sub_name, TITLE)
    return f"{name} of turn {author.turn}" if name else f"turn {author.turn}"


def _named_files(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else plural(len(paths), "file")
