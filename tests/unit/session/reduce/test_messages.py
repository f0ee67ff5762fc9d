"""C-123 to C-128, C-087: which piece of text belongs to which message."""

from __future__ import annotations

from acp_nvim.session.content import Image, ResourceLink, Text
from acp_nvim.session.event import (
    CancelRequested,
    ChunkReceived,
    Noticed,
    PlanReplaced,
    PromptSent,
    SessionReopening,
    ToolCallUpdated,
    TurnEnded,
)
from acp_nvim.session.model import PlanEntry
from acp_nvim.session.reduce.messages import MOST_PARTS, MOST_TEXT
from acp_nvim.session.state import Message
from tests.unit.session.conversation import OPENED, after, says, told, turn


def test_c124_same_id_is_one_message_and_a_new_id_a_new_one():
    state = after(OPENED, turn(), says("agent", "a", "m1"), says("agent", "b", "m1"))
    state = after(says("agent", "c", "m2"), state=state)
    assert told(state) == ["user: go", "agent: ab", "agent: c"]


def test_c124_same_id_of_another_role_is_another_message():
    state = after(OPENED, turn(), says("thought", "a", "m1"), says("agent", "b", "m1"))
    assert told(state)[1:] == ["thought: a", "agent: b"]


def test_c125_ids_are_compared_as_they_are():
    state = after(OPENED, turn(), says("agent", "a", "1"), says("agent", "b", "01"))
    assert told(state)[1:] == ["agent: a", "agent: b"]


def test_c126_without_ids_one_message_goes_on():
    state = after(OPENED, turn(), says("agent", "a"), says("agent", "b"), says("agent", "c"))
    assert told(state)[1:] == ["agent: abc"]


def test_c126_a_tool_call_between_two_thoughts_makes_them_two():
    state = after(
        OPENED, turn(), says("thought", "a"), says("agent", "b"), ToolCallUpdated("t", title="T"),
        says("thought", "c"),
    )  # fmt: skip
    assert told(state)[1:] == ["thought: a", "agent: b", "tool: T pending", "thought: c"]


def test_c126_a_plan_a_notice_and_a_new_turn_end_a_message():
    plan = PlanReplaced((PlanEntry("x", "high", "pending"),))
    state = after(OPENED, turn(), says("agent", "a"), plan, says("agent", "b"))
    state = after(Noticed("n"), says("agent", "c"), state=state)
    state = after(TurnEnded(1.0, "end_turn"), turn("more"), says("agent", "d"), state=state)
    assert told(state)[1:] == [
        "agent: a", "agent: b", "info: n", "agent: c", "user: more", "agent: d",
    ]  # fmt: skip


def test_an_update_of_a_known_tool_call_does_not_cut_a_sentence():
    state = after(OPENED, turn(), ToolCallUpdated("t", title="T"), says("agent", "one "))
    state = after(ToolCallUpdated("t", status="completed"), says("agent", "two"), state=state)
    assert told(state)[1:] == ["tool: T completed", "agent: one two"]


def test_c127_interleaved_ids_append_to_the_right_message():
    state = after(OPENED, turn(), says("agent", "a1", "a"), says("agent", "b1", "b"))
    state = after(says("agent", "a2", "a"), says("agent", "!", None), state=state)
    assert told(state)[1:] == ["agent: a1a2!", "agent: b1"]


def test_c128_a_live_echo_is_not_shown_twice():
    state = after(OPENED, turn("hello"))
    assert after(says("user", "hel", "u"), says("user", "lo"), state=state) is state
    state = after(CancelRequested(), state=state)
    assert after(says("user", "hello"), state=state) is state


def test_c128_outside_of_a_turn_the_user_is_shown():
    state = after(OPENED, says("user", "from elsewhere"))
    assert told(state) == ["user: from elsewhere"]


def test_ids_may_come_again_in_the_next_turn():
    state = after(OPENED, turn(), says("agent", "a", "1"), TurnEnded(1.0, "end_turn"))
    state = after(turn(), says("agent", "b", "1"), state=state)
    assert told(state) == ["user: go", "agent: a", "user: go", "agent: b"]


