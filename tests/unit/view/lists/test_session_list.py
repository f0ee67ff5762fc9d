"""The rows of the list of sessions."""

from __future__ import annotations

from msgspec.structs import replace

from acp_nvim.session.model import ListedSession
from acp_nvim.session.origin import Origin
from acp_nvim.session.saved import SavedSession
from acp_nvim.session.state import SessionState
from acp_nvim.view.block import Highlight
from acp_nvim.view.lists.session_list import bar, blocks, matching
from acp_nvim.view.lists.sessions import NO_WORK, Row, listed_row, open_row, stored_row

HOUR = 3_600.0


def texts(*rows: Row, now: float = HOUR) -> list[str]:
    shown = blocks(rows, now=now, home="/home/me", filtered=False)
    return [line.text for block in shown for line in block.lines]


def running(title: str) -> Row:
    state = SessionState("a", "/home/me/w", "x", "running", turn_started=10.0, title=title)
    return open_row(7, state, epoch=HOUR - 20)


def test_each_row_says_state_age_agent_folder_and_title() -> None:
    listed = listed_row("agent", ListedSession("old", "/w", "Old", "1970-01-01T00:00:00Z"))
    kept = stored_row(SavedSession("b", "k", "/home/me", None, HOUR - 120))
    assert texts(running("T\nitle"), listed, kept) == [
        "◐ running     now     a      ~/w  T itle",
        "○ agent       1 h     agent  /w   Old",
        "○ kept        2 min   b      ~    k",
    ]


def test_a_session_that_goes_on_from_a_turn_of_another_says_so() -> None:
    origins = (Origin("a", "first", 2),)
    rewound = stored_row(SavedSession("a", "k", "/w", "T", HOUR, origins=origins))
    state = SessionState("a", "/w", "x", "idle", title="T", origins=origins)
    assert texts(rewound)[0].endswith("  from turn 2 on · T")
    assert texts(open_row(7, state, epoch=0.0))[0].endswith("  from turn 2 on · T")


def test_what_waits_stands_before_a_title_that_the_window_may_cut() -> None:
    row = Row(
        "open", "a", "x", "/w", "T" * 300, state="idle", chat=7, work=replace(NO_WORK, hunks=3)
    )
    assert "  3 hunks · TTT" in texts(row)[0]


def test_questions_that_wait_stand_before_all() -> None:
    row = Row("open", "a", "x", "/w", state="running", chat=7, asks=2)
    assert texts(row)[0].startswith("? 2 waiting   ")
    shown = bar((row,), "", with_keys=False)
    assert "2 waiting for you" in shown.text
    asks, runs = (next(it for it in shown.parts if word in it.text) for word in ("wait", "run"))
    assert (asks.short, asks.need) == ("2 waiting", 1)
    assert runs.need > asks.need  # in a narrow column that goes first


def test_columns_stand_below_each_other_in_cells() -> None:
    wide = Row("stored", "修复", "x", "/w", "a")
    narrow = Row("stored", "abcd", "y", "/w", "b")
    first, second = texts(wide, narrow)
    assert first.index("/w") + 2 == second.index("/w")


def test_marks_are_in_bytes_and_within_the_line() -> None:
    (block,) = blocks((Row("stored", "修复", "x", "/w", "a"),), now=0, home="", filtered=False)
    (line,) = block.lines
    raw = line.text.encode()
    marks = [mark for mark in line.marks if isinstance(mark, Highlight)]
    pieces = [raw[mark.start : mark.end].decode() for mark in marks]
    assert pieces == ["○ kept", "修复", "/w"]


def test_a_long_folder_keeps_its_end() -> None:
    (text,) = texts(Row("stored", "a", "x", "/" + "very/" * 20 + "project", "t"))
    assert "…" in text and "/very/project  t" in text


def test_nothing_of_an_agent_s_text_does_harm() -> None:
    (text,) = texts(Row("stored", "a", "x", "/w\x1b[2J", "t\x1b[31m\n\u202e"))
    assert "\x1b" not in text and "\n" not in text and "\u202e" not in text


def test_words_are_looked_for_in_all_that_a_row_shows() -> None:
    rows = (Row("stored", "Claude", "x", "/w", "Fix"), Row("stored", "b", "y", "/w", "claude"))
    assert matching(rows, "CLAUDE", now=0, home="") == rows
    assert matching(rows, "fix claude", now=0, home="") == rows[:1]
    assert matching(rows, "none", now=0, home="") == ()


def test_an_empty_list_says_what_to_do() -> None:
    assert texts() == ["There is no session here: :AcpStart opens one"]
    (block,) = blocks((), now=0, home="", filtered=True)
    assert "No session has this" in block.lines[0].text
