"""Answers to tools: `lua/acp/tools/ask.lua`, which sends them back as a verb."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

import anyio

from acp_nvim.editor import ToolAnswers
from acp_nvim.errors import EditorError
from acp_nvim.nvim.call import Call


class NvimToolAnswers(ToolAnswers):
    """Asks Lua, and waits for the verb."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._numbers = count(1)
        self._waiting: dict[int, anyio.Event] = {}
        self._answers: dict[int, tuple[str | None, Any]] = {}

    async def ask(self, question: str, arguments: Mapping[str, Any]) -> Any:
        """See `ToolAnswers`."""
        number, answered = next(self._numbers), anyio.Event()
        self._waiting[number] = answered
        try:
            await self._call.lua("acp.tools.ask.start", number, question, dict(arguments))
            await answered.wait()
        except anyio.get_cancelled_exc_class():
            self._call.post("acp.tools.ask.cancel", number)
            raise
        finally:
            del self._waiting[number]
        error, result = self._answers.pop(number)
        if error is not None:
            raise EditorError(error)
        return result

    def answered(self, number: int, error: str | None, result: Any) -> None:
        """See `ToolAnswers`."""
        if number in self._waiting:
            self._answers[number] = error, result
            self._waiting[number].set()
