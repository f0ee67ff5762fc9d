"""C-110, C-117 to C-122, C-141 to C-147: how turns begin and end, how sessions open and close."""

from __future__ import annotations

import pytest

from acp_nvim.session.content import Text
from acp_nvim.session.event import (
    CancelRequested,
    CompactionUpdated,
    Event,
    Noticed,
    PlanReplaced,
    PromptQueued,
    PromptSent,
    QuestionOpened,
    SessionClosed,
    SessionOpened,
    SessionReopening,
    ToolCallUpdated,
    TranscriptRestored,
    TurnEnded,
    TurnMeasured,
    TurnStarted,
    UsageChanged,
)
from acp_nvim.session.model import Cost, LineCount, PermissionQuestion, PlanEntry
from acp_nvim.session.state import Ending, Message
from tests.unit.session.conversation import MODES, OPENED, after, endings, prompt, says, told, turn

QUESTION = PermissionQuestion("a1", "t", ())
WORKING = ToolCallUpdated("t", title="T", status="in_progress")


def test_opening_makes_a_session_ready():
    state = after(OPENED)
    assert (state.id, state.status, state.modes, state.mode) == ("s1", "idle", MODES, "ask")


def test_a_turn_runs_from_its_prompt_to_its_answer():
    state = after(OPENED, turn("hello", 1.5))
    assert (state.status, state.turn, state.turn_started) == ("running", 1, 1.5)
    state = after(TurnEnded(4.0, "end_turn"), state=state)
    assert (state.status, state.turn_ended, state.stop_reason) == ("idle", 4.0, "end_turn")
    assert told(state) == ["user: hello"]
    assert endings(state) == ["── done · 0:02 · said nothing"]
    state = after(turn("more", 5.0), state=state)
    assert (state.turn, state.turn_ended, state.stop_reason) == (2, None, None)


@pytest.mark.parametrize("event", [says("agent", ""), says("agent", " \n"), says("thought", "")])
@pytest.mark.parametrize(("reason", "how"), [("end_turn", "done"), (None, "stopped")])
def test_a_turn_in_which_nothing_was_said_says_so(event: Event, reason: str | None, how: str):
    before = after(OPENED, turn(), says("agent", "Hello."), TurnEnded(1.0, "end_turn"))
    assert endings(before) == ["── done · 0:01"]
    state = after(turn("more"), event, TurnEnded(2.0, reason), state=before)
    assert endings(state)[1:] == [f"── {how} · 0:02 · said nothing"]


@pytest.mark.parametrize(
    "event",
    [
        says("agent", "Hello."),
        says("thought", "Well"),
        ToolCallUpdated("t"),
        Noticed("told"),
        CompactionUpdated("c"),
        PlanReplaced((PlanEntry("a", "low", "pending"),)),
    ],
)
def test_a_turn_in_which_something_is_to_be_seen_does_not(event: Event):
    state = after(OPENED, turn(), event, TurnEnded(1.0, "end_turn"))
    assert endings(state) == ["── done · 0:01"]


def test_an_agent_that_begins_by_itself_and_says_nothing_leaves_none():
    begun = TurnStarted(prompt(""), 1.0, by_agent=True)
    state = after(OPENED, begun, TurnEnded(2.0, "end_turn"))
    assert not state.entries


def test_a_turn_has_its_prompt_sent_only_once_it_has_gone_out():
    begun = after(OPENED, turn("hello"))
    sent = after(PromptSent((Text("hello"),)), state=begun)
    again = after(TurnEnded(1.0, "end_turn"), turn("more"), state=sent)
    assert [it.prompted for it in (begun, sent, again)] == [False, True, False]


def test_c117_prompts_wait_in_order_and_leave_from_the_head():
    state = after(OPENED, turn(), PromptQueued(prompt("b")), PromptQueued(prompt("c")))
    state = after(PromptQueued(prompt("a"), first=True), TurnEnded(1.0, "end_turn"), state=state)
    assert state.queue == (prompt("a"), prompt("b"), prompt("c"))
    state = after(turn("a", queued=True), state=state)
    assert state.queue == (prompt("b"), prompt("c"))


def test_c118_the_answer_ends_the_turn_whatever_the_tool_calls_say():
    done = ToolCallUpdated("d", title="D", status="failed")
    state = after(OPENED, turn(), done, WORKING, TurnEnded(1.0, "end_turn"))
    assert (state.status, told(state)[1:]) == ("idle", ["tool: D failed", "tool: T ended"])


@pytest.mark.parametrize(
    ("reason", "notice"),
    [
        ("refusal", "warning: The agent refused"),
        ("max_tokens", "warning: The agent stopped: it has reached its limit of tokens"),
        ("max_turn_requests", "warning: The agent stopped: it has reached its limit of model"),
        ("weird", "info: The agent stopped: weird"),
    ],
)
def test_c119_c120_c121_every_other_ending_is_said(reason: str, notice: str):
    state = after(OPENED, turn(), TurnEnded(1.0, reason))
    assert told(state)[1].startswith(notice)
    assert (state.status, state.stop_reason) == ("idle", reason)


def test_c122_an_error_ends_the_turn_and_the_session_goes_on():
    state = after(OPENED, turn(), TurnEnded(1.0, error="out of credit"))
    assert told(state)[1] == "error: The turn failed: out of credit"
    assert after(turn(), state=state).status == "running"


def test_c141_c145_cancel_shows_at_once_and_the_outcome_wins():
    state = after(OPENED, turn(), WORKING, CancelRequested())
    assert (state.status, told(state)[1:]) == ("cancelling", ["tool: T cancelled"])
    assert after(WORKING, state=state) is state
    state = after(ToolCallUpdated("t", status="completed"), state=state)
    assert told(state)[1:] == ["tool: T completed"]


