"""What would hold the loop for long, done in a thread beside it: a cancel gets through meanwhile.

For pure work only. Python gives way every few milliseconds; what stays in C for longer than that,
as a sort or a regular expression may, has to be cut into pieces by who does it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio

T = TypeVar("T")


async def aside(work: Callable[[], T]) -> T:
    """Return what the work returns, or raise what it raises; whoever is cancelled waits for it."""
    with anyio.CancelScope(shield=True):
        done = await anyio.to_thread.run_sync(work)
    return done
