"""An exception in anything that draws: one row says so, and all else is on screen.

What draws is found by code: every function of the view that a rich chat, or the list of the
sessions, goes through.
"""

from __future__ import annotations

import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

import acp_nvim.view
from acp_nvim.client.session import Session
from acp_nvim.editor import Picture
from acp_nvim.session.content import Diff, ResourceLink, TerminalOutput, Text
from acp_nvim.session.event import (
    ChunkReceived,
    CompactionUpdated,
    Event,
    Noticed,
    PlanReplaced,
    PromptQueued,
    QuestionOpened,
    SessionOpened,
    TerminalUpdated,
    ToolCallUpdated,
    TurnStarted,
    UsageChanged,
)
from acp_nvim.session.log import Log
from acp_nvim.session.model import (
    Command,
    ConfigChoice,
    ConfigOption,
    Cost,
    ListedSession,
    Location,
    Mode,
    PermissionOption,
    PermissionQuestion,
    PlanEntry,
    Prompt,
    RateLimit,
)
from acp_nvim.session.reduce.reduce import reduce
from acp_nvim.session.saved import SavedSession
from acp_nvim.session.state import SessionState, ToolCall
from acp_nvim.session.terminal import ExitStatus
from acp_nvim.view.chat import tool_call
from acp_nvim.view.lists.sessions import listed_row, stored_row
from acp_nvim.view.status import least
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.session_list import SessionList

AROUND = (
    "acp_nvim.view.chat.transcript:",
    *(f"acp_nvim.view.chat.cell:{name}" for name in ("cell_of", "plan_cell", "queued_cell")),
)
"""What puts the boundary around each thing."""
SAYS_SO = "this cannot be shown (Injected"
ELSEWHERE = ("acp_nvim.view.chat.boundary", "acp_nvim.view.markdown.lexing")
"""What says that something cannot be drawn; and what has a boundary and a thread of its own."""
MARKDOWN = "# Head\n\nwordA **bold** `code` [link](file:///w/a.py)\n\n- one\n- two\n\n"
MARKDOWN += "| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx = 1\n```\n"


class Injected(Exception):
    """Not one of ours: nobody expects it."""


def call(id: str, title: str, status: str = "completed", **more: Any) -> ToolCallUpdated:
    return ToolCallUpdated(id, title=title, status=cast(Any, status), **more)


def talk() -> Iterator[Event]:
    model = ConfigOption("m", "Model", "select", "x", "model", choices=(ConfigChoice("x", "X"),))
    yield SessionOpened("s", (Mode("ask", "Ask"),), "ask", (model,), commands=(Command("c", "d"),))
    link = ResourceLink("file:///w/a.py", "a.py")
    yield TurnStarted(Prompt((Text("wordP please"), link)), 1.0)
    yield ChunkReceived("thought", Text("wordT"))
    yield ChunkReceived("agent", Text(MARKDOWN))
    for number in range(3):
        yield call(f"q{number}", f"Read {number}", kind="read")
    yield ChunkReceived("agent", Text("wordB"))
    yield call("task", "wordK", "in_progress", kind="think")
    yield call("inner", "Inner", parent="task")
    yield call("diff", "wordD", "failed", content=(Diff("/w/a.py", "a\n", "b\n"),))
    yield TerminalUpdated("term", command="make", tail="\x1b[31mred\x1b[0m\n", exit=ExitStatus(1))
    raw = '{"command": "make test"}'
    yield call(
        "run",
        "wordR",
        "failed",
        kind="execute",
        content=(TerminalOutput("term"), Text("wordX")),
        locations=(Location("/w/a.py", 3),),
        raw_input=raw,
    )
    yield Noticed("wordN", "warning")
    yield CompactionUpdated("c", "completed", (Text("wordC"),))
    yield PlanReplaced((PlanEntry("wordL", "high", "in_progress"),))
    yield UsageChanged(10, 100, Cost(0.1, "USD"), (RateLimit("five_hour", 0.5),))
    yield PromptQueued(Prompt((Text("wordQ"),)))
    option = PermissionOption("y", "Yes", "allow_once")
    yield QuestionOpened(PermissionQuestion("1", "run", (option,)))


