"""What stands of a conflict when the agent goes on with its text, or the user. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from acp_nvim.files.text import apart, reconciled, with_theirs
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.file import File
from acp_nvim.review.given_up import without_theirs


def with_older(conflict: Conflict, older: Conflict | None) -> Conflict:
    """Return a conflict with what both had differed on before, from which the agent's text goes
    on. If that was only supposed to be an agent's, so is all."""
    if older is None or not older.on_disk:
        return conflict
    is_again = older.theirs == conflict.theirs
    upon = conflict.theirs if conflict.before is None else conflict.before
    goes_on = older.theirs in (conflict.base, upon) or older.before == conflict.before
    if older.author.how == "found" and (is_again or goes_on):
        conflict = replace(conflict, author=replace(conflict.author, how="found"))
    if is_again:
        return replace(conflict, base=older.base, before=older.before)
    if older.theirs == conflict.base:
        conflict = replace(conflict, base=older.base)
    return replace(conflict, before=older.before) if older.theirs == upon else conflict


def rewritten(conflict: Conflict, live: str, theirs: str) -> Conflict | None:
    """Return what stands of a conflict once the disk has another text of the agent's, which has
    been merged into the live text; None: nothing does."""
    base = with_theirs(conflict.theirs, conflict.base, theirs)
    _, places = reconciled(base, live, theirs)
    found = tuple((it.first, it.last) for it in places)
    newer = replace(conflict, base=base, theirs=theirs, places=found, on_disk=True)
    return newer if found else None


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
