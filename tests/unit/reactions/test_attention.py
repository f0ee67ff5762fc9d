"""What is said of a turn that ends while nobody looks."""

from __future__ import annotations

import pytest

from acp_nvim.session.content import Text
from acp_nvim.session.event import TurnEnded
from acp_nvim.session.state import Message, SessionState
from acp_nvim.view.attention import ending, name
from acp_nvim.view.measure import NOTHING, Tally

STATE = SessionState("show", "/w", id="s1", title="Fix the\ncache")


@pytest.mark.parametrize(
    ("event", "hunks", "said", "warning"),
    [
        (TurnEnded(1.0, "end_turn"), 0, "show is done", False),
        (TurnEnded(1.0, "end_turn"), 1, "show is done, 1 file +8 −3 · 1 hunk: :Acp review", False),
        (TurnEnded(1.0, "end_turn"), 3, "show is done, 1 file +8 −3 · 3 hunks: :Acp review", False),
        (TurnEnded(1.0, "cancelled"), 0, "show was cancelled", False),
        (TurnEnded(1.0, "max_tokens"), 0, "show stopped: max_tokens", True),
        (TurnEnded(1.0, error="no\x1b[2J money"), 0, "show failed: no␛[2J money", True),
    ],
)
def test_how_it_ended(event: TurnEnded, hunks: int, said: str, *, warning: bool) -> None:
    waiting = Tally(1, 8, 3, hunks) if hunks else NOTHING
    assert ending("show", event, waiting) == (said, warning)


def test_a_session_of_several_is_called_by_its_title() -> None:
    assert name(STATE, is_one_of_many=False) == "show"
    assert name(STATE, is_one_of_many=True) == "show · Fix the cache"


def test_one_without_a_title_is_called_by_the_first_words_of_the_user() -> None:
    said = Message("user:1#prompt", "user", 1, (Text("make it  fast"),))
    state = SessionState("show", "/w", id="6f1c-uuid", entries=(said,))
    assert name(state, is_one_of_many=True) == "show · make it fast"
    assert name(SessionState("show", "/w", id="6f1c"), is_one_of_many=True) == "show"
