"""The process of an agent that a test plays: hands bytes on, between stdio and a socket.

    python -P -S relay.py SOCKET

First it tells the socket its process id, as a line. It ends when stdin or the socket does. Standard
library only.
"""

from __future__ import annotations

import os
import selectors
import socket
import sys

CHUNK = 1 << 16


def main(path: str) -> None:
    """Hand on until one side ends."""
    with socket.socket(socket.AF_UNIX) as link, selectors.DefaultSelector() as selector:
        link.connect(path)
        link.sendall(b"%d\n" % os.getpid())
        selector.register(0, selectors.EVENT_READ)
        selector.register(link, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                data = os.read(key.fd, CHUNK)
                if not data:
                    return
                if key.fd == 0:
                    link.sendall(data)
                else:
                    _write(data)


def _write(data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(1, left) :]


if __name__ == "__main__":
    main(sys.argv[1])
