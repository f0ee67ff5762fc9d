from __future__ import annotations

import pytest
from msgspec.structs import replace

from acp_nvim.session.content import TerminalOutput, Text
from acp_nvim.session.event import (
    TerminalUpdated,
    ToolCallUpdated,
    TranscriptRestored,
    TurnEnded,
)
from acp_nvim.session.reduce import terminals
from acp_nvim.session.reduce.reduce import reduce
from acp_nvim.session.state import SessionState, ToolCall
from acp_nvim.session.terminal import TAIL, ExitStatus, Terminal
from tests.unit.session.conversation import after, turn

SHOWN = ToolCallUpdated("t", "Run", content=(TerminalOutput("one"), Text("x")))


def shown(state: SessionState) -> tuple[Terminal, ...]:
    call = state.entry("tool:t")
    assert isinstance(call, ToolCall)
    return call.terminals


def test_c205_before_or_after_the_call_that_shows_it() -> None:
    told = TerminalUpdated("one", command="ls", tail="a\n")
    expected = (Terminal("one", "ls", "a\n"),)
    assert shown(after(told, SHOWN)) == expected
    assert shown(after(SHOWN, told)) == expected


def test_only_what_it_names_and_nothing_else_changes() -> None:
    state = after(ToolCallUpdated("other", "Other"), SHOWN)
    later = reduce(state, TerminalUpdated("two", more="x"))
    assert shown(later) == ()
    assert later.entries is state.entries
    later = reduce(state, TerminalUpdated("one", more="x"))
    assert later.entries[0] is state.entries[0]
    assert reduce(later, TerminalUpdated("one")) is later


def test_each_call_that_names_it_shows_it() -> None:
    again = ToolCallUpdated("again", "Again", content=(TerminalOutput("one"),))
    state = after(SHOWN, ToolCallUpdated("other", "Other"), again)
    state = reduce(state, TerminalUpdated("one", more="x"))
    found = [it.terminals for it in state.entries if isinstance(it, ToolCall)]
    assert [len(it) for it in found] == [1, 0, 1]
    kept = after(TranscriptRestored(tuple(state.entries)), TerminalUpdated("one", more="y"))
    found = [it.terminals for it in kept.entries if isinstance(it, ToolCall)]
    assert [it[0].tail for it in found if it] == ["y", "y"]


def test_output_follows_or_replaces_what_was_known() -> None:
    state = after(SHOWN, TerminalUpdated("one", more="a"), TerminalUpdated("one", more="b"))
    assert shown(state)[0].tail == "ab"
    state = reduce(state, TerminalUpdated("one", tail="c", exit=ExitStatus(1)))
    assert shown(state)[0] == Terminal("one", "", "c", ExitStatus(1))


def test_only_the_end_is_kept_from_the_start_of_a_line() -> None:
    text = "".join(f"{number}\n" for number in range(20_000))
    state = after(SHOWN, TerminalUpdated("one", more=text))
    kept = shown(state)[0].tail
    assert len(kept) <= TAIL
    assert text.endswith("\n" + kept)
    long = reduce(state, TerminalUpdated("one", tail="x" * 2 * TAIL))
    assert shown(long)[0].tail == "x" * TAIL


@pytest.mark.parametrize("first", ["call", "output"])
def test_a_terminal_that_is_counted_anew_is_not_the_one_of_the_turn_before(first: str) -> None:
    """Seen with agents whose terminals have the ids of their calls."""
    done = TerminalUpdated("one", exit=ExitStatus(0)), ToolCallUpdated("t", status="completed")
    begun = (TerminalUpdated("one", command="ls", more="a\n"), replace(SHOWN, status="in_progress"))
    before = after(turn(), *begun, *done, TurnEnded(1.0, "end_turn"), turn())
    again = (TerminalUpdated("one", command="pwd", more="b\n"), replace(SHOWN, status="pending"))
    state = after(*(again[::-1] if first == "call" else again), state=before)
    state = after(TerminalUpdated("one", more="c\n"), *done, state=state)
    state = after(TerminalUpdated("one", more="late\n"), state=state)
    calls = [it.terminals for it in state.entries if isinstance(it, ToolCall)]
    assert calls == [
        (Terminal("one", "ls", "a\n", ExitStatus(0)),),
        (Terminal("one", "pwd", "b\nc\nlate\n", ExitStatus(0)),),
    ]


def test_of_old_ones_the_last_lines_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminals, "MOST_WHOLE", 3)
    long = "".join(f"line {number}\n" for number in range(2_000))
    state = after(SHOWN)
    for number in range(5):
        name = "one" if number == 0 else f"{number}"
        ended = ExitStatus(0) if number != 1 else None
        state = reduce(state, TerminalUpdated(name, "ls", tail=long, exit=ended))
    kept = [len(it.tail) for it in state.terminals.values()]
    assert kept[1:] == [len(long)] * 4
    assert terminals.LEAST - 20 < kept[0] <= terminals.LEAST
    assert shown(state) == (state.terminals["one"],)
    assert shown(state)[0].tail.endswith("line 1999\n")
