"""What an agent is told of its files besides the user's words, and what the user sees of that.

Three notes at most: the user's comments, what of its work was rejected or undone, and what has
changed since it last saw it. Pure: `review.notes` says which files, and what they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from acp_nvim.history.comment import Reason, signed
from acp_nvim.hunks import diff, split_lines
from acp_nvim.session.content import Content, Resource, Text
from acp_nvim.session.context import fenced
from acp_nvim.view.diff.change import MIME_TYPE
from acp_nvim.view.diff.unified import body, counts, header
from acp_nvim.view.visible import one_line

Key: TypeAlias = Literal["comments", "rejected", "changed"]

MOST_FILES = 20
"""So many files are shown with what changed in them."""
MOST_NAMES = 100
"""So many more are named; the rest is a number."""
MOST_BYTES = 64 * 1024
"""Of diff in one note."""
MOST_NAME = 500
"""Characters of a path."""
MOST_LINE = 2_000
"""Characters of a line from which on it is no text to read."""

WORDS: Final[dict[Key, str]] = {
    "comments": "The user's comments on these lines of the files as they are now:",
    "rejected": (
        "The user has rejected or undone changes of yours."
        " From the files as you had left them to the files as they are now:"
    ),
    "changed": (
        "These files have changed since you last saw them, and not by you."
        " From what you saw to the files as they are now:"
    ),
}
NAMES: Final[dict[Key, str]] = {
    "comments": "comments.md",
    "rejected": "rejected.diff",
    "changed": "changed-since.diff",
}


class Unreadable(Struct, frozen=True):
    """A file that holds no text any more, or cannot be read."""


Held: TypeAlias = "str | Unreadable | None"
"""What a file holds; None: it is not there."""


class Drift(Struct, frozen=True):
    """A file that is not what the agent takes it for; `name` is relative to its folder."""

    name: str
    before: str | None
    after: Held
    unsaved: bool = False
    """Only the editor has this text: an agent that reads the disk cannot see it."""
    reasons: tuple[Reason, ...] = ()
    """Why the user has rejected what the agent had made of it."""
    known: str | None = None
    """What the agent takes it for, where more has changed than what was rejected from `before`."""


class Note(Struct, frozen=True):
    """One of the things that go along with a prompt; `label` is for the user."""

    key: Key
    label: str
    diff: str
    """Of the files; of comments what they say."""
    reasons: str = ""
    """What the user has said to the diff."""
    size: str = ""
    """How many lines have come and gone, for the user; "" where that cannot be told. Of what was
    rejected they are the agent's, as its edit and the review have counted them."""

    @property
    def text(self) -> str:
        """All that the agent is told."""
        return self._head + self.diff

    @property
    def has_words(self) -> bool:
        """Whether the user has said something in it."""
        return bool(self.reasons) or self.key == "comments"

    def content(self, *, embedded: bool) -> Content:
        """Return the block of a prompt; never a link, for nobody else could read that.

        What the user says is said, not attached.
        """
        if self.key == "comments":
            return Text(self.text)
        if embedded:
            return Resource(f"acp-nvim://{NAMES[self.key]}", self.text, mime_type=MIME_TYPE)
        return Text(self._head + fenced(self.diff, "diff").text)

    @property
    def _head(self) -> str:
        return f"{WORDS[self.key]}\n\n" + (f"{self.reasons}\n\n" if self.reasons else "")


def is_note(text: str) -> bool:
    """Tell whether a text of a prompt is such a note, and not what the user has written."""
    return text.startswith(tuple(WORDS.values()))


def note(key: Key, files: Sequence[Drift]) -> Note | None:
    """Return the note that tells of these files; None if there is nothing to tell."""
    if not files:
        return None
    told, come, gone = _diff(files)
    if key == "rejected":  # the agent's change that was: what the diff takes away had come
        come, gone = gone, come
    size = f"+{come} −{gone}" if come or gone else ""
    return Note(key, f"{key}: {_names(files)}", told, _reasons(files), size)


def _reasons(files: Sequence[Drift]) -> str:
    """Return the user's reasons for what is rejected still."""
    said = ((one_line(file.name, MOST_NAME), it.text) for file in files for it in _standing(file))
    return "\n".join(f"{name}: {text}" for name, text in said)


def _standing(file: Drift) -> Sequence[Reason]:
    """Return the reasons for lines that are in the diff: the others were brought back."""
    if not file.reasons or not isinstance(file.after, str | None):
        return file.reasons
    told = set(signed(file.before, file.after))
    return [it for it in file.reasons if not told.isdisjoint(it.lines)]


def _names(files: Sequence[Drift]) -> str:
    """Return the one name, or how many there are."""
    unsaved = " (unsaved)" if any(file.unsaved for file in files) else ""
    if len(files) > 1:
        return f"{len(files)} files{unsaved}"
    return one_line(files[0].name.rpartition("/")[2], 40) + unsaved


def _diff(files: Sequence[Drift]) -> tuple[str, int, int]:
    """Return what is only named, then the diffs; and how many lines have come and gone in all."""
    names: list[str] = []
    diffs: list[str] = []
    room, more, come, gone = MOST_BYTES, 0, 0, 0
    for file in files:
        if len(names) == MOST_NAMES and len(diffs) == MOST_FILES:
            more += 1
            continue
        told = _told(file)
        come, gone = come + told.come, gone + told.gone
        size = len(told.text.encode("utf-8", "replace"))
        if told.text and size <= room and len(diffs) < MOST_FILES:
            diffs.append(told.text)
            room -= size
        elif len(names) < MOST_NAMES:
            names.append(f"{one_line(file.name, MOST_NAME)}: {told.summary}\n")
        else:
            more += 1
    rest = [f"… and {more} more files\n"] if more else []
    text = "\n".join(part for part in ("".join([*names, *rest]), *diffs) if part)
    return text, come, gone


class _Told(Struct, frozen=True):
    """What an agent is told of one file: its diff, "" where it has none to read, or a summary."""

    text: str
    summary: str
    come: int = 0
    gone: int = 0


def _told(file: Drift) -> _Told:
    if isinstance(file.after, Unreadable):
        return _Told("", "no text any more")
    old = split_lines(file.before or "")
    if file.after is None:
        return _Told("", "deleted", 0, len(old))
    changes = diff(old, split_lines(file.after))
    come, gone = counts(changes)
    if file.known is not None:
        old = split_lines(file.known)
        changes = diff(old, split_lines(file.after))
    unsaved = ", not saved" if file.unsaved else ""
    summary = f"+{come} −{gone} lines{unsaved}: read it again"
    rows = list(body(old, changes)) if come + gone < MOST_BYTES else []
    if not rows or max(map(len, rows)) > MOST_LINE:
        return _Told("", summary, come, gone)
    text = header(file.name, is_new=file.before is None) + "".join(rows)
    name = one_line(file.name, MOST_NAME)
    said = f"{name} is not saved: the editor holds this, the disk does not yet.\n"
    return _Told((said if file.unsaved else "") + text, summary, come, gone)
