"""Memory that large texts have taken goes back to the system at once.

The C library learns from the first large text that such blocks come again, and keeps what they have
taken: some files of many megabytes leave a host of hundreds. Loaded by the composition root when
the host has started.
"""

from __future__ import annotations

import ctypes
import sys

_M_MMAP_THRESHOLD = -3
LARGE = 1 << 20
"""Bytes of a block that is given back by itself."""


def give_back_large_blocks() -> bool:
    """Let the C library do so from now on; return whether it can: that of GNU."""
    if sys.platform != "linux":
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(_M_MMAP_THRESHOLD, LARGE))