def test_c141_calls_of_earlier_turns_are_left_alone():
    late = ToolCallUpdated("t", status="in_progress")
    state = after(OPENED, turn(), WORKING, TurnEnded(1.0, "end_turn"), late, turn())
    assert told(after(CancelRequested(), state=state))[1] == "tool: T in_progress"


def test_c146_a_cancelled_turn_runs_until_it_is_answered():
    state = after(OPENED, turn(), CancelRequested(), says("agent", "a"))
    assert (state.status, state.turn_ended) == ("cancelling", None)
    state = after(TurnEnded(3.0, "cancelled"), state=state)
    assert (state.status, state.stop_reason) == ("idle", "cancelled")


@pytest.mark.parametrize(
    ("ended", "expected"),
    [
        (TurnEnded(1.0, "cancelled"), []),
        (TurnEnded(1.0, "end_turn"), []),
        (TurnEnded(1.0, error="aborted"), ["info: Cancelled; the agent said: aborted"]),
    ],
)
def test_c147_nothing_after_a_cancel_is_an_error(ended: TurnEnded, expected: list[str]):
    state = after(OPENED, turn(), CancelRequested(), ended)
    assert told(state)[1:] == expected
    assert endings(state) == ["── cancelled · 0:01"]


@pytest.mark.parametrize(
    ("ended", "row"),
    [
        (TurnEnded(42.9, "end_turn"), "── done · 0:42"),
        (TurnEnded(3.0, "cancelled"), "── cancelled · 0:03"),
        (TurnEnded(3.0, "refusal"), "── refused · 0:03"),
        (TurnEnded(3.0, "max_tokens"), "── stopped · 0:03"),
        (TurnEnded(3.0, error="no net"), "── failed · 0:03"),
    ],
)
def test_a_row_below_the_turn_says_how_it_ended(ended: TurnEnded, row: str):
    assert endings(after(OPENED, turn(), says("agent", "a"), ended)) == [row]


def test_a_turn_of_which_nobody_knows_how_far_it_came_has_no_row():
    assert not endings(after(OPENED, turn(), TurnEnded(1.0, cut_off=True)))


def test_what_is_said_after_the_row_goes_on_with_its_message():
    state = after(OPENED, turn(), says("agent", "a"), TurnEnded(1.0, "end_turn"))
    state = after(says("agent", "b"), state=state)
    assert told(state)[1:] == ["agent: ab"]
    assert isinstance(state.entries[-1], Ending)


def test_the_row_says_what_the_turn_has_changed_and_cost():
    spent = UsageChanged(10, 100, Cost(0.5, "USD"))
    state = after(OPENED, turn(), says("agent", "a"), spent, TurnEnded(42.0, "end_turn"))
    assert endings(state) == ["── done · 0:42 · 0.50 USD"]
    counts = (LineCount("/a", 5, 1), LineCount("/b", 3, 2))
    state = after(TurnMeasured(1, counts), state=state)
    assert endings(state) == ["── done · 0:42 · 2 files +8 −3 · 0.50 USD"]
    late = UsageChanged(10, 100, Cost(0.54, "USD"))
    state = after(turn(), says("agent", "b"), TurnEnded(43.0, "end_turn"), late, state=state)
    assert endings(state)[1:] == ["── done · 0:43 · 0.04 USD"]


def test_what_a_session_had_cost_before_is_not_what_its_turn_costs():
    kept = (Message("user:1#prompt", "user", 1, (Text("hello"),)),)
    state = after(SessionOpened("s1"), TranscriptRestored(kept), turn())
    state = after(UsageChanged(10, 100, Cost(7.5, "USD")), TurnEnded(1.0, "end_turn"), state=state)
    assert endings(state) == ["── done · 0:01 · said nothing"]


def test_cancel_and_end_without_a_turn_change_nothing():
    state = after(OPENED)
    assert after(CancelRequested(), state=state) is state
    assert after(TurnEnded(1.0, "end_turn"), state=state) is state


def test_closing_ends_all_but_the_queue():
    state = after(OPENED, turn(), WORKING, QuestionOpened(QUESTION), PromptQueued(prompt("b")))
    state = after(SessionClosed("The agent is gone"), state=state)
    assert (state.status, state.questions, state.queue) == ("closed", (), (prompt("b"),))
    assert told(state)[1:] == ["tool: T cancelled", "warning: The agent is gone"]
    assert state.turn_ended is None
    assert after(SessionClosed("again"), TurnEnded(1.0), state=state) is state
    assert told(after(OPENED, turn(), SessionClosed())) == ["user: go"]


def test_a_late_update_of_a_closed_session_is_applied_but_opens_nothing():
    state = after(OPENED, turn(), SessionClosed(), WORKING, says("agent", "bye"))
    assert told(state)[1:] == ["tool: T cancelled", "agent: bye"]


def test_reopening_keeps_the_transcript_unless_it_is_replayed():
    state = after(OPENED, turn(), SessionClosed(), SessionReopening())
    assert (state.status, told(state)) == ("loading", ["user: go"])
    state = after(SessionReopening(replay=True), state=state)
    assert (state.entries, dict(state.index), state.plan, state.turn) == ((), {}, None, 0)
    assert after(SessionOpened("s1"), state=state).status == "idle"


def test_a_session_closed_while_it_opened_stays_closed():
    assert after(SessionClosed(), OPENED).status == "closed"
