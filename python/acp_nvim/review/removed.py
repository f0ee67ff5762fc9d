"""Files that an agent has removed below text of the user's, which stays in its buffer, unsaved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acp_nvim.files import disk
from acp_nvim.history.author import TurnKey
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.facts import Wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import fold
from acp_nvim.history.review import changes
from acp_nvim.hunks import split_lines


def is_removal(conflict: Conflict) -> bool:
    """Return whether the agent has removed the file, and no file is there by now."""
    is_gone = disk.mode(conflict.path) is None
    return is_gone and conflict.on_disk and bool(conflict.base) and not conflict.theirs


def removals(conflicts: Iterable[Conflict]) -> Iterator[tuple[TurnKey, str]]:
    """Yield the turns that have removed a file so, each with the file."""
    for conflict in filter(is_removal, conflicts):
        yield conflict.author.turn_key, conflict.path


def gone_on(path: str, file: File, text: str) -> Conflict | None:
    """Return what stands against the text of a buffer in which the user goes on though an agent has
    removed its file, as it would if that text had been unsaved before; None: nothing does."""
    if file.is_there or not any(it.whole for it in changes(file)) or disk.mode(path) is not None:
        return None
    at = max(at for at, fact in enumerate(file.facts) if isinstance(fact, Wrote))
    removal, before = file.facts[at], fold(file.facts[:at]).text
    assert isinstance(removal, Wrote)
    whole = (0, len(split_lines(text)))
    mode = file.attributes.mode
    if not before:
        return None
    return Conflict(path, removal.author, before, "", (whole,), True, before, mode)
