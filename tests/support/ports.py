"""A port of this machine that is ours, whether or not anybody listens there.

A port that was found free and let go is soon somebody else's: tests run beside each other.

    with reserved() as port:
        ...  # nobody listens; a server of ours may, as SO_REUSEADDR is set, and stop, and come back
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reserved() -> Iterator[int]:
    """Yield a port of 127.0.0.1 that the system gives to nobody else meanwhile."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield int(held.getsockname()[1])
