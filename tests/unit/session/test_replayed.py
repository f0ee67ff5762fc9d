"""What was kept of a session, beside what the agent replays of it."""

from __future__ import annotations

import pytest

from acp_nvim.session.content import Text
from acp_nvim.session.replay import with_calls, with_cut_off, with_kept
from acp_nvim.session.saved import CUT_OFF, untold
from acp_nvim.session.state import Ending, Entry, Message, Notice, ToolCall

END = Notice("n", 2, CUT_OFF, "warning")


def message(role: str, turn: int, text: str) -> Message:
    return Message(f"{role}:{turn}", role, turn, (Text(text),))  # type: ignore[arg-type]


BEFORE = (message("user", 1, "hello"), message("agent", 1, "hi"))
TURN = (
    message("user", 2, "do  it\nnow"),
    ToolCall("tool:c", "c", 2, "Look"),
    message("agent", 2, "I have begun"),
    END,
)
KEPT = (*BEFORE, *TURN)


def texts(entries: tuple[Entry, ...]) -> list[str]:
    return [
        it.title
        if isinstance(it, ToolCall)
        else it.text
        if isinstance(it, Notice)
        else "".join(block.text for block in it.content if isinstance(block, Text))
        for it in entries
    ]


def test_what_the_agent_does_not_know_is_shown_after_its_replay() -> None:
    found = with_cut_off(BEFORE, KEPT)
    assert texts(found) == texts(KEPT)
    assert {it.turn for it in found[2:]} == {2}


def test_of_a_prompt_that_it_knows_the_longer_answer_is_shown() -> None:
    asked = message("user", 2, "do it now, with a note of the editor's")
    whole = texts((*BEFORE, *TURN))
    assert texts(with_cut_off((*BEFORE, asked), KEPT)) == whole
    begun = (*BEFORE, asked, message("agent", 2, "I have"))
    assert texts(with_cut_off(begun, KEPT)) == whole
    done = (*BEFORE, asked, message("agent", 2, "I have begun, and here is the end of it"))
    assert texts(with_cut_off(done, KEPT)) == [*texts(done), CUT_OFF]


def test_a_turn_that_was_over_is_the_agents_to_tell() -> None:
    assert with_cut_off(BEFORE, KEPT[:-1]) is BEFORE
    later = (*KEPT, message("user", 3, "go on"), message("agent", 3, "yes"))
    assert with_cut_off(BEFORE, later) is BEFORE
    assert with_cut_off((), ()) == ()


def test_an_agent_that_replays_nothing_of_it() -> None:
    assert texts(with_cut_off((Notice("x", 0, "old"),), TURN)) == ["old", *texts(TURN)]
    silent = (END,)
    assert with_cut_off(BEFORE, silent) == (*BEFORE, END)


def call(number: int, turn: int) -> ToolCall:
    return ToolCall(f"tool:{number}", f"c{number}", turn, f"call {number}", status="completed")


def turn(number: int, *said: str | ToolCall, prompt: str = "") -> tuple[Entry, ...]:
    """Return a turn: its prompt, and what the agent said and did."""
    parts = [it if isinstance(it, ToolCall) else message("agent", number, it) for it in said]
    return (message("user", number, prompt or f"question {number}"), *parts)


OURS = (*turn(1, "I look", call(1, 1), "I found it"), *turn(2, call(2, 2), "done", call(3, 2)))


@pytest.mark.parametrize(
    "replayed",
    [
        (*turn(1, "I look", "I found it"), *turn(2, "done")),
        (*turn(1, "I look I found it", prompt="question 1\n\n<note/>"), *turn(2, "done")),
        (*turn(1, "I  look"), *turn(2)),
        (*turn(1, "I look", "I found it"), *turn(2, "done", call(3, 2))),
    ],
    ids=["texts", "one text", "less text", "some calls"],
)
def test_calls_that_are_not_replayed_stay_in_their_places(replayed: tuple[Entry, ...]) -> None:
    assert texts(with_calls(replayed, OURS)) == texts(OURS)


def test_calls_stay_in_a_turn_of_which_the_agent_tells_more() -> None:
    more = turn(1, "I look", "I found it", "and that was all")
    shown = ["question 1", "I look", "call 1", "I found it", "and that was all"]
    assert texts(with_calls(more, OURS[:4])) == shown
    other = turn(1, "I have looked and found it")
    assert texts(with_calls(other, OURS[:4]))[:3] == ["question 1", *texts(other[1:]), "call 1"]


def test_only_later_turns_are_replayed() -> None:
    found = with_calls(turn(1, "done", prompt="question 2"), OURS)
    assert texts(found) == ["question 2", "call 2", "done", "call 3"]
    assert {it.turn for it in found} == {1}


@pytest.mark.parametrize(
    "replayed",
    [
        OURS,
        (*turn(1, "I look", call(8, 1), "I found it"), *turn(2, call(9, 2), "done")),
        turn(1, "hi", prompt="said elsewhere"),
        (),
    ],
    ids=["all", "under other names", "another talk", "nothing"],
)
def test_a_replay_that_lacks_nothing_is_left_as_it_is(replayed: tuple[Entry, ...]) -> None:
    assert with_kept(replayed, OURS) is replayed


def test_of_the_same_words_the_last_are_meant() -> None:
    ours = (*turn(1, call(1, 1), prompt="go on"), *turn(2, call(2, 2), prompt="go on"))
    assert texts(with_calls(turn(1, prompt="go on"), ours)) == ["go on", "call 2"]


def test_a_turn_in_which_the_agent_was_killed_is_kept() -> None:
    end = Notice("n", 2, "scripted ended by itself", "warning", "cut_off")
    kept = (*turn(1, "hi"), *turn(2, "half a sent"), end)
    assert texts(with_kept(kept[:2], kept)) == texts(kept)


ANEW = Notice("a", 2, "this one starts anew", "warning", "anew")


def test_what_was_said_in_an_earlier_session_stays_above() -> None:
    kept = (*OURS, ANEW, *turn(3, call(4, 3), "yes"))
    found = with_kept(turn(1, "yes", prompt="question 3"), kept)
    assert texts(found) == texts(kept)
    assert [it.turn for it in found] == [it.turn for it in kept]


def test_an_agent_is_told_until_it_has_answered() -> None:
    before = (*OURS, ANEW)
    assert untold(OURS) == () == untold(())
    assert untold(before) == OURS
    assert untold((*before, *turn(3))) == OURS
    assert untold((*before, message("agent", 2, "welcome"), *turn(3))) == (*OURS,)
    assert untold((*before, *turn(3, "yes"))) == ()
    assert untold((*before, *turn(3, call(4, 3)), *turn(4))) == ()
    twice = (*before, *turn(3, "yes"), Notice("b", 3, "anew", "warning", "anew"))
    assert untold(twice) == twice[:-1]


def test_the_rows_below_turns_are_kept_beside_a_replay() -> None:
    row = Ending("end:1", 1, "done", 42.0)
    kept = (message("user", 1, "hello"), message("agent", 1, "Hi."), row)
    replayed = (message("user", 1, "hello"), message("agent", 1, "Hi."), message("user", 2, "more"))
    assert with_kept(replayed, kept) == (*replayed[:2], row, replayed[2])
    assert with_kept(with_kept(replayed, kept), kept) == (*replayed[:2], row, replayed[2])
