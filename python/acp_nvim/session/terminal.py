"""A terminal as a session remembers it: what ran, the end of its output, how it ended.

Values only; anyone may import this module. The whole output is the service's, or the agent's.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from acp_nvim.session.stored import Stored

TAIL = 32_768
"""Characters of output that a session keeps of each terminal."""


class ExitStatus(Stored, frozen=True):
    """How a command ended: by itself with a code, or by a signal (its name, as "SIGTERM")."""

    code: int | None = None
    signal: str | None = None


class Terminal(Stored, frozen=True):
    """A terminal of this client, or one that the agent owns and tells of (C-170)."""

    id: str
    command: str = ""
    tail: str = ""
    """The end of its output as it came, escape sequences and all."""
    exit: ExitStatus | None = None
    cancellable: bool = False
    """The agent that owns it lets it be cancelled."""
    cwd: str = ""
    """Where it runs; "" as long as nobody says so."""
    size: tuple[int, int] | None = None
    """Columns and rows for which it writes."""
    env: tuple[tuple[str, str], ...] = ()
    """Variables that the agent has set for it."""


def command_line(command: str, args: Sequence[str]) -> str:
    """Return a program and its arguments as the shell would take them; a line alone is as it is."""
    return shlex.join((command, *args)) if args else command


def tail(text: str, most: int = TAIL) -> str:
    """Return the end of the text, from the start of a line where there is one."""
    if len(text) <= most:
        return text
    kept = text[-most:]
    _, newline, rest = kept.partition("\n")
    return rest if newline and rest else kept
