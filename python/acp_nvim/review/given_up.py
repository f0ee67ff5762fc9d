"""What there was without an agent's text, once the user has given up their own against it. Pure."""

from __future__ import annotations

from acp_nvim.files.text import having
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.file import File
from acp_nvim.history.line_ends import merge_lines


def without_theirs(conflict: Conflict, ledger: File | None) -> str:
    """Return the text that the agent has written upon: unsaved text that stood against it is given
    up, and what the agent had read, or the file's books have already, is none of its own."""
    before, theirs = conflict.before, conflict.theirs
    text = conflict.base if before is None else having(before, theirs, _read(conflict, ledger))
    was = None if ledger is None else ledger.text
    return text if was is None else having(text, theirs, was)


def _read(conflict: Conflict, ledger: File | None) -> str:
    """Return what the agent had read, without what were agents' lines that are gone by now."""
    gone = {*()} if ledger is None else ledger.gone_of_agents()
    (lines,) = merge_lines(conflict.base)
    return "".join(line for line in lines if line.rstrip("\r\n") not in gone)
