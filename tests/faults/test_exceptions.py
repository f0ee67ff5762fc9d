"""An exception in any part, at each of its calls: the session goes on, or ends with a sentence.

The parts are found by code: what the host is made of, what serves an agent, what is wanted of the
editor, and all that follows from an event.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from importlib import import_module
from typing import Any, get_type_hints

import anyio
import pytest

from acp_nvim.client.inbound import Services
from acp_nvim.commands.verbs import VERBS
from acp_nvim.editor import Editor
from acp_nvim.files.event import WriteBegun
from acp_nvim.reactions import files as of_files
from acp_nvim.reactions import sessions as of_sessions
from acp_nvim.review.log import EditLog
from acp_nvim.workspace import tasks
from acp_nvim.workspace.host import Host, Review
from tests.faults.whole_app import LINES, ORIGINAL, TYPED, WholeApp
from tests.support.fakes.fake_editor import fake_editor

MACHINERY = ("Editor", "FakeBridge", "Review", "Session", "Tasks", "Workspace")
"""What carries everything else, and is tried elsewhere."""

WHOSE = ("EditLog.weigh", "EditLog.wrote", "DiskSync.opened")
"""What knows whose a line is: what was not counted there is not taken back before a new start."""
STEPS = ("DiskSync.refresh", "DiskSync.tell")
"""What is half of a step of its caller's."""


class Injected(Exception):
    """Not one of ours: nobody expects it."""


def classes() -> Iterator[type]:
    """Yield the classes of all parts; of what is wanted of an editor that of the fake."""
    for owner in (Host, Review, Services):
        for part in get_type_hints(owner).values():
            if inspect.isclass(part) and part.__module__.startswith("acp_nvim"):
                yield part
    editor = fake_editor()
    yield from (type(getattr(editor, name)) for name in get_type_hints(Editor))


def entries() -> list[str]:
    """Return all methods of the parts, as MODULE:CLASS.METHOD."""
    return sorted(
        f"{part.__module__}:{part.__name__}.{name}"
        for part in set(classes())
        if part.__name__ not in (*MACHINERY, "tuple")
        for name, _ in inspect.getmembers(part, inspect.isfunction)
        if not name.startswith("_") and name != "fault" and f"{part.__name__}.{name}" not in STEPS
    )


class Faults:
    """Raises, while it is `armed`, whenever one of the entries is called."""

    def __init__(self) -> None:
        self.armed = False
        self.entered: set[str] = set()
        """What was called, whether or not it was armed."""
        self.raised: set[str] = set()

    def inject(self, entry: str, patch: pytest.MonkeyPatch) -> None:
        """Have that entry watched."""
        module, _, name = entry.partition(":")
        owner, _, method = name.partition(".")
        part = getattr(import_module(module), owner)
        patch.setattr(part, method, self._around(entry, getattr(part, method)))

    def _around(self, entry: str, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def watched(*arguments: Any, **named: Any) -> Any:
            self._enter(entry)
            return call(*arguments, **named)

        @wraps(call)
        async def watched_later(*arguments: Any, **named: Any) -> Any:
            self._enter(entry)
            return await call(*arguments, **named)

        return watched_later if inspect.iscoroutinefunction(call) else watched

    def _enter(self, entry: str) -> None:
        self.entered.add(entry)
        if self.armed:
            self.raised.add(entry)
            raise Injected(entry)


@pytest.fixture(scope="module")
def entered() -> frozenset[str]:
    """Return the entries that a job goes through."""
    faults = Faults()

    async def look() -> None:
        async with WholeApp() as app:
            await app.open()
            faults.entered.clear()
            await app.job()
            await app.ask("inspect", {})

    with pytest.MonkeyPatch.context() as patch:
        for entry in entries():
            faults.inject(entry, patch)
        anyio.run(look)
    return frozenset(faults.entered)


def test_a_job_goes_through_most_parts(entered: frozenset[str]) -> None:
    assert len(entered) > 80


@pytest.mark.parametrize("entry", entries())
async def test_one_part_fails(
    entry: str, entered: frozenset[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if entry not in entered:
        return
    faults = Faults()
    faults.inject(entry, monkeypatch)
    monkeypatch.setattr(tasks, "PAUSE", 0.01)
    async with WholeApp() as app:
        await app.open()
        faults.armed = True
        answers = await app.job()
        await app.ask("inspect", {})
        faults.armed = False
        assert all("result" in it or it["error"]["message"] for it in answers)
        assert {str(it) for it in app.notifier.faults} == faults.raised
        assert app.session.state.status == "idle"
        if not entry.endswith(WHOSE):
            await app.ask("undo", {"chat": 1})
            assert app.files.lines(app.work / "a.txt") == [*LINES, TYPED]
            assert (app.work / "b.txt").read_text() == ORIGINAL
        answers = await app.job()
        assert answers and all("result" in it for it in answers), answers
        assert TYPED in app.files.lines(app.work / "a.txt")


@pytest.mark.parametrize("table", [of_sessions.REACTIONS, of_files.REACTIONS])
async def test_one_reaction_fails(
    table: dict[type, tuple[Callable[..., None], ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All at once: each is told, and none keeps the job from being done.

    Only a question that cannot be shown cannot be answered.
    """

    def failing(reaction: Callable[..., None]) -> Callable[..., None]:
        def fail(*_arguments: Any) -> None:
            raise Injected(reaction.__name__)

        return fail

    async with WholeApp() as app:
        await app.open()
        for event, reactions in table.items():
            if event is not WriteBegun:
                monkeypatch.setitem(table, event, tuple(map(failing, reactions)))
        answers = await app.job()
        assert all("result" in it for it in answers if it["id"] != "p1"), answers
        assert len({str(it) for it in app.notifier.faults}) > 2
        assert TYPED in app.files.lines(app.work / "a.txt")


async def test_what_cannot_be_noted_before_it_is_done_is_not_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_arguments: Any) -> None:
        raise Injected

    async with WholeApp() as app:
        await app.open()
        monkeypatch.setattr(EditLog, "writes", fail)
        answers = await app.job()
        assert [it["error"]["code"] for it in answers if "error" in it] == [-32603, -32603]
        assert (app.work / "b.txt").read_text() == ORIGINAL
        assert app.files.lines(app.work / "a.txt") == [*LINES, TYPED]


async def test_a_verb_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: Any) -> None:
        raise Injected

    async with WholeApp() as app:
        for verb in set(VERBS) - {"inspect"}:
            monkeypatch.setitem(VERBS, verb, lambda host: fail())  # type: ignore[arg-type]
            error, _ = await app.ask(verb, {})
            assert error is not None
            assert (await app.ask("inspect", {}))[0] is None
        assert len(app.notifier.faults) == len(VERBS) - 1
