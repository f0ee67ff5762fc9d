"""Serves an agent of stdio at an address: `python -m tests.fuzz.far http PORT STDERR PROGRAM`.

As small as it can be: one connection, one session, which the agent names in all that it sends.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import PIPE, Process

from websockets.asyncio.server import ServerConnection, serve

LONGEST = 1 << 20
"""Bytes of a line of the agent."""


async def start() -> Process:
    """Start the agent."""
    told = os.open(sys.argv[3], os.O_WRONLY)
    command = [sys.executable, *sys.argv[4:]]
    return await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, stderr=told, limit=LONGEST
    )


async def over_websocket(socket: ServerConnection) -> None:
    """Serve one connection."""
    agent = await start()
    assert agent.stdin and agent.stdout

    async def say() -> None:
        async for line in agent.stdout or ():
            await socket.send(line.decode().rstrip("\n"))

    saying = asyncio.create_task(say())
    async for message in socket:
        agent.stdin.write(message.encode() if isinstance(message, str) else message)
        agent.stdin.write(b"\n")
    saying.cancel()
    agent.kill()


class Http:
    """The agent, behind HTTP."""

    def __init__(self, agent: Process) -> None:
        self._agent = agent
        self._is_opened = asyncio.Event()
        """The agent has answered `session/new`: all that it says from then on is the session's."""

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Serve one connection of TCP."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                if head.startswith(b"POST"):
                    await self._post(head, reader, writer)
                elif head.startswith(b"GET"):
                    await self._events(b"acp-session-id" in head.lower(), writer)
                else:
                    writer.write(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _post(self, head: bytes, reader: StreamReader, writer: StreamWriter) -> None:
        assert self._agent.stdin and self._agent.stdout
        size = int(head.lower().split(b"content-length:")[1].split()[0])
        body = await reader.readexactly(size)
        self._agent.stdin.write(body.strip() + b"\n")
        is_first = json.loads(body).get("method") == "initialize"
        answer = await self._agent.stdout.readline() if is_first else b""
        status = b"200 OK" if is_first else b"202 Accepted"
        fields = b"Acp-Connection-Id: c\r\nContent-Type: application/json"
        writer.write(b"HTTP/1.1 %s\r\n%s\r\n" % (status, fields))
        writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(answer), answer))

    async def _events(self, is_session: bool, writer: StreamWriter) -> None:
        assert self._agent.stdout
        fields = b"Content-Type: text/event-stream\r\nConnection: close"
        writer.write(b"HTTP/1.1 200 OK\r\n%s\r\n\r\n" % fields)
        if not is_session:
            writer.write(b"data: %s\n" % await self._agent.stdout.readline())
            self._is_opened.set()
            return
        await self._is_opened.wait()
        async for line in self._agent.stdout:
            writer.write(b"data: %s\n" % line)
            await writer.drain()


async def main() -> None:
    port = int(sys.argv[2])
    if sys.argv[1] == "http":
        http = Http(await start())
        async with await asyncio.start_server(http.serve, "127.0.0.1", port) as server:
            await server.serve_forever()
    async with serve(over_websocket, "127.0.0.1", port) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
