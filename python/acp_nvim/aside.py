"""What would hold the loop for long, done in a thread beside it: a cancel gets through meanwhile.

For pure work only. Python gives way every few milliseconds; what stays in C for longer than that,
as a sort or a regular expression may, has to be cut into pieces by who does it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio

T = TypeVar("T")

LARGE = 500_000
"""Characters of a text for which a thread pays."""


async def aside(work: Callable[[], T]) -> T:
    """Return what the work returns, or raise what it raises; whoever is cancelled waits for it."""
    with anyio.CancelScope(shield=True):
        done = await anyio.to_thread.run_sync(work)
    return done


async def aside_if_large(work: Callable[[], T], *texts: str) -> T:
    """Do the same with work on these texts, but at once where they are small."""
    return await aside(work) if sum(map(len, texts)) > LARGE else work()
