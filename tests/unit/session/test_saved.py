"""A turn that was cut off, beside what the agent replays of the session."""

from __future__ import annotations

from acp_nvim.session.content import Text
from acp_nvim.session.saved import CUT_OFF, with_cut_off
from acp_nvim.session.state import Entry, Message, Notice, ToolCall

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
