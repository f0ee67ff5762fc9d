"""Everything that is replaced or patched as a whole, and what holds after any events at all."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.session.content import Content, Image, Text
from acp_nvim.session.event import (
    UNSET,
    CancelRequested,
    ChunkReceived,
    CommandsReplaced,
    ConfigReplaced,
    Event,
    InfoChanged,
    ModeChanged,
    Noticed,
    PlanReplaced,
    PromptQueued,
    PromptSent,
    QuestionClosed,
    QuestionOpened,
    SessionClosed,
    SessionOpened,
    SessionReopening,
    ToolCallUpdated,
    TurnEnded,
    TurnStarted,
    Unknown,
    UsageChanged,
)
from acp_nvim.session.model import (
    Command,
    ConfigOption,
    Cost,
    PermissionQuestion,
    PlanEntry,
    Prompt,
)
from acp_nvim.session.reduce import reduce as reduce_module
from acp_nvim.session.reduce.reduce import reduce
from acp_nvim.session.state import Message, Plan, SessionState, ToolCall, Usage
from tests.unit.session.conversation import OPENED, after, says, turn

QUESTION = PermissionQuestion("a1", "t", ())
OTHER_QUESTION = PermissionQuestion("a2", "t", ())
OPTION = ConfigOption("c", "C", "boolean", True)
STEP = PlanEntry("x", "odd", "blocked")


def test_every_event_has_a_reducer():
    assert set(reduce_module._REDUCERS) == set(get_args(Event))


def test_c248_c257_mode_and_config_change_at_any_time():
    state = after(OPENED, ModeChanged("unlisted"), ConfigReplaced((OPTION,)))
    assert (state.mode, state.config) == ("unlisted", (OPTION,))


def test_c265_c266_the_plan_is_replaced_and_emptied():
    state = after(OPENED, turn(), PlanReplaced((STEP, STEP)), PlanReplaced((STEP,)))
    assert state.plan == Plan(1, (STEP,))
    assert after(PlanReplaced(()), state=state).plan is None


def test_c268_p01_commands_may_come_before_the_session_is_open():
    one, two = Command("a", "A"), Command("b", "B", "hint")
    state = after(CommandsReplaced((one, two)), InfoChanged(title="T"), OPENED)
    assert (state.commands, state.title) == ((one, two), "T")
    assert after(CommandsReplaced((two,)), state=state).commands == (two,)


def test_c273_info_has_three_states():
    state = after(OPENED, InfoChanged(title="a"), InfoChanged(updated_at="now"))
    assert (state.title, state.updated_at) == ("a", "now")
    state = after(InfoChanged(title=None), state=state)
    assert (state.title, state.updated_at) == (None, "now")


def test_c276_usage_is_a_state_and_cost_stays():
    cost = Cost(0.5, "USD")
    state = after(OPENED, UsageChanged(10, 100, cost), UsageChanged(20, 100))
    assert state.usage == Usage(20, 100, cost)


def test_asks_open_and_close():
    state = after(OPENED, QuestionOpened(QUESTION), QuestionOpened(OTHER_QUESTION))
    assert state.questions == (QUESTION, OTHER_QUESTION)
    assert after(QuestionClosed("a1", "yes"), state=state).questions == (OTHER_QUESTION,)
    assert after(QuestionClosed("unknown"), state=state) is state


def test_what_is_unknown_changes_nothing():
    state = after(OPENED)
    assert after(Unknown("later", "{}"), state=state) is state


@pytest.mark.parametrize("count", [1, 40])
def test_a_chunk_touches_one_entry_only(count: int):
    state = after(OPENED, turn(), *(says("agent", "a", f"m{number}") for number in range(count)))
    grown = after(says("agent", "b", "m0"), state=state)
    old, new = state.entries, grown.entries
    assert [a is b for a, b in zip(old, new, strict=True)] == [True, False] + [True] * (count - 1)
    for name in SessionState.__struct_fields__:
        if name not in ("entries", "current"):
            assert getattr(grown, name) is getattr(state, name)


texts = st.text("ab ", max_size=3)
contents: st.SearchStrategy[Content] = st.one_of(
    st.builds(Text, texts), st.just(Image("", "image/png"))
)
prompts = st.builds(Prompt, st.lists(contents, max_size=2).map(tuple))
ids = st.sampled_from(["1", "2", "#1", "prompt"])
statuses = st.sampled_from(["pending", "in_progress", "completed", "failed", UNSET])
maybe_text = st.one_of(st.none(), texts, st.just(UNSET))
times = st.floats(0, 10)
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(SessionOpened, ids),
    st.builds(
        ChunkReceived,
        st.sampled_from(["user", "agent", "thought"]),
        contents,
        st.one_of(st.none(), ids),
    ),
    st.builds(ToolCallUpdated, ids, status=statuses, title=st.one_of(texts, st.just(UNSET))),
    st.builds(PlanReplaced, st.sampled_from([(), (STEP,)])),
    st.builds(CommandsReplaced, st.just(())),
    st.builds(ModeChanged, ids),
    st.builds(ConfigReplaced, st.just((OPTION,))),
    st.builds(InfoChanged, maybe_text, maybe_text),
    st.builds(UsageChanged, st.integers(0), st.integers(0), st.just(None)),
    st.builds(Noticed, texts),
    st.builds(Unknown, texts, texts),
    st.builds(PromptQueued, prompts, st.booleans()),
    st.builds(TurnStarted, prompts, times, st.booleans()),
    st.builds(PromptSent, st.lists(contents, max_size=2).map(tuple)),
    st.just(CancelRequested()),
    st.builds(
        TurnEnded,
        times,
        st.sampled_from([None, "end_turn", "cancelled", "odd"]),
        st.one_of(st.none(), texts),
    ),
    st.builds(QuestionOpened, st.sampled_from([QUESTION, OTHER_QUESTION])),
    st.builds(QuestionClosed, st.sampled_from(["a1", "a2", "a3"])),
    st.builds(SessionClosed, st.one_of(st.none(), texts)),
    st.builds(SessionReopening, st.booleans()),
)


@given(st.lists(events, max_size=25))
def test_what_holds_after_any_events(happened: list[Event]):
    state = SessionState("a", "/")
    for event in happened:
        before, state = state, reduce(state, event)
        check(state)
        if not isinstance(event, SessionReopening):
            assert_entries_stay(before, state)


def check(state: SessionState) -> None:
    keys = [entry.key for entry in state.entries]
    assert dict(state.index) == {key: position for position, key in enumerate(keys)}
    assert len(state.index) == len(keys)
    assert [entry.turn for entry in state.entries] == sorted(entry.turn for entry in state.entries)
    assert all(entry.turn <= state.turn for entry in state.entries)
    if state.current is not None:
        assert isinstance(state.entry(state.current), Message)
    if state.status in ("running", "cancelling"):
        assert (state.turn_ended, state.stop_reason) == (None, None)
    if state.status in ("cancelling", "closed"):
        assert not any(is_open(entry) for entry in state.entries if entry.turn == state.turn)


def is_open(entry: object) -> bool:
    return isinstance(entry, ToolCall) and entry.status in ("pending", "in_progress")


def assert_entries_stay(before: SessionState, state: SessionState) -> None:
    """No entry moves or goes, and what is equal is the same object.

    A tool call whose id comes again in a later turn makes room for that one by its turn.
    """
    assert len(before.entries) <= len(state.entries)
    for old, new in zip(before.entries, state.entries, strict=False):
        is_renamed = isinstance(old, ToolCall) and new.key == f"{old.key}#{old.turn}"
        assert old.key == new.key or (is_renamed and old.turn < state.turn)
        assert old is new or old != new or isinstance(new, Message)
