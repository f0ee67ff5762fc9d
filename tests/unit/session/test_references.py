"""What the state of a session refers to is there: the keys of entries, whatever is done to them.

Every field is looked at, all the way down: a new one that holds a key is tried here, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.session.event import (
    CancelRequested,
    CompactionUpdated,
    Event,
    MessageUpdated,
    Noticed,
    SessionClosed,
    SessionOpened,
    SessionReopening,
    ToolCallUpdated,
    TranscriptRestored,
    TurnEnded,
)
from acp_nvim.session.reduce.reduce import reduce
from acp_nvim.session.replay import with_kept
from acp_nvim.session.saved import SavedSession, carried, restored, saved_of
from acp_nvim.session.state import Entry, SessionState, ToolCall
from acp_nvim.storage.sessions import SessionCodec
from acp_nvim.view.chat.transcript import render
from tests.unit.session.conversation import OPENED, after, says, turn

TASK = ToolCallUpdated("t1", "Task", "think", "in_progress")
READ = ToolCallUpdated("t2", "Read", "read", "completed", parent="t1")
DONE = ToolCallUpdated("t1", status="completed")
END = TurnEnded(1.0, "end_turn")
KEPT = ("entries", "index")
"""Fields that say which entries there are; all others refer to them."""


def texts(value: object) -> Iterator[str]:
    """Yield every text in a value, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from texts(key)
            yield from texts(item)
    elif isinstance(value, Sequence | set | frozenset):
        for item in value:
            yield from texts(item)
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from texts(getattr(value, name))


def references(state: SessionState) -> Iterator[str]:
    """Yield every text of the state that is not the key of an entry in that entry itself."""
    for name in state.__struct_fields__:
        if name not in KEPT:
            yield from texts(getattr(state, name))
    for entry in state.entries:
        for name in entry.__struct_fields__:
            if name != "key":
                yield from texts(getattr(entry, name))


class Session:
    """A state, and all keys that entries of it have ever had."""

    def __init__(self) -> None:
        self.state = SessionState("x", "/w")
        self.keys: set[str] = set()

    def hear(self, *events: Event) -> None:
        """Take the events, and look at what has come of each."""
        for event in events:
            self.state = reduce(self.state, event)
            if isinstance(event, TranscriptRestored):
                self.keys.update(entry.key for entry in event.entries)
            self.keys.update(entry.key for entry in self.state.entries)
            self.look()

    def look(self) -> None:
        """Everything that is referred to is there, and can be drawn."""
        state = self.state
        there = {entry.key: place for place, entry in enumerate(state.entries)}
        assert dict(state.index) == there
        assert len(there) == len(state.entries)
        assert not (self.keys & set(references(state))) - there.keys()
        inner = [it for it in state.entries if isinstance(it, ToolCall) and it.parent]
        for call in inner:
            outer = state.entry(call.parent)
            assert isinstance(outer, ToolCall) and not outer.parent
            assert call.key in outer.children
            assert there[outer.key] < there[call.key]
        assert sum(len(it.children) for it in state.entries if isinstance(it, ToolCall)) == len(
            inner
        )
        assert not render(state, frozenset(), None).faults


def opened(*events: Event) -> Session:
    session = Session()
    session.hear(OPENED, *events)
    return session


def tree(state: SessionState) -> list[tuple[str, list[str]]]:
    """Return the titles of calls that stand alone, each with those of the calls made in it."""
    calls = [it for it in state.entries if isinstance(it, ToolCall)]
    titles = {it.key: it.title for it in calls}
    return [(it.title, [titles[key] for key in it.children]) for it in calls if not it.parent]


def turn_with_task(word: str) -> tuple[Event, ...]:
    """Return a turn of an agent that counts its calls anew in each."""
    return (
        turn(word),
        ToolCallUpdated("t1", f"Task {word}", "think", "in_progress"),
        ToolCallUpdated("t2", f"Read {word}", "read", "completed", parent="t1"),
        ToolCallUpdated("t3", f"Run {word}", "execute", "completed", parent="t1"),
        DONE,
        says("agent", "Well."),
        END,
    )


TWO = [("Task one", ["Read one", "Run one"]), ("Task two", ["Read two", "Run two"])]


def test_calls_that_are_counted_anew_stand_in_the_task_of_their_turn() -> None:
    session = opened(*turn_with_task("one"), *turn_with_task("two"))
    assert tree(session.state) == TWO


def stored(saved: SavedSession) -> SavedSession:
    """Return what is read of what was written."""
    codec = SessionCodec()
    read = codec.from_text(codec.to_text(saved))
    assert read is not None
    return read


def carried_over(state: SessionState) -> tuple[Event, ...]:
    return (*carried(state, state.turn, "goes on here"), OPENED)


def opened_again(state: SessionState) -> tuple[Event, ...]:
    return (*restored(stored(saved_of(state, 1.0))), SessionOpened("s1"))


def opened_twice(state: SessionState) -> tuple[Event, ...]:
    again = after(*opened_again(state))
    return opened_again(after(*turn_with_task("three"), state=again))


WAYS: tuple[Callable[[SessionState], tuple[Event, ...]], ...] = (carried_over, opened_again)


def test_they_do_where_the_talk_goes_on_elsewhere() -> None:
    state = opened(*turn_with_task("one"), *turn_with_task("two")).state
    for way in WAYS:
        session = Session()
        session.hear(*way(state), *turn_with_task("three"))
        assert tree(session.state) == [*TWO, ("Task three", ["Read three", "Run three"])]


