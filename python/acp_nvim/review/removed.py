"""Files that an agent has removed below the user's unsaved text, which stays in its buffer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acp_nvim.files import disk
from acp_nvim.ledger.conflict import Conflict
from acp_nvim.ledger.delta import TurnKey


def is_removal(conflict: Conflict) -> bool:
    """Return whether the agent has removed the file, and no file is there by now."""
    is_gone = disk.mode(conflict.path) is None
    return is_gone and conflict.on_disk and bool(conflict.base) and not conflict.theirs


def removals(conflicts: Iterable[Conflict]) -> Iterator[tuple[TurnKey, str]]:
    """Yield the turns that have removed a file so, each with the file."""
    for conflict in filter(is_removal, conflicts):
        yield conflict.author.turn_key, conflict.path
