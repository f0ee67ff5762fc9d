"""The sentence after an undo or a redo."""

from __future__ import annotations

import pytest

from acp_nvim.history.author import Author
from acp_nvim.view.review.lists import rewound

TURN = Author("gemini", "s", 3, 1.0)
PLACES = [("a.txt", 4), ("b.txt", 0)]


@pytest.mark.parametrize(
    ("sentence", "verb", "paths", "left", "unsaved", "failed"),
    [
        (
            "undid turn 3 of gemini in a.txt; :Acp redo restores it",
            "undo",
            ["a.txt"],
            [],
            [],
            [],
        ),
        (
            "turn 3 of gemini is back in 2 files; :Acp undo undoes it",
            "redo",
            ["a.txt", "b.txt"],
            [],
            [],
            [],
        ),
        (
            "undid turn 3 of gemini in a.txt; a.txt:5 left as it is: changed since",
            "undo",
            ["a.txt"],
            PLACES[:1],
            [],
            [],
        ),
        (
            "2 places left as they are, the first a.txt:5: changed since",
            "undo",
            [],
            PLACES,
            [],
            [],
        ),
        (
            "undid turn 3 of gemini in a.txt; not saved: a.txt",
            "undo",
            ["a.txt"],
            [],
            ["a.txt"],
            [],
        ),
        (
            "undid turn 3 of gemini in 2 files; not saved: 2 files; /c is read-only",
            "undo",
            ["a.txt", "b.txt"],
            [],
            ["a.txt", "b.txt"],
            ["/c is read-only"],
        ),
        ("/c is read-only", "undo", [], [], [], ["/c is read-only"]),
        ("nothing to do for turn 3 of gemini", "redo", [], [], [], []),
    ],
)
def test_it_says_what_was_done_what_was_not_and_how_to_go_on(
    sentence: str,
    verb: str,
    paths: list[str],
    left: list[tuple[str, int]],
    unsaved: list[str],
    failed: list[str],
) -> None:
    assert rewound(verb, TURN, paths, left, unsaved, failed) == sentence


def test_without_an_author_the_turn_has_no_name() -> None:
    assert rewound("undo", None, [], [], [], []) == "nothing to do for the turn"
