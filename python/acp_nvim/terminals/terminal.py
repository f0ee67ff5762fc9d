"""One command on its pty: its output goes to the log, the screen and the session.

Made and kept by `Terminals`.
"""

from __future__ import annotations

from collections.abc import Callable

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from acp_nvim.editor import TerminalScreens
from acp_nvim.session.event import TerminalUpdated
from acp_nvim.session.request import CreateTerminalRequest
from acp_nvim.session.terminal import ExitStatus, command_line, tail
from acp_nvim.terminals.escapes import EscapeFilter
from acp_nvim.terminals.log import TerminalLog
from acp_nvim.transport.pty import Pty

ROWS_COLUMNS = (24, 80)
"""The size of a terminal that is in no window: that of Neovim's own, hidden ones."""
GRACE = 1.0
"""Seconds that a command has to end after TERM."""
DRAIN = 0.5
"""Seconds in which output may still come after the end: something else may hold the terminal."""
MOST_LEFT = 16
"""Pieces that are read when these are over: what the kernel holds is much less."""
PAUSE = 0.1
"""Seconds between two reports to the session."""
MOST_COMMAND, MOST_VARIABLES = 20_000, 4_000
"""Characters of a command and of its variables that are kept to be shown, once it runs."""


class Terminal:
    """A terminal of the agent."""

    def __init__(
        self,
        id: str,
        request: CreateTerminalRequest,
        pty: Pty,
        *,
        turn: anyio.Lock,
        limit: int,
        tell: Callable[[TerminalUpdated], None],
        fault: Callable[[BaseException], None],
    ) -> None:
        self.id = id
        self.session_id = request.session_id
        self.command = _beginning(command_line(request.command, request.args), MOST_COMMAND)
        each = MOST_VARIABLES // max(len(request.env), 1)
        env = tuple((_beginning(it, each), _beginning(value, each)) for it, value in request.env)
        self._cwd, self._env = request.cwd or "", env[:MOST_VARIABLES]
        self.number = 0
        """On the screens, 0: on none."""
        self.log = TerminalLog(limit)
        self.exit: ExitStatus | None = None
        self.released = False
        self._pty = pty
        self._turn = turn
        self._filter = EscapeFilter()
        self._tell = tell
        self._fault = fault
        self._tail = ""
        self._news = anyio.Event()
        self._over = anyio.Event()
        self._screens: TerminalScreens
        self._keys: MemoryObjectSendStream[bytes]
        self._typed: MemoryObjectReceiveStream[bytes]
        self._keys, self._typed = anyio.create_memory_object_stream[bytes](float("inf"))

    def put_on(self, screens: TerminalScreens, name: str) -> None:
        """Show it from now on; the session learns of it."""
        self._screens = screens
        try:
            self.number = screens.open(name, typed=self._type, resized=self._pty.resize)
        except Exception as error:  # the command runs all the same
            self._fault(error)
        told = TerminalUpdated(self.id, self.command, cwd=self._cwd, env=self._env)
        self._tell(told)

    async def run(self) -> None:
        """Serve the command until it has ended; ends it when cancelled."""
        with self._keys, self._typed:
            try:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(self._report)
                    tasks.start_soon(self._send_keys)
                    await self._read()
                    tasks.cancel_scope.cancel()
            finally:
                with anyio.CancelScope(shield=True):
                    if self.exit is None:
                        await self.kill()
                        await self._ended()

    async def wait(self) -> ExitStatus:
        """Return how the command ended, once it has and all its output is here (C-209)."""
        await self._over.wait()
        assert self.exit is not None
        return self.exit

    async def end(self) -> None:
        """End the command and all of its group; one that has ended is fine (C-210, C-211)."""
        await self.kill()
        await self._over.wait()

    async def kill(self) -> None:
        """End all of its group; cannot be cancelled."""
        await self._pty.end(grace=GRACE)

    def _type(self, data: bytes) -> None:
        if self.exit is None:
            self._keys.send_nowait(data)

    async def _send_keys(self) -> None:
        async for data in self._typed:
            await self._pty.send(data)

    async def _read(self) -> None:
        with anyio.CancelScope() as reading:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._hurry_at_exit, reading)
                while data := await self._pty.receive(self._turn):
                    self._take(data)
        if reading.cancelled_caught:  # a busy machine has had no time to read
            self._take_rest()
        await self._ended()

    def _take_rest(self) -> None:
        for _ in range(MOST_LEFT):
            if not (data := self._pty.rest()):
                return
            self._take(data)

    async def _hurry_at_exit(self, reading: anyio.CancelScope) -> None:
        await self._pty.wait()
        reading.deadline = anyio.current_time() + DRAIN

    def _take(self, data: bytes) -> None:
        self._tail = tail(self._tail + self.log.feed(data))
        self._show(self._filter.feed(data))
        self._news.set()

    def _show(self, data: bytes) -> None:
        try:
            if self.number:
                self._screens.write(self.number, data)
        except Exception as error:  # the agent is served all the same
            self._fault(error)

    async def _report(self) -> None:
        while True:
            await self._news.wait()
            self._news = anyio.Event()
            self._tell(TerminalUpdated(self.id, tail=self._tail))
            await anyio.sleep(PAUSE)

    async def _ended(self) -> None:
        ended = await self._pty.wait()
        self._pty.close()
        self._pty.settle()
        self._tail = tail(self._tail + self.log.feed(b"", final=True))
        self.exit = ended
        self._over.set()
        said = f"exit {ended.code}" if ended.signal is None else ended.signal
        line = "" if self._tail.endswith("\n") or not self._tail else "\r\n"
        self._show(f"\x1b[0m{line}[{said}]\r\n".encode())
        self._tell(TerminalUpdated(self.id, tail=self._tail, exit=self.exit))


def _beginning(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
