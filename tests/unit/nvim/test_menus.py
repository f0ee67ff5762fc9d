"""Menus that could say more: waited for briefly, never lost, always in their order."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio
import pytest

from acp_nvim.nvim import menus
from acp_nvim.nvim.call import Call
from acp_nvim.nvim.menus import NvimMenus
from acp_nvim.view.question.menu import Menu

Better = Callable[[], Awaitable[Menu]]


def menu(ask_id: str = "1", title: str = "plain") -> Menu:
    return Menu(ask_id, title, "", (), (), ())


class Editor:
    """Keeps the calls, as [function, title or id]."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.faults: list[BaseException] = []
        self.changed = anyio.Event()

    async def lua(self, function: str, argument: Any, *_rest: Any) -> Any:
        what = argument["title"] if isinstance(argument, dict) else argument
        self.calls.append([function.removeprefix("acp.ask.menus."), what])
        self.changed.set()
        self.changed = anyio.Event()
        return {"bufnr": 1, "winid": 2}

    async def until(self, count: int) -> list[list[str]]:
        """Wait for so many calls, and return them."""
        with anyio.fail_after(10):
            while len(self.calls) < count:
                await self.changed.wait()
        return self.calls


@asynccontextmanager
async def floats(editor: Editor) -> AsyncIterator[NvimMenus]:
    made = NvimMenus(cast(Call, editor), editor.faults.append)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(made.run)
        yield made
        tasks.cancel_scope.cancel()
    made._send.close()
    made._receive.close()


async def quickly() -> Menu:
    return menu(title="better")


class Slow:
    """A better menu that comes when the test wants it."""

    def __init__(self) -> None:
        self.go = anyio.Event()

    async def __call__(self) -> Menu:
        await self.go.wait()
        return menu(title="better")


async def test_the_better_menu_is_opened_where_it_comes_in_time() -> None:
    editor, announced = Editor(), []
    async with floats(editor) as made:
        made.open(menu(), lambda: announced.append(made.place("1")), quickly)
        await made.settled()
        await made.settled()
    assert editor.calls == [["open_ask", "better"]]
    assert announced == [(1, 2)]


async def test_a_slow_one_is_drawn_when_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(menus, "PATIENCE", 0.001)
    editor, slow, announced = Editor(), Slow(), []
    async with floats(editor) as made:
        made.open(menu(), lambda: announced.append(1), slow)
        await made.settled()
        assert editor.calls == [["open_ask", "plain"]]
        assert announced == [1]
        slow.go.set()
        assert (await editor.until(2))[1] == ["redraw_ask", "better"]


async def test_one_that_fails_is_opened_all_the_same() -> None:
    async def failing() -> Menu:
        raise ValueError

    editor = Editor()
    async with floats(editor) as made:
        made.open(menu(), lambda: None, failing)
        await made.settled()
    assert editor.calls == [["open_ask", "plain"]]
    assert [type(fault) for fault in editor.faults] == [ValueError]


async def test_the_order_of_the_questions_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(menus, "PATIENCE", 0.001)
    editor = Editor()
    async with floats(editor) as made:
        made.open(menu("1", "first"), lambda: None, Slow())
        made.open(menu("2", "second"), lambda: None)
        made.focus("1")
        await made.settled()
    assert editor.calls == [["open_ask", "first"], ["open_ask", "second"], ["focus_ask", "1"]]


async def test_one_that_is_answered_meanwhile_never_opens() -> None:
    editor, slow = Editor(), Slow()
    async with floats(editor) as made:
        made.open(menu(), lambda: None, slow)
        await anyio.lowlevel.checkpoint()
        made.close("1")
        slow.go.set()
        await made.settled()
    assert editor.calls == [["close_ask", "1"]]


async def test_a_late_one_is_not_drawn_once_it_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(menus, "PATIENCE", 0.001)
    editor, slow = Editor(), Slow()
    async with floats(editor) as made:
        made.open(menu(), lambda: None, slow)
        await made.settled()
        made.close("1")
        slow.go.set()
        await anyio.wait_all_tasks_blocked()
        await made.settled()
    assert editor.calls == [["open_ask", "plain"], ["close_ask", "1"]]
