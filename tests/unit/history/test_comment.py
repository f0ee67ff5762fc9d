"""A comment goes along with its lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.history.comment import Comment, overlaps, placed, signed

BEFORE = ["one", "two", "three", "four"]


def on(first: int, last: int, rows: list[str] = BEFORE) -> Comment:
    return Comment("k", "/a", first, last, tuple(rows[first:last]), "why?")


@pytest.mark.parametrize(
    ("now", "place"),
    [
        (["new", *BEFORE], (2, 4)),
        (["one", "new", "two", "three", "four"], (2, 4)),
        (["one", "two", "new", "three", "four"], (1, 4)),
        (["one", "two", "three", "new", "four"], (1, 3)),
        (["two", "three", "four"], (0, 2)),
        (["one", "TWO", "three", "four"], (1, 3)),
        (["one", "two", "four"], (1, 2)),
        (["one", "four"], (1, 1)),
        ([], (0, 0)),
    ],
)
def test_it_is_where_its_lines_are(now: list[str], place: tuple[int, int]) -> None:
    moved = placed(on(1, 3), now, BEFORE)
    assert (moved.first, moved.last) == place
    assert moved.is_gone == (place[0] == place[1])
    if not moved.is_gone:
        assert moved.lines == tuple(now[slice(*place)])


def test_it_comes_back_with_its_lines() -> None:
    gone = placed(on(1, 3), ["one", "four"], BEFORE)
    assert gone.lines == ("two", "three")
    assert placed(gone, BEFORE, ["one", "four"]) == on(1, 3)


def test_where_the_text_before_is_not_known_the_nearest_lines_like_it_count() -> None:
    rows = ["end", "a", "end", "b", "end"]
    assert placed(on(1, 2, ["x", "end"]), rows, None).first == 0
    assert placed(on(3, 4, ["", "", "", "end"]), rows, None).first == 2
    assert placed(on(3, 4), ["nothing", "of", "it"], None).is_gone


def test_what_it_overlaps() -> None:
    assert overlaps(on(1, 3), 2, 3)
    assert not overlaps(on(1, 3), 3, 4)
    gone = placed(on(1, 3), ["one", "four"], BEFORE)
    assert overlaps(gone, 1, 2)


def test_lines_that_go_and_come() -> None:
    assert signed("a\nb\n", "a\r\nc\n") == ("-b", "+c")
    assert signed(None, "a\n") == ("+a",)


ROWS = st.lists(st.sampled_from("abcd"), max_size=8)


@given(before=ROWS.filter(bool), now=ROWS, again=ROWS, data=st.data())
def test_it_is_always_in_the_text(
    before: list[str], now: list[str], again: list[str], data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(before) - 1))
    comment = on(first, data.draw(st.integers(first + 1, len(before))), before)
    for old, rows in ((before, now), (now, again), (again, before)):
        comment = placed(comment, rows, old)
        assert 0 <= comment.first <= comment.last <= len(rows)
        assert comment.lines
        if not comment.is_gone:
            assert comment.lines == tuple(rows[comment.first : comment.last])
