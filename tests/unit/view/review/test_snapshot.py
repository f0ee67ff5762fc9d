"""`edits` of the snapshot."""

from __future__ import annotations

from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.view.snapshot import edits_snapshot
from tests.support.files.reviews import author


def test_lines_are_counted_from_one_and_the_last_is_meant() -> None:
    added = ReviewHunk(2, ("x\n", "y\n"), ("old\n",), authors=(author(),))
    removed = ReviewHunk(7, (), ("gone\n",), state="kept", authors=(author(),))
    assert edits_snapshot("/a", [added, removed]) == [
        {
            "session": "session-1",
            "turn": 1,
            "path": "/a",
            "hunks": [
                {"first": 3, "last": 4, "added": 2, "removed": 1, "state": "pending"},
                {"first": 8, "last": 7, "added": 0, "removed": 1, "state": "kept"},
            ],
        }
    ]


def test_each_turn_has_a_table_with_its_hunks_in_order() -> None:
    changes = [
        ReviewHunk(8, ("x\n",), (), authors=(author(2),)),
        ReviewHunk(1, ("x\n",), (), authors=(author(1),)),
        ReviewHunk(4, ("x\n",), (), authors=(author(1), author(2)), state="kept"),
    ]
    tables = edits_snapshot("/a", changes)
    assert [(it["turn"], [hunk["first"] for hunk in it["hunks"]]) for it in tables] == [
        (1, [2]),
        (2, [5, 9]),
    ]


def test_a_file_without_hunks_has_no_table() -> None:
    assert edits_snapshot("/a", []) == []
