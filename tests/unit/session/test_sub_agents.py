"""Sub-agents of a session: each once, with a name for commands, as long as it matters."""

from __future__ import annotations

import pytest

from acp_nvim.session.event import (
    SubAgentUpdated,
    ToolCallUpdated,
    TranscriptRestored,
    TurnEnded,
)
from acp_nvim.session.saved import restored, saved_of
from acp_nvim.session.state import SessionState
from acp_nvim.session.sub_agents import MOST, activity, shown, title
from acp_nvim.storage.sessions import SessionCodec, head_of
from tests.unit.session.conversation import OPENED, after, says, turn


def task(id: str, words: str, **more: object) -> tuple[ToolCallUpdated, ToolCallUpdated]:
    """Return a call, and one that a sub-agent has made in it."""
    outer = ToolCallUpdated(id, words, kind="think", status="in_progress")
    return outer, ToolCallUpdated(f"{id}-read", "Read", status="completed", parent=id)


def names(state: SessionState) -> list[tuple[int, str]]:
    return [(it.turn, it.name) for it in state.sub_agents]


BOTH = (OPENED, turn(), *task("t1", "Tests for stats!"), SubAgentUpdated("kid", "Docs"))


def test_both_kinds_are_in_one_list() -> None:
    state = after(*BOTH, *task("t2", "Tests, for stats"), SubAgentUpdated("kid"))
    assert names(state) == [(1, "tests-for-stats"), (1, "docs"), (1, "tests-for-stats-2")]
    assert title(state, state.sub_agents[0]) == "Tests for stats!"
    assert [activity(state, it) for it in state.sub_agents] == ["running", "", "running"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("File", "sub-file"),
        ("all", "sub-all"),
        ("because", "sub-because"),
        ("12", "sub-12"),
        ("", "sub-agent"),
        ("///", "sub-agent"),
        ("-x- because it fails", "x-because-it-fails"),
        ("Prüfe das", "prüfe-das"),
        ("w" * 100, "w" * 40),
        ("a\n| !rm", "a-rm"),
    ],
)
def test_a_name_is_one_word_that_means_nothing_else(words: str, name: str) -> None:
    assert after(OPENED, turn(), SubAgentUpdated("kid", words)).sub_agents[0].name == name


def test_in_each_turn_a_name_may_be_anothers() -> None:
    state = after(*BOTH, TurnEnded(1.0, "end_turn"), turn(), *task("t1", "Tests for stats"))
    assert names(state) == [(1, "tests-for-stats"), (1, "docs"), (2, "tests-for-stats")]
    # one that works on counts to the turn in which it does
    state = after(SubAgentUpdated("kid", activity="running"), state=state)
    assert names(state)[1] == (2, "docs")


def test_a_title_that_comes_late_names_it() -> None:
    state = after(OPENED, turn(), SubAgentUpdated("kid"), SubAgentUpdated("kid", "Docs"))
    assert names(state) == [(1, "docs")]
    assert names(after(SubAgentUpdated("kid", "Other"), state=state)) == [(1, "docs")]


def test_shown_are_those_of_the_last_turn_and_those_that_run() -> None:
    running = SubAgentUpdated("kid", activity="running")
    state = after(*BOTH, SubAgentUpdated("old", "Old"), running, TurnEnded(1.0, "end_turn"), turn())
    assert [it.id for it in shown(state)] == ["kid"]


def test_their_number_has_a_bound() -> None:
    state = after(OPENED, turn(), *(SubAgentUpdated(f"{at}", "x") for at in range(MOST + 9)))
    assert len(state.sub_agents) == MOST
    assert len({it.name for it in state.sub_agents}) == MOST


def test_what_is_kept_brings_them_back() -> None:
    state = after(*BOTH, says("user", "go"), SubAgentUpdated("kid", activity="running"))
    codec = SessionCodec(lambda text: text.replace("Docs", "***"))
    saved = codec.from_text(codec.to_text(saved_of(state, 1.0)))
    assert saved is not None
    again = after(*restored(saved), state=SessionState("tutor", "/project"))
    assert [(it.id, it.name, it.activity) for it in again.sub_agents] == [
        ("kid", "docs", ""),
        ("t1", "tests-for-stats", ""),
    ]
    assert again.sub_agents[0].title == "***"
    assert title(again, again.sub_agents[1]) == "Tests for stats!"


def test_a_sub_agents_session_is_kept_with_whose_it_is() -> None:
    began = SessionState("tutor", "/project", parent="s0")
    codec = SessionCodec()
    text = codec.to_text(saved_of(after(OPENED, says("agent", "hm"), state=began), 1.0))
    head = head_of(text.partition("\n")[0].encode())
    found = codec.from_text(text)
    assert head is not None and found is not None
    assert (head.parent, found.parent) == ("s0", "s0")


def test_a_rewind_has_those_of_the_turns_that_stay() -> None:
    state = after(*BOTH, TurnEnded(1.0, "end_turn"), turn(), *task("t2", "More"))
    kept = TranscriptRestored([it for it in state.entries if it.turn < 2])
    assert names(after(kept)) == [(1, "tests-for-stats")]
