"""What was made of long texts a moment ago."""

from __future__ import annotations

from acp_nvim.hunks import bare_lines, diff, join_lines, split_lines
from acp_nvim.recent import RECENT, Recent

LONG = "".join(f"line {number}\n" for number in range(5_000))


def test_what_is_made_of_a_long_text_is_made_once() -> None:
    recent, made = Recent(), list[str]()
    again = "".join(LONG)

    def make() -> int:
        made.append("made")
        return len(made)

    assert [recent.made(it, "count", make) for it in (LONG, again, LONG.encode())] == [1, 1, 2]
    assert [recent.made(LONG, by, make) for by in ("count", "other")] == [1, 3]
    recent.forget()
    assert recent.made(LONG, "count", make) == 4


def test_what_is_short_is_made_each_time() -> None:
    recent, made = Recent(), list[int]()
    for _ in range(2):
        recent.made("short", None, lambda: made.append(1))
    assert made == [1, 1]


def test_of_tuples_only_the_very_same_one_is_known() -> None:
    lines, others = tuple(LONG), tuple(LONG)
    recent = Recent()
    assert recent.made(lines, None, lambda: "one") == "one"
    assert recent.made(others, None, lambda: "other") == "other"
    assert recent.origin("one", None) is lines


def test_lines_of_a_long_text_are_split_and_joined_once() -> None:
    RECENT.forget()
    lines = bare_lines(LONG, "\n")
    assert split_lines(LONG) is split_lines("".join(LONG))
    assert bare_lines(LONG, "\n") is lines == tuple(LONG.split("\n")[:-1])
    assert join_lines(lines, "\n", "\n") is LONG
    assert join_lines(lines, "\n", "") == LONG[:-1]


def test_hunks_of_long_texts_are_found_once() -> None:
    old, new = bare_lines(LONG, "\n"), bare_lines(LONG.replace("line 7\n", "seven\n"), "\n")
    (hunk,) = diff(old, new)
    assert (hunk.first, hunk.last, hunk.lines) == (7, 8, ("seven",))
    assert diff(old, new)[0] is hunk
    assert diff(old, old) == ()
