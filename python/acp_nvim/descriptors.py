"""File descriptors: each connection has a share of its own, and the last ones are the host's.

Terminals and streams hold descriptors for as long as the other side likes. A process has few (256
on macOS), and one that has none left can neither read a file nor start a program, for any agent.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

from acp_nvim.errors import UserError

RESERVED = 64
"""Descriptors that no agent's terminals and streams get."""
SHARES = 4
"""Of what is left beside them each connection gets one such part."""


def limit() -> int:
    """Return how many descriptors the process may have (`ulimit -n`)."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 20 if soft == resource.RLIM_INFINITY else soft


def used() -> int:
    """Return how many it has; 0 where that cannot be told."""
    try:
        return len(os.listdir("/dev/fd"))
    except OSError:
        return 0


class Share:
    """The descriptors that one connection holds."""

    def __init__(self) -> None:
        self.held = 0

    def take(self, count: int) -> None:
        """Count so many to this connection; raises `UserError` where that would be too many."""
        most = limit()
        free = most - RESERVED
        if self.held + count > free // SHARES:
            said = f"{self.held} file descriptors are held for this agent, of {most} (ulimit -n)"
            raise UserError(f"{said}: its terminals or sessions must be closed first")
        if used() + count > free:
            said = f"acp.nvim has nearly all file descriptors in use, of {most} (ulimit -n)"
            raise UserError(f"{said}: terminals or sessions must be closed first")
        self.held += count

    @contextmanager
    def taking(self, count: int) -> Iterator[None]:
        """Take so many, and give them back if what is done within fails; raises as `take`."""
        self.take(count)
        try:
            yield
        except BaseException:
            self.give_back(count)
            raise

    def give_back(self, count: int) -> None:
        """They are closed."""
        self.held -= count
