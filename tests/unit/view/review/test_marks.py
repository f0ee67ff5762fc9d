"""What a review looks like: marks on lines, lines that are gone, lists, one-line summaries."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.view.review.lists import (
    NOTHING_PENDING,
    announcement,
    decided,
    quickfix,
    stops,
    summary,
    turn_key,
)
from acp_nvim.view.review.marks import (
    CONFLICT,
    LONGEST,
    MOST_REMOVED,
    Chunks,
    Drawing,
    FileReview,
    LinesMark,
    PartMark,
    RowMark,
    conflict_marks,
    drawing,
    signs,
)
from tests.support.files.reviews import author, review


def one(change: ReviewHunk, count: int = 10) -> Drawing:
    return drawing(FileReview("/p/a.py", count, (change,)))


def removed(drawn: Drawing) -> LinesMark:
    return next(mark for mark in drawn.marks if isinstance(mark, LinesMark))


def words(line: Chunks) -> str:
    return "".join(text for text, _ in line)


def parts(drawn: Drawing) -> list[PartMark]:
    return [mark for mark in drawn.marks if isinstance(mark, PartMark)]


def test_lines_that_replace_others_stand_below_them() -> None:
    drawn = drawing(review("/p/a.py", "a\nold one\nb\n", "a\nnew one\nnew two\nb\n"))
    assert drawn.hunks == ((1, 3),)
    assert drawn.marks[0] == RowMark(1, rows=2, line_group="AcpReviewAdd")
    gone = removed(drawn)
    assert (gone.row, gone.above) == (1, True)
    assert [words(line) for line in gone.lines] == ["old one"]


def test_for_signs_no_word_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = review("/p/a.py", "a\nold one\nb\nc\n", "a\nnew one\nb\n")
    whole = drawing(shown)
    monkeypatch.setattr("acp_nvim.view.review.marks.changed_parts", None)
    assert signs(shown).hunks == whole.hunks == ((1, 2), (3, 3))
    marks = [mark for mark in whole.marks if isinstance(mark, RowMark)]
    assert [*signs(shown).marks] == [replace(mark, line_group="", note="") for mark in marks]


def test_what_has_changed_in_a_line_is_set_off_on_both_sides_in_bytes_of_the_buffer() -> None:
    drawn = drawing(review("/p/a.py", "naïve = sum(x)\n", "naïve = max(x)\n"))
    assert parts(drawn) == [PartMark(0, 9, 12)]
    assert removed(drawn).lines == (
        (
            ("naïve = ", "AcpReviewDelete"),
            ("sum", "AcpReviewText"),
            ("(x)", "AcpReviewDelete"),
            ("", "AcpReviewDelete"),
        ),
    )


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("\ufeffvalue = 1\n", "\ufeffvalue = 2\n", (8, 9)),
        ("\udce9t\udce9 = 1\n", "\udce9t\udce9 = 2\n", (6, 7)),
        ("same beginning\n", "nothing in common at all\n", None),
    ],
)
def test_columns_are_those_of_the_buffer(old: str, new: str, part: tuple[int, int] | None) -> None:
    drawn = one(ReviewHunk(0, (new,), (old,)))
    assert parts(drawn) == ([PartMark(0, *part)] if part else [])


def test_lines_that_are_only_gone_are_met_in_the_row_below_them() -> None:
    drawn = one(ReviewHunk(4, (), ("gone\n",)))
    assert drawn.hunks == ((4, 4),)
    assert drawn.marks[0] == RowMark(4, sign="▔")
    assert removed(drawn).above


def test_at_the_end_of_the_file_they_stand_below_the_last_line() -> None:
    drawn = one(ReviewHunk(10, (), ("gone\n",)), count=10)
    assert drawn.marks[0] == RowMark(9, sign="▁")
    assert (removed(drawn).row, removed(drawn).above) == (9, False)
    emptied = one(ReviewHunk(0, (), ("gone\n",)), count=0)
    assert (removed(emptied).row, removed(emptied).above) == (0, False)


def test_a_new_file_is_no_wall_of_colour() -> None:
    drawn = one(ReviewHunk(0, ("a\n",) * 120, (), whole="created"), count=120)
    assert drawn.marks == (RowMark(0, rows=120, note="new file · 120 lines"),)
    empty = one(ReviewHunk(0, (), (), whole="created"), count=0)
    assert empty.marks == (RowMark(0, rows=1, note="new file · 0 lines"),)


def test_a_deleted_file_says_so_and_shows_what_was_in_it() -> None:
    drawn = one(ReviewHunk(0, (), ("a\n",), whole="deleted"), count=0)
    assert drawn.marks[0] == RowMark(0, sign="▁", note="deleted · 1 line")
    assert [words(line) for line in removed(drawn).lines] == ["a"]


def test_of_many_removed_lines_the_first_are_shown() -> None:
    gone = tuple(f"line {number}\n" for number in range(52))
    lines = removed(one(ReviewHunk(3, (), gone))).lines
    assert len(lines) == MOST_REMOVED + 1
    assert words(lines[-2]) == "line 39"
    assert words(lines[-1]) == "… 12 more removed lines"


def test_a_removed_line_without_end_is_cut() -> None:
    line = removed(one(ReviewHunk(3, (), ("x" * 500_000 + "\n",)))).lines[0]
    assert words(line) == "x" * LONGEST + "…"


def test_what_could_harm_the_screen_is_made_visible() -> None:
    line = removed(one(ReviewHunk(3, (), ("a\x1b[31m\u202eb\n",)))).lines[0]
    assert words(line) == "a␛[31m<U+202E>b"


def test_line_ends_are_shown_only_where_they_are_what_has_changed() -> None:
    same = removed(one(ReviewHunk(3, ("b\r\n",), ("a\r\n", "c")))).lines
    assert [words(line) for line in same] == ["a", "c  no line end"]
    other = removed(one(ReviewHunk(3, ("a\n",), ("a\r\n",)))).lines
    assert [words(line) for line in other] == ["a␍"]


def test_kept_hunks_are_not_shown() -> None:
    kept = FileReview("/p/a.py", 3, (ReviewHunk(1, ("a\n",), (), state="kept"),))
    assert drawing(kept) == Drawing()
    assert quickfix([kept]) == stops([kept]) == ()
    assert announcement([kept]) == NOTHING_PENDING


def test_a_conflict_is_marked_on_the_lines_of_the_user() -> None:
    marks = conflict_marks([(2, 4), (10, 10)], count=10)
    conflict = {"group": "AcpReviewConflict", "note": CONFLICT}
    assert marks == (RowMark(2, 2, **conflict), RowMark(9, 1, **conflict))


def test_each_turn_has_a_list_and_the_oldest_is_first() -> None:
    first, second = author(1, prompt="Fix\nit"), author(2, prompt="")
    shared = ReviewHunk(0, ("x = 1\n",), (), authors=(first, second))
    later = ReviewHunk(7, (), ("gone\n",), authors=(second,))
    lists = quickfix([FileReview("/p/a.py", 7, (shared, later))])
    assert [each.title for each in lists] == ["acp: gemini turn 1 · Fix it", "acp: gemini turn 2"]
    assert [each.key for each in lists] == [turn_key(first), turn_key(second)]
    assert [(it.first, it.last, it.text) for it in lists[1].items] == [
        (1, 1, "+1 −0  x = 1"),
        (7, 7, "+0 −1  gone"),
    ]
    assert [it.path for it in lists[0].items] == ["/p/a.py"]


def test_of_many_turns_the_oldest_share_a_list() -> None:
    pending = [
        ReviewHunk(turn, ("x\n",), (), authors=(author(turn, prompt=""),)) for turn in range(9)
    ]
    lists = quickfix([FileReview("/p/a.py", 9, tuple(pending))])
    recent = [f"acp: gemini turn {turn}" for turn in range(5, 9)]
    assert [each.title for each in lists] == ["acp: earlier turns", *recent]
    assert [each.key for each in lists][1:] == [turn_key(author(turn)) for turn in range(5, 9)]
    assert [it.first for it in lists[0].items] == [1, 2, 3, 4, 5]
    assert len(quickfix([FileReview("/p/a.py", 5, tuple(pending[:5]))])) == 5


@pytest.mark.parametrize(
    ("verdict", "scope", "done", "left", "sentence"),
    [
        ("keep", "lines", 1, 4, "kept 1 hunk, 4 left"),
        ("reject", "file", 3, 0, "rejected 3 hunks, none is left"),
        (
            "keep",
            "lines",
            0,
            3,
            "no hunk here: :Acp review shows them; :Acp keep file, :Acp keep all",
        ),
        ("reject", "file", 0, 3, "no hunk in this file: :Acp reject all decides on all files"),
        ("keep", "all", 0, 0, "nothing to review: no change of an agent is pending"),
    ],
)
def test_what_became_of_a_decision(
    verdict: str, scope: str, done: int, left: int, sentence: str
) -> None:
    assert decided(verdict, scope, done, left) == sentence


def test_turns_of_the_same_number_are_told_apart() -> None:
    assert turn_key(author(1)) == turn_key(author(1, prompt="as told later"))
    assert turn_key(author(1)) != turn_key(replace(author(1), began=99.0))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (ReviewHunk(0, ("\n", "  def f():\n"), ("g\n",)), "+2 −1  def f():"),
        (ReviewHunk(0, (), ("\n",)), "+0 −1"),
        (ReviewHunk(0, ("a\n",), (), whole="created"), "new file · 1 line"),
        (ReviewHunk(0, (), ("a\n", "b\n"), whole="deleted"), "deleted · 2 lines"),
        (ReviewHunk(0, ("x" * 200,), ()), "+1 −0  " + "x" * 72 + "…"),
    ],
)
def test_a_hunk_in_one_line(change: ReviewHunk, text: str) -> None:
    assert summary(change) == text


def test_how_much_there_is_fits_a_line() -> None:
    reviews = [review("/p/a.py", "a\nb\nc\n", "x\nb\ny\n"), review("/p/b.py", "", "new\n")]
    assert announcement(reviews) == (
        "3 hunks in 2 files: :Acp keep or reject, :Acp review lists them"
    )
    assert stops(reviews) == (("/p/a.py", (0, 2)), ("/p/b.py", (0,)))
    assert announcement(reviews[1:]).startswith("1 hunk in 1 file: ")


def test_how_a_file_is_written_is_said_in_words() -> None:
    change = ReviewHunk(0, (), (), form="line ends: CRLF → LF")
    assert one(change).marks == (RowMark(0, note="line ends: CRLF → LF"),)
    assert summary(change) == "line ends: CRLF → LF"
