"""`python -m acp_tutor`: the tutor on stdin and stdout, until its input ends."""

from __future__ import annotations

import asyncio
import os
import sys

from acp_nvim.wire.message import Noise
from acp_tutor.agent import Agent
from acp_tutor.connection import Connection

CHUNK_SECONDS = 0.025


class Output:
    """Writes to stdout and forgets the rest when nobody reads it: end of input follows soon."""

    def __init__(self) -> None:
        self._open = True

    def write(self, data: bytes) -> None:
        """Write all of it; waits for a slow reader, as there is nothing better to do."""
        while data and self._open:
            try:
                data = data[os.write(1, data) :]
            except BrokenPipeError:
                self._open = False


async def serve(delay: float) -> None:
    """Answer until the input ends; then stop every turn."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer
    )
    connection = Connection(Output().write)
    async with asyncio.TaskGroup() as turns:
        agent = Agent(connection, turns.create_task, delay)
        while data := await reader.read(65536):
            for call in connection.feed(data):
                if isinstance(call, Noise):
                    print(f"tutor: ignored, {call.reason}: {call.text}", file=sys.stderr)
                else:
                    agent.receive(call)
        agent.stop()
    transport.close()


def main() -> int:
    """Return the exit code: 0, or 2 for a person who has started it by hand."""
    if sys.stdin.isatty():
        print("The tutor is an ACP agent: start it in Neovim with :Acp tutor", file=sys.stderr)
        return 2
    asyncio.run(serve(float(os.environ.get("ACP_TUTOR_DELAY", CHUNK_SECONDS))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
