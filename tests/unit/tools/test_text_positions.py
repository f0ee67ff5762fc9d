from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.tools.text_positions import (
    Misplaced,
    characters,
    edited,
    lines_of,
    occurrences,
    offsets,
)

LINE = "añ😀b"


def edit(first: tuple[int, int], last: tuple[int, int], new: str) -> dict[str, Any]:
    start, end = ({"line": it[0], "character": it[1]} for it in (first, last))
    return {"range": {"start": start, "end": end}, "newText": new}


def test_a_place_counts_in_the_units_of_each_encoding() -> None:
    assert offsets(LINE, 3) == {"utf-8": 7, "utf-16": 4, "utf-32": 3}
    assert [characters(LINE, n, "utf-16") for n in (0, 1, 2, 4, 5, 99)] == [0, 1, 2, 3, 4, 4]
    assert [characters(LINE, n, "utf-8") for n in (1, 3, 7, 8)] == [1, 2, 3, 4]
    assert characters("ascii", 3, "utf-8") == 3


@pytest.mark.parametrize(
    ("line", "symbol", "found"),
    [
        ("f(ff, f)", "f", [0, 6]),
        ("self.name = name", "name", [5, 12]),
        ("größe = größer", "größe", [0]),
        ("a += b", "+=", [2]),
        ("@x @xy", "@x", [0]),
        ("nothing", "no", []),
    ],
)
def test_a_name_stands_where_it_is_a_whole_word(line: str, symbol: str, found: list[int]) -> None:
    assert occurrences(line, symbol) == found


def test_edits_are_made_at_once_in_their_order() -> None:
    text = "one\ntwo\nthree\n"
    edits = [edit((1, 0), (1, 3), "2"), edit((0, 0), (0, 0), "a"), edit((0, 0), (0, 0), "b")]
    assert edited(text, edits, "utf-16") == "abone\n2\nthree\n"


def test_a_line_end_of_two_characters_is_outside_of_its_line() -> None:
    assert lines_of("a\r\nb") == ["a", "b"]
    assert edited("one\r\ntwo\r\n", [edit((0, 0), (0, 99), "1")], "utf-16") == "1\r\ntwo\r\n"


def test_an_edit_behind_the_end_is_at_the_end() -> None:
    assert edited("a\n", [edit((9, 0), (9, 0), "b\n")], "utf-16") == "a\nb\n"
    assert edited("a", [edit((0, 0), (7, 0), "whole")], "utf-16") == "whole"


def test_a_place_behind_an_emoji_is_found() -> None:
    assert edited(f"{LINE}\n", [edit((0, 4), (0, 5), "c")], "utf-16") == "añ😀c\n"


def test_edits_that_overlap_are_refused() -> None:
    with pytest.raises(Misplaced):
        edited("abcdef", [edit((0, 0), (0, 3), "x"), edit((0, 2), (0, 4), "y")], "utf-16")
