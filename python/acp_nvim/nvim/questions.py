"""The window of the questions: drawn at most once a frame, whatever has happened in it.

What it shows is found out when it is drawn, so that a thousand questions, or a tool call that
changes a thousand times, are one small drawing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import anyio
from msgspec import convert, to_builtins
from msgspec.structs import asdict

from acp_nvim.nvim.call import Call
from acp_nvim.nvim.plain import op
from acp_nvim.signal import Signal
from acp_nvim.view.block import Line
from acp_nvim.view.op import Replace
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.question.place import Form, Forms, Look, forms
from acp_nvim.view.question.rows import ALONE, Cells, Row, Rows

FRAME = 0.033
"""Seconds from one drawing to the next."""
ROUNDS = 8
"""So often the editor is asked for widths: of each text that is cut, its parts may be others."""
ONE_ROW = 1_000
"""Cells in which an option is one row."""


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
        self._look: Look | None = None
        """The screen as it was last seen."""
        self._is_seen_anew = False
        self._cells = Cells()
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

    def look(self, look: Look) -> None:
        """See `editor.QuestionWindow`."""
        self._look, self._is_seen_anew = look, True
        self._wake.set()

    async def settled(self) -> bool:
        """See `editor.QuestionWindow`."""
        was_settled = True
        while self._source or self._focus or self._busy or self._is_seen_anew:
            was_settled = False
            await self._drawn.wait()
        return was_settled

    async def _frame(self) -> None:
        source, self._source = self._source, None
        opened, self._opened = self._opened, []
        is_seen_anew, self._is_seen_anew = self._is_seen_anew, False
        try:
            menu = source() if source is not None else self._shown
            if menu != self._shown:
                await self.show(menu)
            elif menu and self._look and is_seen_anew:
                fit = await self._fit(menu, self._look)
                await self._call.lua("acp.ask.window.fit", menu.id, fit)
        finally:
            for announce in opened:
                announce()
        focus, self._focus = self._focus, None
        if focus is not None:
            await self._call.lua("acp.ask.window.focus", *focus)

    async def show(self, menu: Menu | None) -> None:
        """Show it at once, on the screen as it was last seen; on another one it is fitted again."""
        found = None
        if menu is None:
            await self._call.lua("acp.ask.window.show", None)
        else:
            found = await self._shown_as(menu, is_due=False)
            if "look" in found:
                self._look = convert(found["look"], Look)
                found = await self._shown_as(menu, is_due=True)
        self._shown = menu
        self._place = (found["bufnr"], found["winid"]) if found else None

    async def prepare(self, chat: int) -> None:
        """See `editor.QuestionWindow`."""
        self._look = convert(await self._call.lua("acp.ask.place.look", chat), Look)
        self._cells.use(self._look.cells)
        self._cells.of(ALONE)
        await measured(self._call.lua, self._cells)

    async def _shown_as(self, menu: Menu, *, is_due: bool) -> dict[str, Any]:
        fit = await self._fit(menu, self._look) if self._look else {}
        found: dict[str, Any] = await self._call.lua(
            "acp.ask.window.show", _plain(menu, self._cells), fit, is_due
        )
        return found

    async def _fit(self, menu: Menu, look: Look) -> dict[str, Any]:
        """Return its forms, as wide as the editor says that texts are."""
        self._cells.use(look.cells)
        for _ in range(ROUNDS):
            found = forms(menu, self._cells, look)
            if not await measured(self._call.lua, self._cells):
                break
        return _plain_forms(found, look)


async def measured(lua: Callable[..., Awaitable[Any]], cells: Cells) -> bool:
    """Ask the editor how wide texts are that were guessed; return whether there were any."""
    texts = list(cells.missing)
    cells.missing.clear()
    if texts:
        found = await lua("acp.ui.cells.measure", texts)
        for text, (clusters, widths) in zip(texts, found, strict=True):
            cells.learn(text, zip(clusters, widths, strict=True))
    return bool(texts)


def _plain(menu: Menu, cells: Cells) -> dict[str, Any]:
    number, count = menu.position
    first = len(menu.body)
    return {
        "id": menu.id,
        "seen": menu.seen,
        "title": menu.title,
        "kind": menu.kind,
        "subject": menu.subject,
        "first": first,
        "choices": _drawn(Rows(cells, ONE_ROW).of(menu.options, first)),
        "option_ids": list(menu.option_ids),
        "option_kinds": list(menu.option_kinds),
        "comparable": menu.comparable,
        "form": [asdict(row) for row in menu.form],
        "chat": menu.chat,
        "number": number,
        "count": count,
    }


def _plain_forms(made: Forms, look: Look) -> dict[str, Any]:
    shapes = {name: _plain_form(getattr(made, name)) for name in ("outside", "inside", "folded")}
    clear = {} if made.clear is None else {"clear": asdict(made.clear)}
    return {"look": to_builtins(look), **clear, **shapes}


def _plain_form(form: Form) -> dict[str, Any]:
    shape = {"row": form.row, "col": form.column, "width": form.width, "height": form.height}
    words = {"title": form.title, "footers": list(form.footers), "bar": form.bar}
    return {"shape": shape, **words, **_drawn(form.rows)}


def _drawn(rows: Sequence[Row]) -> dict[str, Any]:
    """Return an op, and what <CR> acts on in each row."""
    lines = tuple(Line(row.text, row.marks) for row in rows)
    return {"op": op(Replace(0, -1, lines)), "items": [row.item for row in rows]}
