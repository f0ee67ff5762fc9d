"""What an agent is only supposed to have done: the words for it, and the question about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

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
