"""All changes as one text, and which rows of it are which lines."""

from __future__ import annotations

from msgspec.structs import replace

from acp_nvim.view.review.lists import key_of
from acp_nvim.view.review.overview import NONE, NOTHING, WHOLE, overview
from tests.support.files.reviews import review

OLD = "a\nb\nc\nd\ne\nf\n"
NEW = "a\nB\nB2\nc\nd\nf\n"


def test_each_row_names_its_line() -> None:
    shown = review("/p/x.py", OLD, NEW)
    found = overview([("x.py", shown, NEW.splitlines())])
    assert [line.text for line in found.lines] == [
        "x.py  +2 −2  2 hunks",
        "@@ 2 @@ gemini turn 1 · +2 −1  B",
        " a",
        "-b",
        "+B",
        "+B2",
        " c",
        " d",
        "@@ 6 @@ gemini turn 1 · +0 −1  e",
        "-e",
        " f",
    ]
    first, second = found.hunks
    assert (first.row, first.line, first.offsets) == (1, 2, (WHOLE, NONE, 0, 0, 1, NONE, NONE))
    assert (second.row, second.line, second.offsets) == (8, 6, (WHOLE, 0, NONE))
    assert first.is_pending


def test_what_was_kept_says_so() -> None:
    shown = review("/p/x.py", "a\n", "b\n")
    kept = replace(shown, changes=tuple(replace(it, state="kept") for it in shown.changes))
    found = overview([("x.py", kept, ["b"])])
    assert found.lines[1].text == "@@ 1 @@ kept · gemini turn 1 · +1 −1  b"
    assert not found.hunks[0].is_pending


def test_hostile_lines_are_made_visible_and_nothing_is_nothing() -> None:
    shown = review("/p/x.py", "", "\x1b[31m\u202e\n")
    assert "\x1b" not in overview([("x\x1b.py", shown, [])]).lines[2].text
    assert [line.text for line in overview([]).lines] == [NOTHING]
    assert overview([]).hunks == ()


def test_the_same_change_has_the_same_key_wherever_it_stands() -> None:
    (one,) = review("/p/x.py", "a\n", "b\n").changes
    (two,) = review("/p/x.py", "x\na\n", "x\nb\n").changes
    (other,) = review("/p/x.py", "a\n", "c\n").changes
    assert key_of("/p/x.py", one) == key_of("/p/x.py", two) != key_of("/p/x.py", other)
