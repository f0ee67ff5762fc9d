"""The sessions as a column: what each row says, and in which project it stands."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from acp_nvim.session.model import Cost, PlanEntry
from acp_nvim.session.saved import SavedSession
from acp_nvim.session.state import Plan, SessionState, ToolCall, Usage
from acp_nvim.view.block import Margin
from acp_nvim.view.lists.sessions import Row, Sub, Work, open_row, stored_row
from acp_nvim.view.lists.sidebar import Column, draw, matching

IDLE = SessionState("a", "/home/me/w", "x", "idle", turn=1, stop_reason="end_turn", turn_ended=1.0)


def column(*rows: Row) -> Column:
    return draw(rows, cwd="/home/me/w", home="/home/me")


def texts(*rows: Row) -> list[str]:
    return [line.text for block in column(*rows).blocks for line in block.lines]


def signs(*rows: Row) -> list[str]:
    marks = (mark for it in column(*rows).blocks for line in it.lines for mark in line.marks)
    return [mark.text for mark in marks if isinstance(mark, Margin)]


def at_work() -> SessionState:
    steps = (PlanEntry("Fix it", "high", "in_progress"), PlanEntry("Test it", "low", "pending"))
    call = ToolCall("tool:t", "t", 2, title="npm test", status="in_progress")
    return replace(
        IDLE,
        status="running",
        turn=2,
        title="Cache",
        plan=Plan(2, steps),
        usage=Usage(1, 2, Cost(0.04, "USD")),
        entries=(call,),
    )


def test_a_session_says_its_cost_its_step_and_what_runs() -> None:
    row = open_row(7, at_work())
    assert texts(row) == ["~/w", "Cache", "a · 0.04 USD", "0/2 ◐ Fix it", "npm test"]
    assert column(row).rows == (None, row, row, row, row)


def test_what_waits_for_the_user_stands_below_it() -> None:
    row = replace(open_row(7, at_work()), asks=2)
    assert texts(row)[-1] == "2 questions: a answers"
    assert signs(row) == ["?"]


def test_without_a_turn_there_is_no_step_and_nothing_runs() -> None:
    state = replace(at_work(), status="idle", stop_reason="end_turn", turn_ended=1.0)
    assert texts(open_row(7, state))[2:] == ["a · 0.04 USD"]


@pytest.mark.parametrize(
    ("state", "sign"),
    [
        (replace(IDLE, status="loading"), "◌"),
        (replace(IDLE, status="running"), "◐"),
        (replace(IDLE, status="cancelling"), "◐"),
        (IDLE, "✓"),
        (replace(IDLE, stop_reason="cancelled"), "✓"),
        (replace(IDLE, stop_reason="refusal"), "✗"),
        (replace(IDLE, stop_reason=None), "✗"),
        (replace(IDLE, cut_off=True), "✗"),
        (replace(IDLE, stop_reason=None, turn_ended=None), "✓"),
        (SessionState("a", "/w", "x", "idle"), "·"),
    ],
)
def test_each_state_has_its_sign(state: SessionState, sign: str) -> None:
    assert signs(open_row(7, state)) == [sign]


def test_the_own_project_is_first_and_earlier_days_are_last() -> None:
    other = open_row(8, replace(IDLE, cwd="/other", title="Other"))
    mine = open_row(7, replace(IDLE, title="Mine"))
    kept = stored_row(SavedSession("b", "k", "/home/me/w", "Kept"), was_open=True)
    shown = texts(other, mine, kept)
    assert shown == ["~/w", "Mine", "a", "/other", "Other", "a", "Earlier in ~/w", "Kept  b"]
    assert signs(other, mine, kept) == ["✓", "✓", "◌"]


def test_words_are_looked_for_in_all_that_a_row_shows_and_in_its_project() -> None:
    rows = (open_row(7, at_work()), open_row(8, replace(IDLE, cwd="/other", title="Other")))
    assert matching(rows, "NPM cache", home="/home/me") == rows[:1]
    assert matching(rows, "/other", home="") == rows[1:]
    assert matching(rows, "none", home="") == ()


def test_nothing_of_an_agent_s_text_does_harm() -> None:
    [_, title, *_] = texts(open_row(7, replace(IDLE, title="t\x1b[31m\n\u202e")))
    assert "\x1b" not in title and "\n" not in title and "\u202e" not in title


def test_an_empty_one_says_what_to_do() -> None:
    assert texts() == ["There is no session here: :AcpStart opens one"]
    assert column().rows == (None,)


def sub(depth: int = 1, **fields: object) -> Row:
    """Return the row of a sub-agent."""
    row = Row(
        "open", "a", "kid", "/home/me/w", "Tests", state="running", sub=Sub("x", 7, "", depth)
    )
    return replace(row, **fields)  # type: ignore[arg-type]


def test_sub_agents_stand_below_their_session_each_with_its_sign() -> None:
    rows = (
        replace(open_row(7, at_work()), work=Work(hunks=2)),
        sub(work=Work(tool="Edit a.py", hunks=1)),
        sub(2, state="idle", outcome="failed", asks=1),
        sub(state="idle", outcome="done"),
        sub(state="idle"),
    )
    assert texts(*rows)[1:] == [
        "Cache",
        "a · 2 hunks",
        "  Tests",
        "  1 hunk",
        "  Edit a.py",
        "    Tests",
        "    1 question: a answers",
        "  Tests",
        "  Tests",
    ]
    assert signs(*rows) == ["◐", "◐", "?", "✓", "·"]
