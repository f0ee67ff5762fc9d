"""Sessions on disk: what is kept of them, and what is read back, whatever stands in the file."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from acp_nvim.session.content import Diff, Image, TerminalOutput, Text
from acp_nvim.session.event import (
    ChunkReceived,
    InfoChanged,
    SessionOpened,
    ToolCallUpdated,
    TranscriptRestored,
    TurnEnded,
    TurnStarted,
)
from acp_nvim.session.model import Location, Prompt
from acp_nvim.session.origin import Origin
from acp_nvim.session.reduce.reduce import reduce
from acp_nvim.session.saved import SavedSession, saved_of
from acp_nvim.session.state import Entry, Message, SessionState
from acp_nvim.storage import private
from acp_nvim.storage import sessions as store_module
from acp_nvim.storage.sessions import MOST, MOST_OF_ENTRY, SessionCodec, Store, head_of

CODEC = SessionCodec()


def talk(
    session_id: str = "s 1/ü", agent: str = "agent", said: str = "hello\n there"
) -> SessionState:
    """Return a session in which a turn was taken."""
    state = SessionState(agent=agent, cwd="/work")
    events = (
        SessionOpened(session_id),
        TurnStarted(Prompt((Text(said),)), 1.0),
        ChunkReceived("agent", Text("line\nwith \ud800 and 😀"), "m1"),
        ToolCallUpdated(
            "call",
            title="Edit",
            kind="edit",
            status="completed",
            content=(Diff("/a", None, "x"), TerminalOutput("t1")),
            locations=(Location("/a", 3),),
        ),
        TurnEnded(2.0, "end_turn"),
    )
    for event in events:
        state = reduce(state, event)
    return state


@pytest.fixture
def store(tmp_path: Path) -> Store:
    times = itertools.count(1_000)
    return Store(lambda: str(tmp_path / "sessions"), lambda: float(next(times)))


def keep(store: Store, *states: SessionState) -> None:
    for state in states:
        store.note(state)
        store.flush()


def test_what_is_kept_comes_back_as_it_was(store: Store) -> None:
    state = talk()
    keep(store, state)
    record = store.read("agent", "s 1/ü")
    assert record is not None
    assert record.entries == state.entries
    assert (record.cwd, record.title) == ("/work", "hello there")
    restored = reduce(
        SessionState(agent="agent", cwd="/work"), TranscriptRestored(record.entries, record.title)
    )
    assert restored.turn == 1
    assert [type(it) for it in restored.entries] == [type(it) for it in state.entries]


def test_what_a_session_continues_is_kept() -> None:
    origins = (Origin("agent", "s 0", 2), Origin("other", "ü", 5))
    saved = SavedSession("agent", "s 1", "/work", "title", 1.0, origins=origins)
    kept = CODEC.from_text(CODEC.to_text(saved))
    assert kept is not None and kept.origins == origins


def test_origins_that_are_none_harm_nothing() -> None:
    head = json.loads(CODEC.to_text(SavedSession("agent", "s 1", "/work")))
    for wrong in ("x", [1], [["a", "b"]], [["a", "b", "c"]], None):
        kept = CODEC.from_text(json.dumps(head | {"origins": wrong}) + "\n")
        assert kept is not None and kept.origins == ()


def test_the_files_are_private(store: Store, tmp_path: Path) -> None:
    keep(store, talk())
    (path,) = (tmp_path / "sessions").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_head_is_read_once_and_again_when_its_file_is_another(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(store, talk("one"), talk("two"))
    read = list[str]()
    first_line = private.first_line

    def counted(path: str) -> bytes:
        read.append(path)
        return first_line(path)

    monkeypatch.setattr(private, "first_line", counted)
    before = store.heads()
    assert (len(before), len(read)) == (2, 2)
    assert store.heads() == before and len(read) == 2
    keep(store, replace(talk("one"), title="Other"))
    assert {head.title for head in store.heads()} > {"Other"} and len(read) == 3


def test_of_a_head_all_is_taken_that_is_right() -> None:
    line = '{"acp":1,"agent":"a","id":"x","cwd":"/w","title":7,"updated":1.5,"chosen":[[[]]]}'
    odd = SavedSession("a", "x", "/w", None, 1.5)
    assert head_of(line.encode()) == odd
    assert head_of(line.replace("7", '"\\ud800"').encode()) == replace(odd, title="\ud800")
    assert head_of(b'{"acp":2,"agent":"a","id":"x","cwd":"/w"}') is None
    assert head_of(b'{"acp":1,"agent":"a","id":"x","cwd":"w"}') is None
    assert head_of(b"[" * 5_000) is None


def test_heads_are_newest_first_and_hold_no_entries(store: Store) -> None:
    keep(store, talk("one"), talk("two"), talk("one", said="hello"), talk("one", agent="other"))
    heads = [(head.agent, head.id, head.entries) for head in store.heads()]
    assert heads == [("other", "one", ()), ("agent", "one", ()), ("agent", "two", ())]


def test_what_is_noted_is_known_before_it_is_written(store: Store) -> None:
    store.note(talk("one"))
    assert [head.id for head in store.heads()] == ["one"]
    assert store.read("agent", "one") is not None
    assert store.delete("agent", "one")
    assert store.heads() == []


def test_a_session_without_a_word_of_the_user_is_not_kept(store: Store, tmp_path: Path) -> None:
    keep(store, reduce(SessionState(agent="agent", cwd="/work"), SessionOpened("empty")))
    assert store.heads() == []
    assert not (tmp_path / "sessions").exists()


def test_a_title_of_the_agent_is_better_than_the_first_words(store: Store) -> None:
    keep(store, reduce(talk(), InfoChanged(title="Greeting")))
    assert store.heads()[0].title == "Greeting"


def test_delete(store: Store) -> None:
    keep(store, talk())
    assert store.delete("agent", "s 1/ü")
    assert not store.delete("agent", "s 1/ü")
    assert store.read("agent", "s 1/ü") is None


def test_it_is_kept_under_another_title(store: Store) -> None:
    keep(store, talk())
    entries = talk().entries
    assert store.rename("agent", "s 1/ü", "Greeting")
    assert not store.rename("agent", "another", "Greeting")
    store.flush()
    record = store.read("agent", "s 1/ü")
    assert record is not None
    assert (record.title, record.entries) == ("Greeting", entries)


def test_the_oldest_files_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "MOST_SESSIONS", 2)
    store = Store(lambda: str(tmp_path), lambda: 1.0)
    keep(store, talk("one"), talk("two"), talk("three"))
    assert len(store.heads()) == 2


def test_a_folder_that_cannot_be_written_harms_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(lambda: str(tmp_path / "file" / "sessions"), lambda: 1.0)
    keep(store, talk())
    assert len(store.heads()) == 1  # it is tried again, and known until then
    assert Store(lambda: str(tmp_path / "file" / "sessions"), lambda: 1.0).heads() == []


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "[]",
        "5",
        '{"kind_":"Message"}',
        '{"kind_":"Message","key":"k","role":"boss","turn":1,"content":[]}',
        '{"kind_":"Message","key":"k","role":"user","turn":1,"content":["text"]}',
        '{"kind_":"Message","key":"k","role":"user","turn":"1","content":[]}',
        '{"kind_":"Text","text":"no entry"}',
        '{"kind_":"Notice","key":"k","turn":1,"text":5}',
        '{"kind_":"os.system","key":"k"}',
        "[" * 100_000,
    ],
)
def test_lines_that_are_no_entries_are_left_out(line: str) -> None:
    good = to_lines_of(talk())
    assert len(entries_from([good[1], line, *good[2:]])) == len(good) - 1


def to_lines_of(state: SessionState) -> list[str]:
    return to_lines(saved_of(state, 1.0))


def to_lines(saved: SavedSession) -> list[str]:
    return CODEC.to_text(saved).split("\n")[:-1]


def entries_from(lines: list[str]) -> tuple[Entry, ...]:
    read = CODEC.from_text("\n".join((to_lines_of(talk())[0], *lines)))
    assert read is not None
    return read.entries


@pytest.mark.parametrize("head", ["", "{}", "[]", '{"acp":2,"agent":"a","id":"b","cwd":"/"}', "{"])
def test_a_file_of_another_kind_is_no_session(head: str) -> None:
    assert CODEC.from_text(head) is None


def test_what_a_newer_version_adds_is_ignored() -> None:
    line = json.loads(to_lines_of(talk())[1]) | {"mood": "good"}
    assert len(entries_from([json.dumps(line)])) == 1


def test_what_is_kept_is_bounded() -> None:
    state = talk()
    huge = Message("x", "agent", 1, (Image("a" * MOST_OF_ENTRY, "image/png"),))
    large = Message("y", "agent", 1, (Text("b" * (MOST_OF_ENTRY - 1_000)),))
    entries = (*state.entries, huge, *[large] * 20)
    lines = to_lines(SavedSession("a", "b", "/", entries=entries))
    assert sum(map(len, lines)) < MOST + 1_000
    assert len(lines) < 20
    lines = to_lines(SavedSession("a", "b", "/", entries=(huge,)))
    assert "too long to be kept" in lines[1]


async def test_several_changes_are_one_write(store: Store, tmp_path: Path) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(store.run)
        store.note(talk(said="first"))
        store.note(talk(said="second"))
        with anyio.fail_after(40):
            while not list((tmp_path / "sessions").glob("*.jsonl")):
                await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    assert [head.title for head in store.heads()] == ["second"]
