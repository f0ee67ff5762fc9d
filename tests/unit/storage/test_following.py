"""A session is kept while its turn runs: what is new is written behind what is there."""

from __future__ import annotations

import itertools
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from acp_nvim.client.redaction import HIDDEN, Redaction
from acp_nvim.session.content import Text
from acp_nvim.session.event import (
    ChunkReceived,
    Event,
    InfoChanged,
    PromptQueued,
    SessionClosed,
    SessionOpened,
    SessionReopening,
    TurnEnded,
    TurnStarted,
)
from acp_nvim.session.model import Mention, Prompt, Selection
from acp_nvim.session.reduce.reduce import reduce
from acp_nvim.session.saved import CUT_OFF, SavedSession, restored
from acp_nvim.session.state import Message, Notice, SessionState
from acp_nvim.storage import json_store
from acp_nvim.storage.sessions import Store

LINES = Selection(7, 3, "/work/a.py", 1, 2, ("one", "two"), "python")
LATER = Prompt((Text("and then"),), (LINES,), mentions=(Mention(("a.py", "a")),))


def after(state: SessionState, *events: Event) -> SessionState:
    for event in events:
        state = reduce(state, event)
    return state


IDLE = after(SessionState(agent="agent", cwd="/work"), SessionOpened("s"))
RUNNING = after(
    IDLE,
    TurnStarted(Prompt((Text("first"),)), 1.0),
    ChunkReceived("agent", Text("done")),
    TurnEnded(2.0, "end_turn"),
    TurnStarted(Prompt((Text("second"),)), 3.0),
)


def said(state: SessionState, *words: str) -> SessionState:
    return after(state, *(ChunkReceived("agent", Text(word)) for word in words))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    times = itertools.count(1_000)
    return Store(lambda: str(tmp_path / "sessions"), lambda: float(next(times)))


def written(store: Store, tmp_path: Path) -> SavedSession:
    """Return what another host finds."""
    store.flush()
    found = Store(lambda: str(tmp_path / "sessions"), lambda: 1.0).read("agent", "s")
    assert found is not None
    return found


def texts(saved: SavedSession) -> list[str]:
    blocks = (block for it in saved.entries if isinstance(it, Message) for block in it.content)
    return [block.text for block in blocks if isinstance(block, Text)]


def size(tmp_path: Path) -> int:
    (file,) = (tmp_path / "sessions").glob("*.jsonl")
    return file.stat().st_size


def test_an_answer_is_kept_as_it_comes(store: Store, tmp_path: Path) -> None:
    state = RUNNING
    store.follow(state)
    for words in (["so "], ["far", " so"], [" good"]):
        state = said(state, *words)
        store.follow(state)
        found = written(store, tmp_path)
        assert (found.entries, found.running) == (state.entries, True)
    assert texts(found) == ["first", "done", "second", "so far so good"]
    state = after(state, TurnEnded(4.0, "end_turn"))
    store.note(state)
    found = written(store, tmp_path)
    assert (found.entries, found.running, found.queue) == (state.entries, False, ())


def test_only_what_is_new_is_written(store: Store, tmp_path: Path) -> None:
    long = said(RUNNING, "x" * 100_000)
    state = after(long, TurnEnded(4.0, "end_turn"), TurnStarted(Prompt((Text("third"),)), 5.0))
    store.note(state)
    store.flush()
    before = size(tmp_path)
    store.follow(state)
    store.follow(said(state, "short"))
    store.flush()
    assert 0 < size(tmp_path) - before < 1_000
    assert texts(written(store, tmp_path))[-1] == "short"


def test_a_file_that_has_grown_is_written_anew(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_store, "MOST_GROWN", 5_000)
    state = RUNNING
    for _ in range(200):
        state = said(state, "word " * 5)
        store.follow(state)
        store.flush()
        assert size(tmp_path) < 5_000 + 20_000
    assert written(store, tmp_path).entries == state.entries


def test_the_queue_is_kept_and_waits_for_the_user(store: Store, tmp_path: Path) -> None:
    second = Prompt((Text("and last"),))
    state = after(RUNNING, PromptQueued(LATER), PromptQueued(second))
    store.follow(state)
    found = written(store, tmp_path)
    gone = replace(LINES, buffer=-1, mark=0)
    assert found.queue == (replace(LATER, selections=(gone,)), second)
    again = after(SessionState(agent="agent", cwd="/work"), *restored(found))
    assert [it.held for it in again.queue] == [True, False]
    assert again.turn == 2
    notices = [it.text for it in again.entries if isinstance(it, Notice)]
    assert notices[0] == CUT_OFF
    assert "the empty prompt sends them" in notices[1]
    begun = after(state, TurnEnded(4.0), TurnStarted(LATER, 5.0, queued=True))
    store.follow(begun)
    assert written(store, tmp_path).queue == (second,)


