"""The window of the questions: drawn at most once a frame, whatever has happened in it.

What it shows is found out when it is drawn, so that a thousand questions, or a tool call that
changes a thousand times, are one small drawing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
from msgspec.structs import asdict

from acp_nvim.nvim.call import Call
from acp_nvim.nvim.plain import op
from acp_nvim.signal import Signal
from acp_nvim.view.block import Line
from acp_nvim.view.op import Replace
from acp_nvim.view.question.menu import Menu

FRAME = 0.033
"""Seconds from one drawing to the next."""


class NvimQuestionWindow:
    """Implements `editor.QuestionWindow` with `lua/acp/ask/window.lua`."""

    def __init__(self, call: Call, fault: Callable[[BaseException], None]) -> None:
        self._call = call
        self._fault = fault
        self._source: Callable[[], Menu | None] | None = None
        """What is to be drawn; None: nothing."""
        self._opened: list[Callable[[], None]] = []
        self._focus: tuple[str, bool] | None = None
        self._shown: Menu | None = None
        self._place: tuple[int, int] | None = None
        self._wake = Signal()
        self._drawn = Signal()
        self._busy = False

    async def run(self) -> None:
        """Draw for ever; the caller's task group ends it."""
        while True:
            await self._wake.wait()
            self._busy = True
            try:
                await self._frame()
            except Exception as error:  # what is drawn next may be right
                self._fault(error)
            finally:
                self._busy = False
                self._drawn.pulse()
            await anyio.sleep(FRAME)

    def draw(
        self, source: Callable[[], Menu | None], opened: Callable[[], None] | None = None
    ) -> None:
        """See `editor.QuestionWindow`."""
        self._source = source
        if opened is not None:
            self._opened.append(opened)
        self._wake.set()

    def focus(self, question_id: str, *, calmly: bool = False) -> None:
        """See `editor.QuestionWindow`."""
        self._focus = question_id, calmly
        self._wake.set()

    async def browse(self, url: str) -> str | None:
        """See `editor.QuestionWindow`."""
        problem = await self._call.lua("acp.ask.form.browse", url)
        return str(problem) if problem else None

    def place(self) -> tuple[int, int] | None:
        """See `editor.QuestionWindow`."""
        return self._place

    def moved(self, buffer: int, window: int) -> None:
        """See `editor.QuestionWindow`."""
        if self._shown is not None:
            self._place = buffer, window

    async def settled(self) -> bool:
        """See `editor.QuestionWindow`."""
        was_settled = True
        while self._source or self._focus or self._busy:
            was_settled = False
            await self._drawn.wait()
        return was_settled

    async def _frame(self) -> None:
        source, self._source = self._source, None
        opened, self._opened = self._opened, []
        try:
            if source is not None:
                await self._show(source)
        finally:
            for announce in opened:
                announce()
        focus, self._focus = self._focus, None
        if focus is not None:
            await self._call.lua("acp.ask.window.focus", *focus)

    async def _show(self, source: Callable[[], Menu | None]) -> None:
        menu = source()
        if menu == self._shown:
            return
        found = await self._call.lua("acp.ask.window.show", menu and _plain(menu))
        self._shown = menu
        self._place = (found["bufnr"], found["winid"]) if menu and found else None


def _plain(menu: Menu) -> dict[str, Any]:
    number, count = menu.position
    return {
        "id": menu.id,
        "seen": menu.seen,
        "title": menu.title,
        "kind": menu.kind,
        "head": _lines(menu.head),
        "notes": _lines(menu.notes),
        "body": _lines(menu.body),
        "changes": _lines(menu.changes),
        "about": _lines(menu.about),
        "options": _lines(menu.options),
        "option_ids": list(menu.option_ids),
        "option_kinds": list(menu.option_kinds),
        "omitted": menu.omitted,
        "comparable": menu.comparable,
        "form": [asdict(row) for row in menu.form],
        "chat": menu.chat,
        "number": number,
        "count": count,
    }


def _lines(lines: tuple[Line, ...]) -> list[Any]:
    """Return texts and marks, as in an op."""
    return op(Replace(0, -1, lines))[2:]