WORDS = tuple(f"word{letter}" for letter in "PTABKDRNCLQ")


def rich() -> SessionState:
    state = SessionState("x", "/w")
    for event in talk():
        state = reduce(state, event)
    return state


def chat_of(state: SessionState) -> Chat:
    chat = Chat(1, 2, cast(Session, SimpleNamespace(state=state)), lambda: 2.0, lambda: 0.0)
    chat.pins_plan = True
    return chat


def list_of(chat: Chat, *, is_sidebar: bool = False) -> SessionList:
    found = SessionList(
        3,
        "/w",
        {1: chat},
        clock=lambda: 2.0,
        now=lambda: 9.0,
        with_keys=True,
        is_sidebar=is_sidebar,
    )
    found.listed = (listed_row("x", ListedSession("other", "/w", "wordO", "2026-01-01T00:00:00Z")),)
    found.kept = (stored_row(SavedSession("x", "kept", "/w", "wordS", 1.0)),)
    return found


def changed(state: SessionState) -> SessionState:
    """Return a state in which everything is told once more."""
    entries = Log(replace(entry) for entry in state.entries)
    plan = state.plan and replace(state.plan)
    return replace(state, entries=entries, plan=plan, queue=tuple(map(replace, state.queue)))


def lines(picture: Picture) -> list[str]:
    return [line.text for block in picture.blocks for line in block.lines]


def seen(picture: Picture) -> str:
    return "\n".join((*lines(picture), picture.winbar.text))


def functions() -> list[str]:
    """Return all functions of the view, as MODULE:NAME."""
    package = acp_nvim.view
    found = []
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if module.name not in ELSEWHERE:
            members = inspect.getmembers(import_module(module.name), inspect.isfunction)
            found += [
                f"{module.name}:{name}" for name, it in members if it.__module__ == module.name
            ]
    return found


def ours() -> list[Any]:
    """Return the modules of the program."""
    return [it for name, it in sys.modules.items() if name.startswith("acp_nvim")]


Places = dict[int, list[tuple[Any, str]]]


def places() -> Places:
    """Return where each function is known, by its identity."""
    found: Places = {}
    for module in ours():
        for attribute, value in list(vars(module).items()):
            # of a module, one that is rare would be loaded
            is_module = isinstance(value, ModuleType)
            if not is_module and (inspect.isfunction(value) or hasattr(value, "cache_clear")):
                found.setdefault(id(value), []).append((module, attribute))
    return found


def remember_nothing() -> None:
    """Forget what was drawn before: what is remembered is not drawn."""
    for module in ours():
        for value in vars(module).values():
            # of a module, one that is rare would be loaded
            if not isinstance(value, ModuleType) and hasattr(value, "cache_clear"):
                value.cache_clear()


class Faults:
    """Raises at so many of the calls of a function."""

    def __init__(self) -> None:
        self.left = 0
        self.entered: set[str] = set()

    def inject(self, entry: str, patch: pytest.MonkeyPatch, known: Places | None = None) -> None:
        """Have that function watched wherever it is known."""
        module, _, name = entry.partition(":")
        original = getattr(sys.modules[module], name)

        @wraps(original)
        def watched(*arguments: Any, **named: Any) -> Any:
            self.entered.add(entry)
            if self.left > 0:
                self.left -= 1
                raise Injected(entry)
            return original(*arguments, **named)

        for place, attribute in (known or places())[id(original)]:
            patch.setattr(place, attribute, watched)


def entered_by(draws: Callable[[], Callable[[], object]]) -> list[str]:
    """Return what each drawing goes through, not only the first one."""
    return sorted(entered_once(draws()) & entered_once(draws()))


def entered_once(draw: Callable[[], object]) -> set[str]:
    faults = Faults()
    remember_nothing()
    entries, known = functions(), places()  # in this order: the first one imports
    with pytest.MonkeyPatch.context() as patch:
        for entry in entries:
            faults.inject(entry, patch, known)
        draw()
    return faults.entered


