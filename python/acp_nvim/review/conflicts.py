"""What becomes of a conflict as the user goes on with their text, or the agent with its own. Pure,
but for whether a file is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from acp_nvim.files import disk
from acp_nvim.files.text import apart, having, reconciled
from acp_nvim.history.author import Author
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.facts import Wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import fold
from acp_nvim.history.form import Even
from acp_nvim.history.review import changes
from acp_nvim.hunks import split_lines


def with_older(conflict: Conflict, older: Conflict | None) -> Conflict:
    """Return a conflict with what the disk held before an older one, which goes on in it. If that
    was only supposed to be an agent's, so is all."""
    if older is None or not (older.on_disk and conflict.on_disk):
        return conflict
    if older.author.how == "found":
        conflict = replace(conflict, author=replace(conflict.author, how="found"))
    return replace(conflict, before=older.before)


def weighed(
    conflict: Conflict, live: str | None, file: File | None
) -> Conflict | tuple[str, str | None] | None:
    """Return the conflict as it stands in the live text, None: no file. Else it is over: what is
    counted to its agent then, before and after, None: nothing."""
    if live is None:
        took_away = conflict.on_disk and not conflict.theirs
        return (conflict.base, None) if took_away else conflict
    places = apart(conflict.base, live, conflict.theirs)
    if places:
        return conflict if places == conflict.places else replace(conflict, places=places)
    without, conflicts = reconciled(conflict.theirs, live, _without_theirs(conflict, file))
    # else the user has gone on in it: it is the user's
    return (without, live) if not conflicts and without != live else None


def _without_theirs(conflict: Conflict, file: File | None) -> str:
    """Return the text that the agent has written upon: unsaved text that stood against it is given
    up, and what the agent had read, or the file's history has already, is none of its own."""
    before, theirs = conflict.before, conflict.theirs
    text = conflict.base if before is None else having(before, theirs, _read(conflict, file))
    was = None if file is None else file.text
    return text if was is None else having(text, theirs, was)


def _read(conflict: Conflict, file: File | None) -> str:
    """Return what the agent had read, without what were agents' lines that are gone by now."""
    gone = {*()} if file is None else file.gone_of_agents()
    base = Even(conflict.base)
    return base.like(0, [line for line in base.lines[0] if line not in gone])


def is_removal(conflict: Conflict) -> bool:
    """Return whether the agent has removed the file below the user's unsaved text, and no file is
    there by now."""
    is_gone = disk.mode(conflict.path) is None
    return is_gone and conflict.on_disk and bool(conflict.base) and not conflict.theirs


def is_restorable(conflict: Conflict) -> bool:
    """Return whether it is known what the disk held before the agent has removed the file, or
    written over it, below the user's unsaved text."""
    is_there = disk.mode(conflict.path) is not None
    is_known = conflict.on_disk and conflict.before is not None
    return is_known if is_there else is_removal(conflict)


def held(conflict: Conflict) -> str:
    """Return what the disk held. The base is what both started from, as far as that is known: not
    all that was there."""
    return conflict.base if conflict.before is None else conflict.before


def restorable(conflicts: Iterable[Conflict]) -> Iterator[tuple[Author, str]]:
    """Yield who has done so, each with the file."""
    for conflict in filter(is_restorable, conflicts):
        yield conflict.author, conflict.path


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
