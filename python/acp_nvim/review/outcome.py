"""What an act of the user's on agents' changes makes of files, and what it cannot take back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.files.live import LiveFile
from acp_nvim.history.author import Author, DoerKey, SessionKey
from acp_nvim.history.change import saw
from acp_nvim.history.file import File, Turned
from acp_nvim.history.fold import had
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.history.review import changes, keep

MOST_TURNS: Final = 100
"""Turns of which it is known what of theirs is lost, and files of these that are named."""
NAMED: Final = 3


class Acted(Struct, frozen=True):
    """What an act has made of a file; `live`: the file as it was before, if it was changed."""

    path: str
    turned: Turned
    live: LiveFile | None = None
    saves: bool = False
    """It is saved, for what is not is nothing of the user's."""

    @property
    def is_unsaved(self) -> bool:
        """Whether the file had unsaved edits, so that it was not saved."""
        buffer = None if self.live is None else self.live.buffer
        return buffer is not None and buffer.modified and not self.saves


Turning: TypeAlias = Callable[[File, range | None], Turned]
"""What makes another file of one, in these rows."""


def not_removed(turned: Turned, before: File, live: LiveFile, at: float) -> Turned:
    """Return what is to be made of a modified buffer, `before`, the file of which would go, and has
    on the disk what stands against it: that stays, and the buffer is empty."""
    if turned.file is before or turned.file.text is not None:
        return turned
    if live.exact == "" and not any(it.added or it.whole for it in changes(before)):
        return Turned(before)
    return replace(turned, file=keep(saw(turned.file, "", at)).file)


def leaving(live: LiveFile, file: File) -> File:
    """Return the history with how the file is on disk if it goes, for when it comes back."""
    if file.text is not None or live.exact is None:
        return file
    return had(file, replace(file.attributes, mode=live.attributes.mode, given=0))


def sessions_of(before: Iterable[ReviewHunk], after: Iterable[ReviewHunk]) -> frozenset[SessionKey]:
    """Return whose hunks are no longer as they were."""
    hunks = Counter(replace(it, first=0) for it in before)
    hunks.subtract(replace(it, first=0) for it in after)
    return frozenset((it.agent, it.session) for hunk in +hunks for it in hunk.authors)


def missing(path: str) -> str:
    """Return what the user is told of a file that stays gone."""
    return f"{path} is gone: moved or deleted since"


class Undone(Struct, frozen=True):
    """What became of an undo or a redo."""

    author: Author | None
    paths: tuple[str, ...] = ()
    """Files that were changed."""
    left: tuple[tuple[str, int], ...] = ()
    """Places, as path and 0-based row, that somebody has changed since: they stay as they are."""
    unsaved: tuple[str, ...] = ()
    """Files that had unsaved edits, so that they were not saved."""
    failed: tuple[str, ...] = ()
    """What could not be done, in sentences."""
    stuck: tuple[str, ...] = ()
    """Files that could not be changed: what is in their way may be only `found`."""
    found: tuple[str, ...] = ()
    """Files in which something stays that the agent is only supposed to have done."""
    batch: str = ""
    """What names an undo."""


def all_of(author: Author, done: Sequence[Acted], failed: Mapping[str, str]) -> Undone:
    """Return what became of all files; `failed`: why, by those that could not be changed."""
    changed = [it for it in done if it.live is not None and it.turned.count]
    return Undone(
        author,
        tuple(it.path for it in changed),
        tuple((it.path, row) for it in done for row in it.turned.left),
        tuple(it.path for it in changed if it.is_unsaved),
        (*failed.values(), *(missing(it.path) for it in done if it.turned.missing)),
        tuple(failed),
        tuple(it.path for it in done if it.turned.doubtful),
    )


def together(sure: Undone, rest: Undone) -> Undone:
    """Return what became of an undo of what was sure and then of the rest, by which what was stuck
    was tried again."""
    again = {*sure.found, *sure.stuck}
    left = (*(it for it in sure.left if it[0] not in again), *rest.left)
    failed = dict.fromkeys((*rest.failed, *sure.failed[len(sure.stuck) :]))
    return replace(
        rest,
        paths=tuple(sorted({*sure.paths, *rest.paths})),
        left=left,
        unsaved=tuple(sorted({*sure.unsaved, *rest.unsaved})),
        failed=tuple(failed),
    )


class Lost:
    """Files that were changed, and of which nobody knows what they held, or that hold no text now,
    by who did so, and why.

    Known as long as the host runs; the chat has told it when it was found.
    """

    def __init__(self) -> None:
        self._paths: dict[DoerKey, tuple[Author, dict[str, str]]] = {}

    def note(self, author: Author, paths: Iterable[str], reason: str = "") -> None:
        """Take note of files that the author has changed in that turn."""
        _, known = self._paths.setdefault(author.doer_key, (author, {}))
        known.update(dict.fromkeys(paths, reason))
        while len(self._paths) > MOST_TURNS:
            del self._paths[next(iter(self._paths))]

    def of(self, is_meant: Callable[[Author], bool]) -> dict[str, str]:
        """Return those of these authors, each with the reason."""
        found = (changed for author, changed in self._paths.values() if is_meant(author))
        return {path: why for changed in found for path, why in changed.items()}


def unrecoverable(lost: Mapping[str, str]) -> tuple[str, ...]:
    """Return the sentence that names these files, each with the reason; none if there are none."""
    if not lost:
        return ()
    named = [f"{path} ({why})" if why else path for path, why in [*lost.items()][:NAMED]]
    more = f" and {len(lost) - NAMED} more" if len(lost) > NAMED else ""
    return (f"cannot be undone: {', '.join(named)}{more}",)