def test_a_session_with_nothing_but_a_queue_is_kept(store: Store, tmp_path: Path) -> None:
    store.follow(after(IDLE, PromptQueued(LATER)))
    assert len(written(store, tmp_path).queue) == 1


def test_what_a_kill_has_cut_off_hides_nothing_else(store: Store, tmp_path: Path) -> None:
    for state in (RUNNING, said(RUNNING, "answer")):
        store.follow(state)
        store.flush()
    (file,) = (tmp_path / "sessions").glob("*.jsonl")
    whole = file.read_bytes()
    begun = whole.index(b"\n\n")  # what was written behind it
    for cut in range(begun, len(whole) + 1):
        file.write_bytes(whole[:cut])
        again = Store(lambda: str(tmp_path / "sessions"), lambda: 1.0)
        found = again.read("agent", "s")
        assert found is not None
        assert texts(found)[:3] == ["first", "done", "second"]
    file.write_bytes(whole[:-20])
    store.follow(said(RUNNING, "answer", " and more"))
    assert texts(written(store, tmp_path))[-1] == "answer and more"


def test_a_replay_that_is_under_way_takes_nothing_away(store: Store, tmp_path: Path) -> None:
    store.note(after(RUNNING, TurnEnded(4.0, "end_turn")))
    store.flush()
    later = Store(lambda: str(tmp_path / "sessions"), lambda: 2_000.0)
    assert later.read("agent", "s")
    loading = after(
        SessionState(agent="agent", cwd="/work"),
        SessionReopening(replay=True, session_id="s"),
        PromptQueued(LATER),
    )
    later.follow(loading)
    later.note(said(loading, "the first of what was said"))
    later.leave([loading])
    found = written(later, tmp_path)
    assert texts(found) == ["first", "done", "second"]
    assert len(found.queue) == 1


@pytest.mark.parametrize("is_said", [True, False])
def test_what_waits_for_a_session_that_is_opened_again_is_kept(
    store: Store, tmp_path: Path, is_said: bool
) -> None:
    state = after(RUNNING, TurnEnded(4.0, "end_turn")) if is_said else IDLE
    store.note(state)
    store.flush()
    store.close(state)
    closed = after(state, SessionClosed("it died"))
    store.take_up(closed)
    store.follow(after(closed, SessionReopening(replay=True), PromptQueued(LATER)))
    found = written(store, tmp_path)
    assert texts(found) == (["first", "done", "second"] if is_said else texts(state))
    assert len(found.queue) == 1


def test_what_ends_with_neovim_is_not_kept(store: Store, tmp_path: Path) -> None:
    state = said(RUNNING, "half")
    store.leave([state, after(IDLE, SessionClosed())])
    store.note(after(state, TurnEnded(5.0, error="the agent ended")))
    store.follow(after(state, SessionClosed("gone")))
    found = written(store, tmp_path)
    assert (found.entries, found.running) == (state.entries, True)


async def test_the_users_words_are_written_at_once(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_store, "PAUSE", 1_000)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(store.run)
        for state in (RUNNING, after(RUNNING, PromptQueued(LATER))):
            store.follow(state, now=True)
            with anyio.fail_after(60):
                while not _has(tmp_path, state):
                    await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()


def _has(tmp_path: Path, state: SessionState) -> bool:
    found = Store(lambda: str(tmp_path / "sessions"), lambda: 1.0).read("agent", "s")
    return found is not None and len(found.queue) == len(state.queue)


def test_a_secret_in_pieces_is_none_once_the_turn_has_ended(tmp_path: Path) -> None:
    hide = Redaction()
    hide.learn(["hunter2hunter2"])
    store = Store(lambda: str(tmp_path / "sessions"), lambda: 1.0, hide.values)
    store.follow(running := said(after(RUNNING, InfoChanged(title="hunter2hunter2!")), "hunter2"))
    store.flush()
    store.note(after(said(running, "hunter2"), TurnEnded(2.0, "end_turn")))
    store.flush()
    (path,) = (tmp_path / "sessions").iterdir()
    text = path.read_text()
    assert "hunter2" not in text
    assert text.count(HIDDEN) == 2  # the title, too
