"""A disk that is full, read-only or slow: what cannot be kept is said, and nothing else is lost."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.history.author import Author
from acp_nvim.history.change import wrote
from acp_nvim.history.fold import begin
from acp_nvim.storage import journal, private
from acp_nvim.storage.edits import EditStore
from acp_nvim.storage.json_store import JsonStore
from acp_nvim.storage.left_open import LeftOpen
from tests.faults.whole_app import CHAT, LINES, ORIGINAL, TYPED, WholeApp
from tests.support.agents.scripted_agent import SESSION
from tests.support.files.kept import kept

AUTHOR = Author("agent", "session", 1, 0.0)
KEY = ("agent", "session")
FILE = wrote(begin("one\n"), "two\n", AUTHOR, 1.0)


class Full:
    """A disk on which nothing of ours can be written, by whatever way, while it is `on`."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.on = False
        for owner, name in (
            (private, "replace"),
            (private, "create"),
            (private, "make_folder"),
            (private, "write"),
        ):
            patch.setattr(owner, name, self._around(getattr(owner, name)))

    def _around(self, call: Any) -> Any:
        def written(*arguments: Any) -> Any:
            if self.on:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return call(*arguments)

        return written


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Full]:
    return Full(monkeypatch)


def kept_of(app: WholeApp, pattern: str) -> str:
    return kept(app.state, pattern)


def said(app: WholeApp) -> list[str]:
    """Return of what the user was told that it is not kept."""
    return [it.partition(" is not ")[0] for it in app.notifier.notices if "No space left" in it]


async def test_what_cannot_be_kept_is_said_once_and_kept_when_it_can_be(disk: Full) -> None:
    disk.on = True
    async with WholeApp() as app:
        await app.open()
        for _ in range(2):
            assert all("result" in it for it in await app.job())
        await app.until(lambda: len(said(app)) == 2)
        await app.ask("undo", {"chat": 1})
        await app.ask("undo", {"chat": 1})
        assert app.files.lines(app.work / "a.txt") == [*LINES, TYPED]
        assert (app.work / "b.txt").read_text() == ORIGINAL
        disk.on = False
        assert all("result" in it for it in await app.job())
        await app.until(lambda: "job 1" in kept_of(app, "sessions/*"))
        await app.until(lambda: "nine 3" in kept_of(app, "edits/*.history"))
        assert sorted(said(app)) == ["what agents change", "what is said"]
        assert not app.notifier.faults


@pytest.mark.parametrize("is_said", [True, False])
async def test_a_prompt_that_waits_for_its_session_is_kept(is_said: bool) -> None:
    async with WholeApp() as app:
        await app.open()
        if is_said:
            await app.job()
        app.links[-1].exit()
        await app.until(lambda: app.session.state.status == "closed")
        app.app.receive("restart", {"agent": "scripted"}, None)
        await app.until(lambda: app.session.state.status == "loading")
        prompt = {"chat": CHAT, "text": "and then", "selections": [], "bang": False}
        await app.ask("prompt", prompt)
        await app.until(lambda: "and then" in kept_of(app, "sessions/*"))
        assert ("job 1" in kept_of(app, "sessions/*")) is is_said
        assert not app.notifier.faults


async def test_a_slow_disk_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, replace = threading.Event(), private.replace

    def slow(path: Path, text: str) -> None:
        if path.parent.name != journal.FOLDER:  # that is before it is begun
            assert go_on.wait(40)
        replace(path, text)

    monkeypatch.setattr(private, "replace", slow)
    async with WholeApp() as app:
        await app.open()
        try:
            for _ in range(2):
                assert all("result" in it for it in await app.job())
            assert (await app.ask("inspect", {}))[0] is None
        finally:
            go_on.set()
        await app.until(lambda: "job 2" in kept_of(app, "sessions/*"))
        await app.until(lambda: "nine 1" in kept_of(app, "edits/*.history"))
        assert not app.notifier.faults


async def test_an_act_waits_until_it_is_noted_and_nothing_else_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    go_on, write, held = threading.Event(), private.write, list[bytes]()

    def slow(handle: int, data: bytes) -> None:
        if b"agent's" in data:
            held.append(data)
            assert threading.current_thread() is not threading.main_thread()
            assert go_on.wait(40)
        write(handle, data)

    monkeypatch.setattr(private, "write", slow)
    async with WholeApp() as app:
        await app.open()
        prompt = {"chat": 1, "text": "go", "selections": [], "bang": False}
        await app.ask("prompt", prompt)
        sent = await app.agent.expect("session/prompt")
        path = app.work / "b.txt"
        params = {"sessionId": SESSION, "path": str(path), "content": "agent's\n"}
        try:
            app.agent.request("fs/write_text_file", params, "w")
            await app.until(lambda: held)
            assert (await app.ask("inspect", {}))[0] is None
            await app.ask("cancel", {"chat": 1})
            await app.agent.expect("session/cancel")
            assert path.read_text() == ORIGINAL
        finally:
            go_on.set()
        assert (await app.agent.answer_to("w"))["result"] == {}, "it had begun, and is not denied"
        assert path.read_text() == "agent's\n"
        app.agent.reply(sent, {"stopReason": "cancelled"})
        await app.until(lambda: app.session.state.status == "idle")
        assert not app.notifier.faults


def test_the_journal_stays_until_the_histories_are_written(tmp_path: Path, disk: Full) -> None:
    store = EditStore(lambda: str(tmp_path / "edits"))
    store.begin("/a", ("1", "2"), FILE.facts, None)
    disk.on = True
    store.histories.append("/a", store.histories.ended("/a", FILE.facts), FILE)
    for _ in range(2):
        store.flush()
        assert store.journal.has(store.journal.name)
    disk.on = False
    store.flush()
    assert not store.journal.has(store.journal.name)
    (history,) = store.histories.read_all()
    assert history.file == FILE and not history.begun


async def test_the_journal_is_tried_again_with_the_next_turn(tmp_path: Path, disk: Full) -> None:
    told = list[OSError]()
    store = EditStore(lambda: str(tmp_path / "edits"), told.append)
    disk.on = True
    store.journal.begin(AUTHOR, ("/p",))
    store.begin("/a", ("1", "2"), FILE.facts, None)
    assert not store.journal.has(store.journal.name)
    disk.on = False
    store.journal.begin(AUTHOR, ("/p",))
    assert store.journal.has(store.journal.name)
    store.journal.drop()


def test_what_was_open_stays_where_it_is_if_it_cannot_be_taken(tmp_path: Path, disk: Full) -> None:
    first, second, third = (LeftOpen(lambda: str(tmp_path)) for _ in range(3))
    first.opened(KEY, "/w")
    first.leave()
    disk.on = True
    second.take(lambda _: True)
    second.leave()
    disk.on = False
    assert third.take(lambda _: True) == {KEY: "/w"}
    third.leave()


def test_a_value_that_cannot_be_written_keeps_no_other_from_being_so(tmp_path: Path) -> None:
    class Odd:
        def to_text(self, value: str) -> str:
            if value == "odd":
                raise RecursionError
            return value

        def from_text(self, text: str) -> str:
            return text

    store = JsonStore(lambda: str(tmp_path), ".json", Odd())
    store.note("a", "odd")
    store.note("b", "even")
    store.flush()
    assert not store.is_settled()
    assert store.read_all() == ["even"]
