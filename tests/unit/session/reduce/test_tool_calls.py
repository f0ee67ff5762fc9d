"""C-160 to C-167: one tool call, whatever the agent repeats or forgets."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from acp_nvim.session.content import Diff, Text
from acp_nvim.session.event import (
    UNSET,
    CancelRequested,
    SessionReopening,
    ToolCallUpdated,
    TurnEnded,
)
from acp_nvim.session.model import Location
from acp_nvim.session.state import SessionState, ToolCall
from tests.unit.session.conversation import OPENED, after, says, turn

DIFF = Diff("/a", "x", "y")
CREATED = ToolCallUpdated(
    "t", title="Edit a", kind="edit", status="pending", content=(DIFF,), raw_input='{"a":1}'
)


def call(state: SessionState, key: str = "tool:t") -> ToolCall:
    entry = state.entry(key)
    assert isinstance(entry, ToolCall)
    return entry


def test_c160_an_update_changes_only_what_it_says():
    state = after(OPENED, turn(), CREATED, ToolCallUpdated("t", status="completed"))
    expected = ToolCall(
        "tool:t", "t", 1, "Edit a", "edit", "completed", (DIFF,), raw_input='{"a":1}'
    )
    assert call(state) == expected


def test_c161_collections_are_replaced_and_can_be_emptied():
    state = after(OPENED, turn(), CREATED, ToolCallUpdated("t", content=(Text("b"),)))
    assert call(state).content == (Text("b"),)
    assert call(after(ToolCallUpdated("t", title="T"), state=state)).content == (Text("b"),)
    assert call(after(ToolCallUpdated("t", content=()), state=state)).content == ()
    there = after(ToolCallUpdated("t", locations=(Location("/a", 3),)), state=state)
    assert call(there).locations == (Location("/a", 3),)


def test_c162_a_second_create_merges():
    again = ToolCallUpdated("t", title="Edit a.py", status="in_progress")
    state = after(OPENED, turn(), CREATED, again)
    assert len(state.entries) == 2
    assert (call(state).title, call(state).content) == ("Edit a.py", (DIFF,))


@pytest.mark.parametrize(
    ("event", "title"),
    [(ToolCallUpdated("t"), "t"), (ToolCallUpdated("t", kind="read"), "read")],
)
def test_c163_an_update_of_an_unknown_id_creates(event: ToolCallUpdated, title: str):
    state = after(OPENED, turn(), event)
    assert (call(state).title, call(state).status) == (title, "pending")


def test_c164_a_permission_with_only_an_id_shows_what_is_known():
    state = after(OPENED, turn(), CREATED)
    assert after(ToolCallUpdated("t"), state=state) is state


def test_c165_ids_are_per_session():
    one, two = after(OPENED, turn(), CREATED), after(OPENED, turn())
    assert one.entry("tool:t") is not None
    assert two.entry("tool:t") is None


def test_c167_every_refinement_without_a_status_is_shown():
    state = after(OPENED, turn(), ToolCallUpdated("t", status="in_progress"))
    state = after(ToolCallUpdated("t", title="Reading"), state=state)
    state = after(ToolCallUpdated("t", raw_output="1"), state=state)
    assert (call(state).title, call(state).raw_output, call(state).status) == (
        "Reading", "1", "in_progress",
    )  # fmt: skip


def test_a_call_keeps_the_turn_in_which_it_began():
    state = after(OPENED, turn(), CREATED, TurnEnded(1.0, "end_turn"), turn())
    state = after(ToolCallUpdated("t", status="completed"), state=state)
    assert (call(state).turn, state.turn) == (1, 2)


def test_a_used_id_in_a_later_turn_is_another_call():
    """Seen with the TypeScript SDK's example agent, which counts its calls anew in each turn."""
    done = ToolCallUpdated("t", status="completed")
    state = after(OPENED, turn(), CREATED, done, TurnEnded(2.0, "end_turn"), turn(), CREATED)
    first, second = (it for it in state.entries if isinstance(it, ToolCall))
    assert (first.turn, first.status, first.key) == (1, "completed", "tool:t")
    assert (second.turn, second.status) == (2, "pending")
    assert state.tool_call("t") is second
    state = after(done, state=state)
    assert [it.status for it in state.entries if isinstance(it, ToolCall)] == ["completed"] * 2


@pytest.mark.parametrize("status", ["completed", UNSET])
def test_a_used_id_is_another_call_though_nobody_says_that_it_is_open(status: Any):
    done, new = ToolCallUpdated("t", status="completed"), replace(CREATED, status=status)
    state = after(OPENED, turn(), CREATED, done, TurnEnded(2.0, "end_turn"), turn(), new)
    assert [it.turn for it in state.entries if isinstance(it, ToolCall)] == [1, 2]


def test_a_title_that_comes_late_for_a_call_that_was_closed_is_of_the_same_call():
    end = ToolCallUpdated("t", title="Edit a", status="completed")
    state = after(OPENED, turn(), CREATED, CancelRequested(), TurnEnded(2.0, "cancelled"), turn())
    assert call(after(end, state=state)).status == "completed"


def test_the_calls_of_a_replay_that_counts_anew_are_others():
    state = after(SessionReopening(replay=True, session_id="s"))
    for word in ("one", "two"):
        state = after(says("user", word), ToolCallUpdated("t", title=word), state=state)
    assert [it.title for it in state.entries if isinstance(it, ToolCall)] == ["one", "two"]


def test_a_late_end_in_a_later_turn_is_still_of_the_same_call():
    state = after(OPENED, turn(), CREATED, TurnEnded(2.0, "end_turn"), turn())
    assert call(after(ToolCallUpdated("t", status="failed"), state=state)).turn == 1
