"""Terminals to log in: `lua/acp/chat/login.lua` opens them, their end comes back as a verb."""

from __future__ import annotations

import anyio

from acp_nvim.editor import LoginProgram
from acp_nvim.nvim.call import Call


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
        argv, env = list(program.argv), dict(program.env)
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
