"""Changed words of a line."""

from __future__ import annotations

import pytest

from acp_nvim.view.diff.change import changed_parts


def words(text: str, mate: str) -> list[str]:
    return [text[start:end] for start, end in changed_parts(text, mate)]


@pytest.mark.parametrize(
    ("text", "mate", "changed", "changed_there"),
    [
        ("max(v) - min(v)", "max(v, default=0) - min(v, default=0)", [], [", default=0"] * 2),
        ("return old_name(x)", "return new_name(x)", ["old_name"], ["new_name"]),
        ("a = 1", "a = 1", [], []),
        ("é = sum(x)", "é = max(x)", ["sum"], ["max"]),
        ("abcdefgh", "xyz", [], []),
        ("x" * 1001, "y", [], []),
    ],
)
def test_words_are_set_off(
    text: str, mate: str, changed: list[str], changed_there: list[str]
) -> None:
    assert words(text, mate) == changed
    assert words(mate, text) == changed_there


def test_a_hostile_line_is_compared_within_bounds() -> None:
    one, other = "a b" * 333, "b a" * 333
    parts = changed_parts(one, other)
    assert all(0 <= start < end <= len(one) for start, end in parts)
