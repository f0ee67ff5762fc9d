"""Terminal buffers: output in small frames, one call on its way at a time; and those to log in.

A terminal may write faster than an editor can show; then the screen leaves something out and says
how much, and the user's keys still get through (host.md, 5). The log of the service has it all.
Terminals to log in are the editor's own (`lua/acp/chat/login.lua`): their end comes as a verb.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import anyio
from msgspec import Struct, field

from acp_nvim.editor import LoginProgram
from acp_nvim.nvim.call import Call
from acp_nvim.signal import Signal

FRAME = 4_096
"""Bytes of a frame: so few that a key does not wait for it."""
BACKLOG = 32_768
"""Bytes that may wait to be shown."""
WITHOUT_ADDRESS = ("sh", "-c", 'unset NVIM; printf "%s\\n\\n" "$0"; exec "$@"')
"""Neovim tells each job its address; with that the agent could command the editor past the client.
What runs is the first thing that it shows."""


class _Screen(Struct):
    """A terminal buffer, and what it is still to show."""

    name: str
    typed: Callable[[bytes], None]
    resized: Callable[[int, int], None]
    buffer: int | None = None
    waiting: bytearray = field(default_factory=bytearray)
    left_out: int = 0
    """Bytes that were dropped before what waits."""
    wanted: bool = True


class TerminalBuffers:
    """Implements `editor.TerminalScreens` with `lua/acp/chat/terminal.lua`."""

    def __init__(self, call: Call, fault: Callable[[BaseException], None]) -> None:
        self._call = call
        self._fault = fault
        self._screens: dict[int, _Screen] = {}
        self._dirty: deque[int] = deque()
        self._count = 0
        self._wake = Signal()
        self._done = Signal()

    async def run(self) -> None:
        """Show for ever; the caller's task group ends it."""
        while True:
            await self._wake.wait()
            while self._dirty:
                await self._step(self._dirty.popleft())

    def open(
        self, name: str, *, typed: Callable[[bytes], None], resized: Callable[[int, int], None]
    ) -> int:
        """See `editor.TerminalScreens`."""
        self._count += 1
        self._screens[self._count] = _Screen(name, typed, resized)
        self._touch(self._count)
        return self._count

    def write(self, number: int, data: bytes) -> None:
        """See `editor.TerminalScreens`."""
        screen = self._screens.get(number)
        if screen is None:
            return
        screen.waiting += data
        if len(screen.waiting) > BACKLOG:
            _leave_out(screen)
        self._touch(number)

    def forget(self, number: int) -> None:
        """See `editor.TerminalScreens`."""
        if screen := self._screens.get(number):
            screen.wanted = False
            self._touch(number)

    def buffer(self, number: int) -> int | None:
        """See `editor.TerminalScreens`."""
        screen = self._screens.get(number)
        return None if screen is None else screen.buffer

    async def show(self, number: int) -> bool:
        """See `editor.TerminalScreens`."""
        if number not in self._screens:
            return False
        await self.settled()
        return bool(await self._call.lua("acp.chat.terminal.show", number))

    def typed(self, number: int, data: bytes) -> None:
        """See `editor.TerminalScreens`."""
        if screen := self._screens.get(number):
            screen.typed(data)

    def resized(self, number: int, rows: int, columns: int) -> None:
        """See `editor.TerminalScreens`."""
        if screen := self._screens.get(number):
            screen.resized(rows, columns)

    async def settled(self) -> bool:
        """See `editor.TerminalScreens`."""
        was_settled = True
        while any(screen.buffer is None for screen in self._screens.values()):
            was_settled = False
            await self._done.wait()
        return was_settled

    def _touch(self, number: int) -> None:
        if number not in self._dirty:
            self._dirty.append(number)
        self._wake.set()

    async def _step(self, number: int) -> None:
        try:
            if screen := self._screens.get(number):
                await self._frame(number, screen)
        except Exception as error:  # one that cannot be shown must not stop the others
            self._screens.pop(number, None)
            self._fault(error)
        finally:
            self._done.pulse()

    async def _frame(self, number: int, screen: _Screen) -> None:
        """Make the buffer, show the next frame, or let it go; one that is in a window stays."""
        if not screen.wanted and await self._is_gone(number, screen):
            del self._screens[number]
            return
        if screen.buffer is None:
            screen.buffer = await self._call.lua("acp.chat.terminal.open", number, screen.name)
        elif screen.waiting:
            frame = _next_frame(screen)
            if not await self._call.lua("acp.chat.terminal.write", number, frame):
                del self._screens[number]
                return
        if screen.waiting:
            self._touch(number)

    async def _is_gone(self, number: int, screen: _Screen) -> bool:
        is_made = screen.buffer is not None
        return not is_made or bool(await self._call.lua("acp.chat.terminal.forget", number))


def _next_frame(screen: _Screen) -> bytes:
    said = f"\x1b[0m[… {screen.left_out:,} bytes not shown …]\r\n" if screen.left_out else ""
    frame = said.encode() + bytes(screen.waiting[:FRAME])
    del screen.waiting[:FRAME]
    screen.left_out = 0
    return frame


def _leave_out(screen: _Screen) -> None:
    """Keep the newest frame, from the start of a line where there is one."""
    start = len(screen.waiting) - FRAME
    start = screen.waiting.find(b"\n", start) + 1 or start
    screen.left_out += start
    del screen.waiting[:start]


class NvimLoginTerminals:
    """Implements `editor.LoginTerminals`."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._ended: dict[int, anyio.Event] = {}
        self._codes: dict[int, int | None] = {}
        self._count = 0

    async def run(self, title: str, program: LoginProgram) -> int | None:
        """See `editor.LoginTerminals`."""
        self._count += 1
        number, ended = self._count, anyio.Event()
        self._ended[number] = ended
        argv, env = [*WITHOUT_ADDRESS, title, *program.argv], dict(program.env)
        try:
            await self._call.lua("acp.chat.login.open", number, title, argv, env, program.cwd)
            await ended.wait()
        finally:
            del self._ended[number]
            self._call.post("acp.chat.login.close", number)
        return self._codes.pop(number, None)

    def ended(self, number: int, code: int | None) -> None:
        """Take the end of a terminal: its exit code, None when the user closed it."""
        if number in self._ended:
            self._codes[number] = code
            self._ended[number].set()
