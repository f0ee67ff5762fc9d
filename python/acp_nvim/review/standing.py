"""What stands of a conflict when the agent goes on with its text. Pure."""

from __future__ import annotations

from dataclasses import replace

from acp_nvim.files.text import reconciled, with_theirs
from acp_nvim.ledger.conflict import Conflict


def with_older(conflict: Conflict, older: Conflict | None) -> Conflict:
    """Return a conflict with what both had differed on before, from which the agent's text goes
    on."""
    if older is None or not older.on_disk:
        return conflict
    if older.theirs == conflict.base:
        conflict = replace(conflict, base=older.base)
    upon = conflict.theirs if conflict.before is None else conflict.before
    return replace(conflict, before=older.before) if older.theirs == upon else conflict


def rewritten(conflict: Conflict, live: str, theirs: str) -> Conflict | None:
    """Return what stands of a conflict once the disk has another text of the agent's, which has
    been merged into the live text; None: nothing does."""
    base = with_theirs(conflict.theirs, conflict.base, theirs)
    _, places = reconciled(base, live, theirs)
    found = tuple((it.first, it.last) for it in places)
    newer = replace(conflict, base=base, theirs=theirs, places=found, on_disk=True)
    return newer if found else None