CHAT = entered_by(lambda: chat_of(rich()).picture)
LIST = entered_by(lambda: list_of(chat_of(rich())).picture)
SIDEBAR = entered_by(lambda: list_of(chat_of(rich()), is_sidebar=True).picture)


def test_a_chat_goes_through_most_that_draws() -> None:
    assert len(CHAT) > 80 and len(LIST) > 10
    assert not [word for word in WORDS if word not in seen(chat_of(rich()).picture())]


def is_of_one_entry(entry: str) -> bool:
    """Tell whether a function draws one thing, not all of them."""
    return not entry.startswith(AROUND)


@pytest.mark.parametrize("entry", CHAT)
def test_one_thing_that_cannot_be_drawn_is_one_row(
    entry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = Faults()
    faults.inject(entry, monkeypatch)
    state = rich()
    whole = seen(chat_of(state).picture())
    chat = chat_of(state)
    remember_nothing()
    faults.left = 1
    picture = chat.picture()
    assert [str(it) for it in picture.faults] == [entry]
    assert SAYS_SO in seen(picture) or picture.status == least(state) or seen(picture) == whole
    if is_of_one_entry(entry):
        missing = [word for word in WORDS if word not in "\n".join(lines(picture))]
        assert len(missing) <= 1
    # it stays so, and is not tried for ever; when it changes it is
    assert chat.picture().faults == ()
    chat.session = cast(Session, SimpleNamespace(state=changed(state)))
    assert (seen(chat.picture()), chat.picture().faults) == (whole, ())


@pytest.mark.parametrize("title", ["Read 1", "Inner", "wordK", "wordD"])
def test_a_call_that_cannot_be_drawn_is_hidden_by_nothing(
    title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = tool_call.draw

    def fail(call: ToolCall, *arguments: Any, **named: Any) -> Any:
        if call.title == title:
            raise Injected(title)
        return draw(call, *arguments, **named)

    monkeypatch.setattr(tool_call, "draw", fail)
    picture = chat_of(rich()).picture()
    assert [SAYS_SO in text for text in lines(picture)].count(True) == 1
    assert [str(it) for it in picture.faults] == [title]
    assert not [it for it in WORDS if it != title and it not in seen(picture)]


@pytest.mark.parametrize("entry", CHAT)
def test_what_draws_nothing_any_more_ends_no_chat(
    entry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = Faults()
    faults.inject(entry, monkeypatch)
    chat = chat_of(rich())
    remember_nothing()
    faults.left = sys.maxsize
    picture = chat.picture()
    assert picture.faults and {str(it) for it in picture.faults} == {entry}
    assert picture.status["agent"] == "x"
    faults.left = 0
    chat.session = cast(Session, SimpleNamespace(state=changed(rich())))
    assert seen(chat.picture()) == seen(chat_of(rich()).picture())


def rows(picture: Picture) -> Sequence[str]:
    return [text for text in lines(picture) if text]


@pytest.mark.parametrize("entry", LIST)
def test_a_row_that_cannot_be_drawn_leaves_the_others(
    entry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = Faults()
    faults.inject(entry, monkeypatch)
    shown = list_of(chat_of(rich()))
    whole = seen(shown.picture())
    faults.left = 1
    picture = shown.picture()
    assert [str(it) for it in picture.faults] == [entry]
    assert SAYS_SO in seen(picture)
    if picture.status["rows"]:
        assert len(rows(picture)) == len(picture.status["rows"]) == 3
    assert seen(shown.picture()) == whole


@pytest.mark.parametrize("entry", SIDEBAR)
def test_a_row_of_the_sidebar_that_cannot_be_drawn_leaves_the_others(
    entry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = Faults()
    faults.inject(entry, monkeypatch)
    shown = list_of(chat_of(rich()), is_sidebar=True)
    whole = seen(shown.picture())
    faults.left = 1
    picture = shown.picture()
    assert [str(it) for it in picture.faults] == [entry]
    assert SAYS_SO in seen(picture)
    if picture.status["rows"]:
        assert len(lines(picture)) == len(picture.status["rows"])
    assert seen(shown.picture()) == whole
