"""What goes wrong while something is drawn: it is told once, and what comes next is drawn."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio
import pytest
from msgspec.structs import replace

from acp_nvim.editor import Picture
from acp_nvim.errors import EditorError
from acp_nvim.nvim.call import Call
from acp_nvim.nvim.notifier import AGAIN, MOST, Faults
from acp_nvim.nvim.painter import EVENTS, Painter
from acp_nvim.nvim.plain import check
from acp_nvim.nvim.questions import NvimQuestionWindow
from acp_nvim.nvim.terminals import TerminalBuffers
from acp_nvim.view.block import Block, Line
from acp_nvim.view.status import Bar

CHAT, OTHER = 1, 2


class Lua:
    """A way to Neovim that fails while it is `broken`, and notes what came through."""

    def __init__(self) -> None:
        self.broken = False
        self.calls: list[tuple[Any, ...]] = []

    async def lua(self, *call: Any) -> Any:
        if self.broken:
            raise RuntimeError("cannot be packed")
        self.calls.append(call)
        return 7

    def post(self, *call: Any) -> None:
        if self.broken:
            raise RuntimeError("cannot be packed")
        self.calls.append(call)


class Frames(Lua):
    """The same for frames: none fails on the other side."""

    async def lua(self, *call: Any) -> Any:
        await super().lua(*call)
        return {}


@asynccontextmanager
async def running(part: Callable[[], Any]) -> AsyncIterator[None]:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(part)
        yield
        tasks.cancel_scope.cancel()


def picture(text: str) -> Picture:
    return Picture((Block("a", (Line(text),)),), {}, Bar())


async def test_a_picture_that_cannot_be_made_stops_no_other_and_is_made_later() -> None:
    lua, faults = Frames(), list[BaseException]()
    painter = Painter(cast(Call, lua), faults.append)
    wrong = True

    def source() -> Picture:
        if wrong:
            raise ZeroDivisionError
        return picture("right")

    async with running(painter.run):
        painter.show(CHAT, source)
        painter.show(OTHER, lambda: picture("other"))
        await painter.settled()
        assert "other" in str(lua.calls) and len(faults) == 1
        wrong = False
        painter.touch(CHAT)
        await painter.settled()
        assert "right" in str(lua.calls)


async def test_a_frame_that_cannot_be_sent_is_drawn_whole_with_the_next() -> None:
    lua, faults = Frames(), list[BaseException]()
    painter = Painter(cast(Call, lua), faults.append)
    async with running(painter.run):
        lua.broken = True
        painter.show(CHAT, lambda: picture("all of it"))
        await painter.settled()
        assert len(faults) == 1
        lua.broken = False
        painter.touch(CHAT)
        await painter.settled()
        assert "all of it" in str(lua.calls)


async def test_a_question_that_cannot_be_drawn_is_drawn_later() -> None:
    lua, faults = Lua(), list[BaseException]()
    window = NvimQuestionWindow(cast(Call, lua), faults.append)

    def wrong() -> None:
        raise ZeroDivisionError

    async with running(window.run):
        window.draw(wrong)
        await window.settled()
        window.focus("ask-1")
        await window.settled()
    assert len(faults) == 1 and lua.calls[-1][0] == "acp.ask.window.focus"


async def test_a_terminal_that_cannot_be_shown_stops_no_other() -> None:
    lua, faults = Lua(), list[BaseException]()
    terminals = TerminalBuffers(cast(Call, lua), faults.append)
    nothing: Callable[..., None] = lambda *_: None  # noqa: E731
    async with running(terminals.run):
        lua.broken = True
        terminals.open("one", typed=nothing, resized=nothing)
        await terminals.settled()
        lua.broken = False
        terminals.open("two", typed=nothing, resized=nothing)
        await terminals.settled()
    assert len(faults) == 1 and lua.calls[-1][2] == "two"


async def test_a_terminal_that_is_let_go_holds_nothing_that_is_still_to_be_shown() -> None:
    """An agent may make terminals faster than Neovim shows them."""
    lua = Lua()
    terminals = TerminalBuffers(cast(Call, lua), pytest.fail)
    nothing: Callable[..., None] = lambda *_: None  # noqa: E731
    for number in range(100):
        one = terminals.open(f"{number}", typed=nothing, resized=nothing)
        terminals.write(one, b"line\n" * 4_000)
        terminals.forget(one)
    last = terminals.open("last", typed=nothing, resized=nothing)
    async with running(terminals.run):
        await terminals.settled()
    assert [call[2] for call in lua.calls] == ["last"]
    assert [terminals.buffer(one), terminals.buffer(last)] == [None, 7]


def test_the_same_mistake_is_told_once_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    lua, times = Lua(), itertools.chain([0.0, 1.0, 2.0], itertools.count(AGAIN + 1))
    faults = Faults(cast(Call, lua), lambda: next(times))
    for error in (KeyError("a"), KeyError("a"), KeyError("b"), KeyError("a")):
        faults(error)
    assert [str(call[1]).count("'a'") for call in lua.calls] == [1, 0, 1]
    assert capsys.readouterr().err.count("KeyError") == 3


def test_a_mistake_that_quotes_megabytes_fills_neither_the_log_nor_the_screen(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lua = Lua()
    Faults(cast(Call, lua))(KeyError("tool:" + "x" * 4_000_000))
    [(_, shown, _)] = lua.calls
    assert len(shown) < 1_000 and "KeyError('tool:xx" in shown
    log = capsys.readouterr().err
    assert len(log) < 100_000 and log.startswith("KeyError: 'tool:xx") and log.endswith("xx'\n")


def test_a_mistake_of_which_neovim_cannot_be_told_is_in_the_log(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lua = Lua()
    lua.broken = True
    Faults(cast(Call, lua))(KeyError("\ud800"))
    assert "KeyError" in capsys.readouterr().err


async def test_many_events_come_in_several_frames_and_each_once() -> None:
    lua = Frames()
    painter = Painter(cast(Call, lua), lambda error: None)
    refused = 2

    async def frame(*call: Any) -> Any:
        nonlocal refused
        if len(call[1]["events"]) == EVENTS:
            refused -= 1
        if not refused:
            refused = -1
            raise EditorError("not now")
        return await Frames.lua(lua, *call)

    lua.lua = frame  # type: ignore[method-assign]
    async with running(painter.run):
        painter.show(CHAT, lambda: picture("there"))
        for number in range(3 * EVENTS):
            painter.event("AcpModeChanged", {"number": number})
        await painter.settled()
    fired = [event["data"]["number"] for _, frame in lua.calls for event in frame["events"]]
    assert fired == [*range(3 * EVENTS)]
    assert max(len(frame["events"]) for _, frame in lua.calls) == EVENTS


def test_a_mistake_tells_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    lua = Lua()
    faults = Faults(cast(Call, lua))
    faults.safe = lambda text: text.replace("hunter22", "(hidden)")
    faults(KeyError("hunter22"))
    assert "hunter22" not in capsys.readouterr().err + str(lua.calls)


class Packed(Frames):
    """The same, for what MessagePack takes."""

    async def lua(self, *call: Any) -> Any:
        check(list(call))
        return await super().lua(*call)


async def test_a_block_that_cannot_be_sent_is_one_row_and_all_else_is_drawn() -> None:
    lua, faults = Packed(), list[BaseException]()
    painter = Painter(cast(Call, lua), faults.append)
    text = "\ud800"

    def source() -> Picture:
        blocks = [Block(key, (Line(it),)) for key, it in (("a", "one"), ("b", text), ("c", "end"))]
        return Picture(blocks, {"agent": "x"}, Bar())

    async with running(painter.run):
        painter.show(CHAT, source)
        painter.show(OTHER, lambda: picture("other"))
        painter.event("Acp", {"text": "\ud800"})
        painter.event("Acp", {"text": "told"})
        await painter.settled()
        said = str(lua.calls)
        assert all(it in said for it in ("one", "end", "other", "told", "cannot be shown"))
        count = len(faults)
        painter.touch(CHAT)
        await painter.settled()
        assert len(faults) == count <= 2
        text = "mended"
        painter.touch(CHAT)
        await painter.settled()
        assert "mended" in str(lua.calls)


async def test_a_part_that_cannot_be_drawn_is_told_once() -> None:
    lua, faults = Frames(), list[BaseException]()
    painter = Painter(cast(Call, lua), faults.append)

    def source() -> Picture:
        try:
            raise KeyError("part")
        except KeyError as error:
            return replace(picture("all else"), faults=(error,))

    async with running(painter.run):
        painter.show(CHAT, source)
        for _ in range(3):
            painter.touch(CHAT)
            await painter.settled()
    assert "all else" in str(lua.calls)
    assert [str(it) for it in faults] == ["'part'"]


def test_a_mistake_whose_words_have_a_number_fills_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lua, now = Lua(), 0.0
    faults = Faults(cast(Call, lua), lambda: now)
    for number in range(1_000):
        faults(KeyError(number))
    assert len(lua.calls) == MOST
    assert capsys.readouterr().err.count("KeyError") == MOST
    now = AGAIN + 1
    faults(KeyError(1))
    assert len(lua.calls) == MOST + 1
