"""The window of the questions: one small drawing a frame, of what is asked by then."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio
from msgspec import convert

from acp_nvim.errors import EditorError
from acp_nvim.nvim.call import Call
from acp_nvim.nvim.questions import NvimQuestionWindow
from acp_nvim.view.block import Line
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.question.place import Look


def menu(ask_id: str = "1", title: str = "plain") -> Menu:
    return Menu(ask_id, "s", title, "permission", (Line("head"),), (), ())


class Editor:
    """Keeps the calls, as [function, title or what it was called with]."""

    def __init__(self) -> None:
        self.calls: list[list[Any]] = []
        self.faults: list[BaseException] = []
        self.refuses = False

    async def lua(self, function: str, argument: Any, *_rest: Any) -> Any:
        what = argument["title"] if isinstance(argument, dict) else argument
        self.calls.append([function.removeprefix("acp.ask.window."), what])
        if self.refuses:
            raise EditorError("no")
        return {"bufnr": 1, "winid": 2} if what else None


SCREEN = {"row": 0, "column": 0, "width": 80, "height": 24}
LOOK = {"screen": SCREEN, "way": "<Tab>", "cells": "single"}


class Screen(Editor):
    """Has the screen of `look`: what was fitted into another one is not shown."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[str, Any] = LOOK
        self.drawn: list[Any] = []

    async def lua(self, function: str, argument: Any, *rest: Any) -> Any:
        if function == "acp.ui.cells.measure":
            self.calls.append(["measure", len(argument)])
            return [[list(text), [1] * len(text)] for text in argument]
        if function == "acp.ask.place.look":
            self.calls.append(["look", argument])
            return self.seen
        found = await super().lua(function, argument, *rest)
        fit, *due = rest or ({},)
        if function == "acp.ask.window.show" and due != [True] and fit.get("look") != self.seen:
            return {"look": self.seen}
        self.drawn.append(fit)
        return found


@asynccontextmanager
async def window(editor: Editor) -> AsyncIterator[NvimQuestionWindow]:
    made = NvimQuestionWindow(cast(Call, editor), editor.faults.append)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(made.run)
        yield made
        tasks.cancel_scope.cancel()


async def settled(made: NvimQuestionWindow) -> None:
    with anyio.fail_after(40):
        await made.settled()


async def test_a_thousand_drawings_are_one() -> None:
    editor, announced = Editor(), []
    async with window(editor) as made:
        for number in range(1000):
            opened = (lambda: announced.append(made.place())) if number == 7 else None
            made.draw(lambda number=number: menu(title=f"{number}"), opened)  # type: ignore[misc]
        await settled(made)
    assert editor.calls == [["show", "999"]]
    assert announced == [(1, 2)]


async def test_what_looks_the_same_is_not_drawn_again_and_nothing_closes_it() -> None:
    editor = Editor()
    async with window(editor) as made:
        for source in (menu, menu, lambda: None, lambda: None):
            made.draw(source)
            await settled(made)
        assert made.place() is None
    assert editor.calls == [["show", "plain"], ["show", None]]


async def test_it_is_focused_after_it_was_drawn() -> None:
    editor = Editor()
    async with window(editor) as made:
        made.focus("1", calmly=True)
        made.draw(menu)
        await settled(made)
    assert editor.calls == [["show", "plain"], ["focus", "1"]]


async def test_it_is_told_where_it_is_only_while_it_is_open() -> None:
    editor = Editor()
    async with window(editor) as made:
        made.moved(3, 4)
        assert made.place() is None
        made.draw(menu)
        await settled(made)
        made.moved(3, 4)
        assert made.place() == (3, 4)


async def test_what_neovim_refuses_is_told_and_drawn_with_the_next() -> None:
    editor, announced = Editor(), []
    editor.refuses = True
    async with window(editor) as made:
        made.draw(menu, lambda: announced.append(1))
        await settled(made)
        editor.refuses = False
        made.draw(menu)
        await settled(made)
    assert [type(fault) for fault in editor.faults] == [EditorError]
    assert editor.calls == [["show", "plain"], ["show", "plain"]]
    assert announced == [1]


async def test_an_ordinary_question_is_one_call_and_on_another_screen_two() -> None:
    editor = Screen()
    async with window(editor) as made:
        made.draw(lambda: menu("1", "é"))
        await settled(made)
        assert editor.calls == [["show", "é"], ["measure", 1], ["show", "é"]]
        for ask_id in ("2", "3"):
            editor.calls.clear()
            made.draw(lambda ask_id=ask_id: menu(ask_id))  # type: ignore[misc]
            await settled(made)
            assert editor.calls == [["show", "plain"]]
        editor.calls.clear()
        editor.seen = LOOK | {"way": ":Acp permit"}
        made.draw(lambda: menu("4"))
        await settled(made)
    assert editor.calls == [["show", "plain"], ["show", "plain"]]
    assert editor.drawn[-1]["look"] == editor.seen
    assert not editor.faults


async def test_what_was_seen_before_the_first_question_needs_not_be_asked_then() -> None:
    editor = Screen()
    async with window(editor) as made:
        await made.prepare(7)
        assert editor.calls == [["look", 7], ["measure", 1]]
        made.draw(lambda: menu("1", "é"))
        await settled(made)
    assert editor.calls[2:] == [["show", "é"]]


async def test_it_is_fitted_into_a_screen_that_becomes_another_while_it_is_shown() -> None:
    editor = Screen()
    async with window(editor) as made:
        made.look(convert(LOOK, Look))
        await settled(made)
        assert editor.calls == []
        made.draw(menu)
        await settled(made)
        editor.calls.clear()
        editor.seen = LOOK | {"screen": SCREEN | {"width": 40}}
        made.look(convert(editor.seen, Look))
        await settled(made)
        assert editor.calls == [["fit", "1"]]
        assert editor.drawn[-1]["look"] == editor.seen
        made.draw(lambda: None)
        made.look(convert(LOOK, Look))
        await settled(made)
    assert editor.calls[1:] == [["show", None]]
