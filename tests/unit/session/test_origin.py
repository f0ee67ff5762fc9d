"""Which session had which turns of a conversation."""

from __future__ import annotations

from msgspec.structs import replace

from acp_nvim.session.content import Text
from acp_nvim.session.event import (
    Noticed,
    SessionOpened,
    TranscriptRestored,
    TurnEnded,
    TurnStarted,
)
from acp_nvim.session.model import Prompt
from acp_nvim.session.origin import Origin, Stretch, continued, stretches
from acp_nvim.session.reduce.reduce import reduce
from acp_nvim.session.saved import carried, restored, saved_of, title_of
from acp_nvim.session.state import SessionState

ONE, TWO, THREE = ("a", "one"), ("a", "two"), ("b", "three")


def test_each_session_has_the_turns_behind_those_of_the_one_before() -> None:
    origins = (Origin(*ONE, 2), Origin(*TWO, 5))
    assert list(stretches(origins, THREE)) == [
        Stretch(ONE, 0, 2),
        Stretch(TWO, 3, 5),
        Stretch(THREE),
    ]


def test_a_session_that_continues_nothing_has_all_its_turns() -> None:
    (own,) = stretches((), ONE)
    assert own.has(1) and own.has(100)


def test_what_lies_behind_the_last_turn_is_no_origin() -> None:
    origins = (Origin(*ONE, 2), Origin(*TWO, 5))
    assert continued(origins, THREE, 7) == (*origins, Origin(*THREE, 7))
    assert continued(origins, THREE, 4) == (Origin(*ONE, 2), Origin(*TWO, 4))
    assert continued(origins, THREE, 2) == (Origin(*ONE, 2),)
    assert continued(origins, THREE, 0) == ()


def test_a_session_without_a_name_is_no_origin() -> None:
    assert continued((), ("a", ""), 3) == ()


def talked(session_id: str, turns: int) -> SessionState:
    state = reduce(SessionState("a", "/work"), SessionOpened(session_id))
    for number in range(turns):
        state = reduce(state, TurnStarted(Prompt((Text(f"say {number}"),)), 1.0))
        state = reduce(state, TurnEnded(2.0, "end_turn"))
    return state


def test_a_session_that_carries_another_on_continues_it() -> None:
    old, new = talked("one", 3), SessionState("b", "/work")
    for event in carried(old, 2, "goes on"):
        new = reduce(new, event)
    new = reduce(new, SessionOpened("three"))
    assert new.origins == (Origin(*ONE, 2),)
    assert new.stretches == (Stretch(ONE, 0, 2), Stretch(THREE))


def test_where_nothing_was_said_before_the_turn_nothing_is_sent_with_the_next_prompt() -> None:
    """A notice may stand before the first prompt, of an agent that is slow to start."""
    state = reduce(SessionState("a", "/work"), Noticed("a has not answered yet"))
    state = reduce(state, TurnStarted(Prompt((Text("say"),)), 1.0))
    assert carried(state, 0, "the conversation is sent with your next prompt") == ()
    assert carried(state, 1, "the conversation is sent with your next prompt") != ()


def test_an_agent_that_begins_anew_continues_its_own_session() -> None:
    state = reduce(talked("one", 2), SessionOpened("two"))
    assert state.stretches == (Stretch(ONE, 0, 2), Stretch(TWO))
    assert reduce(state, SessionOpened("two")).origins == state.origins


def test_a_kept_session_knows_what_it_continues() -> None:
    state = reduce(talked("one", 2), SessionOpened("two"))
    again = SessionState("a", "/work")
    for event in restored(saved_of(state, 1.0)):
        again = reduce(again, event)
    assert again.origins == state.origins


def test_a_transcript_that_is_put_back_forgets_no_origin() -> None:
    state = reduce(talked("one", 2), SessionOpened("two"))
    assert reduce(state, TranscriptRestored(state.entries)).origins == state.origins


def test_two_sessions_that_were_rewound_to_one_turn_are_called_by_what_was_said_then() -> None:
    def rewound(old: SessionState, said: str) -> SessionState:
        new = SessionState("a", "/work")
        for event in (*carried(old, 1, "rewound"), SessionOpened(said)):
            new = reduce(new, event)
        assert title_of(new) == (old.title or "say 0")
        return reduce(new, TurnStarted(Prompt((Text(said),)), 1.0))

    old = talked("one", 3)
    first = rewound(old, "this way")
    kept = reduce(SessionState("a", "/work"), restored(saved_of(first, 1.0))[0])
    assert [title_of(it) for it in (first, kept)] == ["this way"] * 2
    assert title_of(rewound(first, "that way")) == "that way"
    assert title_of(rewound(replace(old, title="Mine"), "other")) == "Mine"
