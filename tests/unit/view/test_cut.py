"""What of a long text is shown, and how the rest is told."""

from __future__ import annotations

import pytest

from acp_nvim.view.cut import (
    CHARACTERS,
    ITEMS,
    LINES,
    TOLD,
    WIDTH,
    head,
    is_rest,
    narrowed,
    portions,
    told,
)


def test_what_is_short_is_shown() -> None:
    for text in ("", "a", "a\n", "a\n" * LINES, "x" * WIDTH):
        assert head(text) == (text, ())
        assert narrowed("x" * WIDTH) == "x" * WIDTH


def test_lines_after_the_last_that_is_shown_are_counted() -> None:
    kept, rest = head("a\n" * LINES + "b\nc")
    assert kept == "a\n" * LINES
    assert [line.text for line in rest] == ["… 2 more lines: <CR> opens all"]


def test_characters_are_counted_where_there_are_no_lines() -> None:
    kept, rest = head("a" * (CHARACTERS + 5))
    assert kept == "a" * CHARACTERS
    assert [line.text for line in rest] == ["… 5 more characters: <CR> opens all"]


def test_a_text_of_long_lines_is_cut_between_two() -> None:
    line = "a" * 60_000 + "\n"
    kept, _ = head(line * 20)
    assert kept == line * 16


def test_a_long_line_is_cut_and_tells_by_about_how_much() -> None:
    shown = narrowed("a" * (WIDTH + 20_971_520))
    assert shown == "a" * WIDTH + " … 21,000,000 more characters of this line: <CR> opens all"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("… 2 more lines: <CR> opens all", True),
        (narrowed("b" * 100_000), True),
        ("… 2 more lines", False),
        ("", False),
    ],
)
def test_the_line_is_known_by_its_words(text: str, *, expected: bool) -> None:
    assert is_rest(text) is expected


@pytest.mark.parametrize(
    "text", ["", "a", "a\nb\n", "\n\n", "x" * 200_000 + "\ny", "x\n" * 30_000, "a\r\nb\x1b"]
)
def test_the_portions_are_all_of_it(text: str) -> None:
    found = list(portions(text))
    lines = [line for portion in found for line in portion]
    assert all(len(line) <= WIDTH for line in lines)
    shown = text.replace("\r\n", "\n").replace("\x1b", "␛").replace("\n", "")
    assert "".join(lines) == shown
    assert all(len(portion) <= LINES for portion in found)


def test_scripts_are_told_as_much_as_anybody_reads() -> None:
    small = {"id": "a", "turn": 1, "ok": True, "cost": None, "places": [{"path": "/a", "line": 2}]}
    assert told(small) == small
    large = {"title": "x" * 10**6, "places": [{"path": "y" * 10**6}] * 100_000}
    assert told(large) == {"title": "x" * TOLD, "places": [{"path": "y" * TOLD}] * ITEMS}
