"""The menus of questions: a queue of calls, carried out one after the other.

A menu that could say more is waited for in the queue, so that the order of the menus is that of the
questions; what takes too long comes as a redraw.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any, TypeAlias

import anyio
from anyio.abc import TaskGroup

from acp_nvim.errors import EditorError
from acp_nvim.nvim.call import Call
from acp_nvim.nvim.plain import op
from acp_nvim.view.block import Line
from acp_nvim.view.op import Replace
from acp_nvim.view.question.menu import Menu

_Job: TypeAlias = Callable[[], Awaitable[None]]
Better: TypeAlias = Callable[[], Awaitable[Menu]]

PATIENCE = 0.3
"""Seconds that a menu is kept back for what it could show besides."""


class NvimMenus:
    """Implements `editor.Menus` with `lua/acp/ask.lua`."""

    def __init__(self, call: Call, fault: Callable[[BaseException], None]) -> None:
        self._call = call
        self._fault = fault
        self._places: dict[str, tuple[int, int]] = {}
        self._open: set[str] = set()
        self._send, self._receive = anyio.create_memory_object_stream[_Job](float("inf"))
        self._tasks: TaskGroup

    async def run(self) -> None:
        """Carry out the calls for ever; the caller's task group ends it."""
        async with anyio.create_task_group() as self._tasks:
            async for job in self._receive:
                try:
                    await job()
                except EditorError as error:
                    self._fault(error)

    def open(self, view: Menu, announce: Callable[[], None], better: Better | None = None) -> None:
        """See `editor.Menus`."""
        self._open.add(view.id)

        async def job() -> None:
            if view.id not in self._open:
                return  # answered before it could be shown
            shown = view if better is None else await self._best(view, better)
            if view.id not in self._open:
                return
            place = await self._call.lua("acp.ask.menus.open_ask", _plain(shown))
            if view.id in self._open:
                self._places[view.id] = (place["bufnr"], place["winid"])
            announce()

        self._send.send_nowait(job)

    async def _best(self, view: Menu, better: Better) -> Menu:
        """Return the better menu if it comes soon; else it is drawn when it comes."""
        found: list[Menu] = []
        over, late = anyio.Event(), False

        async def look() -> None:
            try:
                found.append(await better())
            except Exception as error:  # the question must be asked all the same
                self._fault(error)
            over.set()
            if late and found:
                self.redraw(found[0])

        self._tasks.start_soon(look)
        with anyio.move_on_after(PATIENCE):
            await over.wait()
        late = not over.is_set()
        return found[0] if found else view

    def redraw(self, view: Menu) -> None:
        """See `editor.Menus`."""

        async def job() -> None:
            if view.id in self._open:
                await self._call.lua("acp.ask.menus.redraw_ask", _plain(view))

        self._send.send_nowait(job)

    async def browse(self, url: str) -> str | None:
        """See `editor.Menus`."""
        problem = await self._call.lua("acp.ask.form.browse", url)
        return str(problem) if problem else None

    def close(self, question_id: str) -> None:
        """See `editor.Menus`."""
        self._open.discard(question_id)
        self._places.pop(question_id, None)

        async def job() -> None:
            await self._call.lua("acp.ask.menus.close_ask", question_id)

        self._send.send_nowait(job)

    def focus(self, question_id: str, *, calmly: bool = False) -> None:
        """See `editor.Menus`."""

        async def job() -> None:
            await self._call.lua("acp.ask.menus.focus_ask", question_id, calmly)

        self._send.send_nowait(job)

    def place(self, question_id: str) -> tuple[int, int] | None:
        """See `editor.Menus`."""
        return self._places.get(question_id)

    def moved(self, question_id: str, buffer: int, window: int) -> None:
        """See `editor.Menus`."""
        if question_id in self._open:
            self._places[question_id] = (buffer, window)

    async def settled(self) -> None:
        """See `editor.Menus`."""
        done = anyio.Event()

        async def job() -> None:
            done.set()

        self._send.send_nowait(job)
        await done.wait()


def _plain(view: Menu) -> dict[str, Any]:
    return {
        "id": view.id,
        "chat": view.chat,
        "title": view.title,
        "footer": view.footer,
        "ops": [op(Replace(0, -1, view.lines))],
        "option_rows": list(view.option_rows),
        "options": list(view.option_ids),
        "detail_ops": _detail(view.detail),
        "detail_filetype": view.detail_filetype,
        "comparable": view.comparable,
        "form": [asdict(row) for row in view.form],
    }


def _detail(lines: tuple[Line, ...]) -> list[list[Any]]:
    return [op(Replace(0, -1, lines))] if lines else []
