"""The rows of the session picker."""

from __future__ import annotations

import pytest

from acp_nvim.session.model import ListedSession
from acp_nvim.session.saved import SavedSession
from acp_nvim.session.state import SessionState
from acp_nvim.view.lists.sessions import (
    age,
    label,
    listed_row,
    merged,
    open_row,
    seconds_of,
    stored_row,
)


def test_each_session_stands_there_once_open_ones_first_then_by_age() -> None:
    opened = [
        open_row(7, SessionState("a", "/w", id="x", status="idle")),
        open_row(8, SessionState("a", "/w")),
    ]
    listed = [
        listed_row("a", ListedSession("old", "/w", "Old", "2001-01-01T00:00:00Z")),
        listed_row("a", ListedSession("x", "/w", "Ecks")),
        listed_row("a", ListedSession("never", "/w")),
    ]
    kept = [
        stored_row(SavedSession("a", "new", "/w", "New", 2e9)),
        stored_row(SavedSession("b", "x", "/w")),
    ]
    rows = merged((opened, listed, kept))
    assert [(row.kind, row.agent, row.id) for row in rows] == [
        ("open", "a", ""),
        ("open", "a", "x"),
        ("stored", "a", "new"),
        ("listed", "a", "old"),
        ("listed", "a", "never"),
        ("stored", "b", "x"),
    ]
    assert rows[1].title == "Ecks"
    assert rows[1].chat == 7


def test_a_label_says_kind_agent_state_title_and_age() -> None:
    row = open_row(7, SessionState("a", "/w", id="x", status="running", title="T\nitle"))
    assert label(row, now=0, cwd="/w").startswith("open  · a · running · T")
    assert "\n" not in label(row, now=0, cwd="/w")
    kept = stored_row(SavedSession("a", "x", "/other", None, 940.0))
    assert label(kept, now=1_000, cwd="/w") == "kept  · a · x · 1 min ago · /other"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (7_199, "1 h"),
        (90_000, "1 d"),
        (86_400 * 15, "2 w"),
    ],
)
def test_age(seconds: float, text: str) -> None:
    assert age(seconds) == text


@pytest.mark.parametrize("text", [None, "", "yesterday", "2025-13-45", "-1"])
def test_a_time_that_is_none(text: str | None) -> None:
    assert seconds_of(text) is None


def test_a_time() -> None:
    assert seconds_of("1970-01-01T00:01:00Z") == 60
