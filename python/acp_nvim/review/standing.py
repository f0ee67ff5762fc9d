"""What stands of a conflict when the agent goes on with its text, or the user. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from acp_nvim.files.text import apart, reconciled
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.file import File
from acp_nvim.review.given_up import without_theirs


def with_older(conflict: Conflict, older: Conflict | None) -> Conflict:
    """Return a conflict with what the disk held before an older one, which goes on in it. If that
    was only supposed to be an agent's, so is all."""
    if older is None or not (older.on_disk and conflict.on_disk):
        return conflict
    if older.author.how == "found":
        conflict = replace(conflict, author=replace(conflict.author, how="found"))
    return replace(conflict, before=older.before)


def weighed(
    conflict: Conflict, live: str | None, ledger: File | None
) -> Conflict | tuple[str, str | None] | None:
    """Return the conflict as it stands in the live text, None: no file. Else it is over: what is
    counted to its agent then, before and after, None: nothing."""
    if live is None:
        took_away = conflict.on_disk and not conflict.theirs
        return (conflict.base, None) if took_away else conflict
    places = apart(conflict.base, live, conflict.theirs)
    if places:
        return conflict if places == conflict.places else replace(conflict, places=places)
    before = without_theirs(conflict, ledger)
    without, conflicts = reconciled(conflict.theirs, live, before)
    # else the user has gone on in it: it is the user's
    return (without, live) if not conflicts and without != live else None