def test_c123_late_chunks_are_applied():
    state = after(OPENED, turn(), says("agent", "a", "m"), TurnEnded(1.0, "end_turn"))
    state = after(says("agent", "b", "m"), says("agent", "c"), says("agent", "d", "n"), state=state)
    assert state.status == "idle"
    assert told(state)[1:] == ["agent: abc", "agent: d"]


def test_texts_that_meet_are_one_block_and_other_content_stays():
    image = Image("AA==", "image/png")
    state = after(OPENED, turn(), says("agent", "a"), ChunkReceived("agent", image))
    state = after(says("agent", "b"), says("agent", "c"), state=state)
    message = state.entries[-1]
    assert isinstance(message, Message)
    assert message.content == (Text("a"), image, Text("bc"))


def test_the_prompt_shows_what_went_out():
    link = ResourceLink("file:///a", "a")
    state = after(OPENED, turn("draft"), says("agent", "a"), PromptSent((Text("sent"), link)))
    assert told(state) == ["user: sent|ResourceLink", "agent: a"]
    assert after(says("agent", "b"), state=state).entries[1].content == (Text("ab"),)


def test_prompt_sent_without_a_turn_changes_nothing():
    state = after(OPENED)
    assert after(PromptSent((Text("x"),)), state=state) is state


REPLAY = (
    says("user", "one ", "1"), says("user", "prompt", "1"), says("agent", "answer", "2"),
    ToolCallUpdated("t", title="T", status="completed"), says("agent", "done", "3"),
    says("user", "again", "1"), says("agent", "yes", "2"), OPENED,
)  # fmt: skip


def test_a_replay_counts_turns_and_keeps_ids_of_different_turns_apart():
    state = after(*REPLAY[:-1])
    assert told(state) == [
        "user: one prompt", "agent: answer", "tool: T completed", "agent: done", "user: again",
        "agent: yes",
    ]  # fmt: skip
    assert (state.turn, state.status, state.turn_started) == (2, "loading", None)
    assert [entry.turn for entry in state.entries] == [1, 1, 1, 1, 2, 2]


def test_a_replay_takes_several_messages_of_the_user_for_one_prompt():
    state = after(says("user", "a", "1"), says("user", "b", "2"), says("agent", "c"))
    assert told(state) == ["user: a", "user: b", "agent: c"]
    assert state.turn == 1


def test_c087_a_second_replay_gives_the_same_transcript():
    once = after(*REPLAY)
    twice = after(SessionReopening(replay=True), *REPLAY, state=once)
    assert twice == once


def test_a_turn_after_a_replay_has_the_next_number():
    state = after(*REPLAY, turn("next"))
    assert state.turn == 3
    assert told(state)[-1] == "user: next"
    assert state.entries[-1].turn == 3


def test_two_sessions_do_not_touch_each_other():
    one = after(OPENED, turn(), says("agent", "a", "m"))
    two = after(OPENED, turn(), says("agent", "b", "m"))
    assert told(one)[1:] == ["agent: a"]
    assert told(two)[1:] == ["agent: b"]


def test_a_message_of_endless_text_goes_on_in_another():
    piece = "x" * (MOST_TEXT // 4)
    chunks = [ChunkReceived("thought", Text(piece)) for _ in range(9)]
    state = after(OPENED, turn(), *chunks, says("thought", "y"))
    messages = [it for it in state.entries if isinstance(it, Message) and it.role == "thought"]
    assert [it.content[0].length for it in messages] == [MOST_TEXT, MOST_TEXT, len(piece) + 1]


def test_a_message_of_endless_parts_goes_on_in_another():
    links = [ResourceLink(f"file:///{at}", str(at)) for at in range(2 * MOST_PARTS + 10)]
    parts = [ChunkReceived("agent", it, message_id="m") for it in links]
    state = after(OPENED, turn(), *parts, says("agent", "a", "m"), says("agent", "b", "m"))
    messages = [it for it in state.entries if isinstance(it, Message) and it.role == "agent"]
    assert [part for it in messages for part in it.content] == [*links, Text("ab")]
    assert max(len(it.content) for it in messages) <= MOST_PARTS + 1
    assert len({it.key for it in messages}) == len(messages) == 3
    later = after(TurnEnded(1.0, "end_turn"), turn(), says("agent", "c", "m"), state=state)
    assert told(later)[-1] == "agent: c"
