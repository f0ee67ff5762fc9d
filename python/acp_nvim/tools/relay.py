"""The program that an agent starts as its MCP server: it copies between its own ends and the host.

Standard library only, for it runs as `python -I -S`. It ends when either side does.
"""

import os
import socket
import threading
from contextlib import suppress


def main() -> None:
    """Say who we are, then copy bytes in both directions until one of them ends."""
    host = socket.socket(socket.AF_UNIX)
    host.connect(os.environ["ACP_TOOLS_SOCKET"])
    host.sendall(os.environ["ACP_TOOLS_TOKEN"].encode() + b"\n")
    threading.Thread(target=_to_host, args=(host,), daemon=True).start()
    with suppress(ConnectionError):  # the host has ended, perhaps with something unread
        while data := host.recv(65536):
            while data:
                data = data[os.write(1, data) :]


def _to_host(host: socket.socket) -> None:
    with suppress(ConnectionError):  # the host has ended: what it has said is still handed on
        while data := os.read(0, 65536):
            host.sendall(data)
        os._exit(0)


if __name__ == "__main__":
    try:
        main()
    except (OSError, KeyError):
        os._exit(1)