def test_they_do_in_what_was_opened_again_and_again() -> None:
    session = Session()
    session.hear(*opened_twice(opened(*turn_with_task("one"), *turn_with_task("two")).state))
    assert tree(session.state) == [*TWO, ("Task three", ["Read three", "Run three"])]


def test_they_do_in_what_was_read_after_a_kill() -> None:
    """What a turn adds is written behind what there is, each entry under its key."""
    codec = SessionCodec()
    state = opened(*turn_with_task("one")).state
    text = codec.to_text(saved_of(state, 1.0))
    whole = after(*turn_with_task("two"), state=state)
    new = SavedSession("x", "s1", "/w", entries=whole.entries[len(state.entries) :])
    read = codec.from_text(text + codec.to_text(new))
    assert read is not None
    session = Session()
    session.hear(*restored(read))
    assert tree(session.state) == TWO


def test_they_do_in_a_replay() -> None:
    """An agent replays each call as it has become."""

    def replayed(word: str) -> tuple[Event, ...]:
        return (
            says("user", word),
            ToolCallUpdated("t1", f"Task {word}", "think", "completed"),
            ToolCallUpdated("t2", f"Read {word}", "read", "completed", parent="t1"),
            ToolCallUpdated("t3", f"Run {word}", "execute", "completed", parent="t1"),
            says("agent", "Well."),
        )

    session = opened(*turn_with_task("one"), SessionClosed())
    session.hear(SessionReopening(replay=True, session_id="s1"))
    session.hear(*replayed("one"), *replayed("two"), SessionOpened("s1", replayed=True))
    assert tree(session.state) == TWO


def test_they_do_in_a_replay_that_lacks_some_of_them() -> None:
    kept = opened(*turn_with_task("one"), SessionClosed()).state.entries
    session = opened(SessionClosed(), SessionReopening(replay=True, session_id="s1"))
    session.hear(
        says("user", "one"),
        ToolCallUpdated("t1", "Task one", "think", "completed"),
        says("agent", "Well, other words."),
    )
    session.hear(TranscriptRestored(tuple(with_kept(session.state.entries, kept))))
    assert sorted(tree(session.state)[0][1]) == ["Read one", "Run one"]


def test_a_call_whose_task_is_gone_stands_alone() -> None:
    state = opened(*turn_with_task("one")).state
    rest = tuple(it for it in state.entries if it.key != "tool:t1")
    session = Session()
    session.hear(*carried(replace(state, entries=rest), state.turn, "goes on here"))
    assert tree(session.state) == [("Read one", []), ("Run one", [])]


def test_a_task_loses_the_calls_of_later_turns() -> None:
    late = ToolCallUpdated("t9", "Late", "read", "completed", parent="t1")
    state = opened(turn("one"), TASK, READ, turn("two"), late).state
    session = Session()
    session.hear(*carried(state, 1, "rewound"))
    assert tree(session.state) == [("Task", ["Read"])]


# --- whatever comes

IDS = st.sampled_from(["t1", "t2", "t3", "t1#1", ""])
STATUSES = st.sampled_from(["pending", "in_progress", "completed", "failed"])
CALLS = st.builds(
    ToolCallUpdated,
    IDS,
    title=st.sampled_from(["one", "two"]),
    status=STATUSES,
    parent=IDS,
)
SAID = st.builds(says, st.sampled_from(["user", "agent", "thought"]), st.just("x"), IDS)
EVENTS = st.one_of(
    CALLS,
    st.builds(ToolCallUpdated, IDS, status=STATUSES),
    st.builds(CompactionUpdated, IDS, st.sampled_from(["in_progress", "completed"])),
    SAID,
    st.builds(MessageUpdated, st.sampled_from(["user", "agent"]), IDS),
    st.builds(Noticed, st.just("n"), mark=st.sampled_from(["", "anew", "cut_off"])),
    st.builds(turn),
    st.just(END),
    st.just(CancelRequested()),
    st.just(SessionClosed("gone")),
    st.just(OPENED),
    st.just(SessionOpened("s1", replayed=True)),
    st.just(SessionReopening()),
    st.just(SessionReopening(replay=True)),
)
OPERATIONS = ("rewind", "carry", "reopen", "load", "part")


def operated(session: Session, kept: Sequence[Entry], how: str) -> None:
    """Do what puts kept entries in place of those of a session."""
    state = session.state
    if how == "rewind":
        session.hear(*carried(state, state.turn - 1, "back"))
    elif how == "carry":
        session.hear(*carried(state, state.turn, "goes on here"))
    elif how == "reopen":
        session.hear(*restored(stored(saved_of(replace(state, id="s1"), 1.0))))
    elif how == "load":
        session.hear(TranscriptRestored(tuple(with_kept(state.entries, kept))))
    else:
        session.hear(TranscriptRestored(tuple(state.entries[1::2])))


@settings(deadline=None)  # a busy machine is no fault
@given(st.lists(st.lists(EVENTS, max_size=12), max_size=5), st.lists(st.sampled_from(OPERATIONS)))
def test_whatever_comes_what_is_referred_to_is_there(
    heard: list[list[Event]], operations: list[str]
) -> None:
    session, kept = Session(), tuple[Entry, ...]()
    for events, how in zip(heard, [*operations, *OPERATIONS], strict=False):
        session.hear(*events)
        before = tuple(session.state.entries)
        operated(session, kept, how)
        kept = before
