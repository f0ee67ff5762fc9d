"""When drawing pauses, so that what the user does is not kept waiting; a caller knows the clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Pause: TypeAlias = Callable[[], bool]
"""Asked between two lines or entries: whether the rest is for the next time."""


def never() -> bool:
    """Draw all at once."""
    return False
